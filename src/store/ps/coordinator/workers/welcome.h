/* welcome.h: which workers may take part: one that trains what the others train, under a task number that nobody has. members.h has those
 * that were welcomed. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_WELCOME_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_WELCOME_H

#include "store/ps/server/server_inside.h"

void tri__welcome_invite(tri__peer *peer);                                   /* tell a worker that wants to join what it must know */
void tri__welcome_admit(tri__coordinator *coordinator);                      /* welcome the workers that had to wait */
bool tri__welcome_is_awaited(const tri__coordinator *coordinator, int task); /* before the job begins: it must come, or become ready */
/* The process that has this task is back and waits for its welcome, as while servers are restored. */
bool tri__welcome_is_due(const tri__coordinator *coordinator, int task);

#endif
