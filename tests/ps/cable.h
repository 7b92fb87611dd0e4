/* cable.h: what lies between a worker and its servers, so that a test can cut it: a port of 127.0.0.1 for each server, whose connections
 * are led on to the server's own. While it is cut, nothing passes and nobody is told, as where a switch has lost its power. */
#ifndef TESTS_PS_CABLE_H
#define TESTS_PS_CABLE_H

#include <stdbool.h>

typedef struct cable cable;

cable *cable_lay(const int *ports, int count); /* of the servers */
int cable_port(const cable *laid, int index);  /* which leads to that server */
void cable_cut(cable *laid, bool cut);         /* or mend it: what waited passes */
void cable_slow(cable *laid, int rate);        /* bytes a second, each way of each connection; 0: as many as it can */
void cable_break(cable *laid);                 /* every connection ends, as where a router has forgotten them */
void cable_remove(cable *laid);

#endif
