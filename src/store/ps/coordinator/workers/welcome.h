/* welcome.h: which workers may take part: those that train what the job trains, under a task number that nobody else has. members.h has the
 * workers that were welcomed. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_WELCOME_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_WELCOME_H

#include "store/ps/server/server_inside.h"

void tri__welcome_invite(tri__peer *peer);              /* tell a worker that wants to join what it must know */
void tri__welcome_admit(tri__coordinator *coordinator); /* welcome the workers that had to wait */
/* Before the job begins: ps:0 waits until this worker comes, or is ready. */
bool tri__welcome_is_awaited(const tri__coordinator *coordinator, int task);
/* The process that has this task is back and waits for its welcome; for example, servers are being restored. */
bool tri__welcome_is_due(const tri__coordinator *coordinator, int task);

#endif
