/* reception.h: takes the messages of a server's connections, and decides who is admitted. */
#ifndef TRI_STORE_PS_SERVER_RECEPTION_H
#define TRI_STORE_PS_SERVER_RECEPTION_H

#include "store/ps/server/server_inside.h"

extern const tri__connection_handlers tri__server_handlers; /* of every connection; the context is its tri__peer */

void tri__server_admit(tri__server *server); /* if this server has all of its stretch: welcomes the workers that had to wait */

#endif
