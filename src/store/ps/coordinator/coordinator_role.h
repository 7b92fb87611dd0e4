/* coordinator_role.h: what makes a server the coordinator: ps:0 is started with this role. */
#ifndef TRI_STORE_PS_COORDINATOR_COORDINATOR_ROLE_H
#define TRI_STORE_PS_COORDINATOR_COORDINATOR_ROLE_H

#include "store/ps/server/server.h"

extern const tri__server_role tri__coordinator_role;

#endif
