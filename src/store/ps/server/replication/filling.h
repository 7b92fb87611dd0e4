/* filling.h: a primary fills its standby while training goes on (replication.h). */
#ifndef TRI_STORE_PS_SERVER_REPLICATION_FILLING_H
#define TRI_STORE_PS_SERVER_REPLICATION_FILLING_H

#include "store/ps/server/server_inside.h"

void tri__filling_begin(tri__server *server); /* the standby has said welcome: tells it what it must know, and sends the first chunks */
void tri__filling_go_on(tri__server *server); /* sends more, if the stream takes it and not all is sent */

bool tri__filling_has(const tri__server *server, uint32_t chunk);                       /* the standby has the chunk, or its first rows */
int64_t tri__filling_count_rows(const tri__server *server, const tri__applied *update); /* how many of its rows the standby has */

#endif
