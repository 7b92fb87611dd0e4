/* follower.h: what ps:1 … do with ps:0: follow it, from their first connection to the end of the job. */
#ifndef TRI_STORE_PS_SERVER_FOLLOWER_H
#define TRI_STORE_PS_SERVER_FOLLOWER_H

#include "store/ps/server/server_inside.h"

void tri__follower_start(tri__server *server);
void tri__follower_tick(tri__server *server);
void tri__follower_lost(tri__server *server, tri_status why); /* takes why */
void tri__follower_greet(tri__peer *peer);
TRI_MUST_CHECK tri_status tri__follower_body(tri__peer *peer, const tri__message *message, void **body);
TRI_MUST_CHECK tri_status tri__follower_message(tri__peer *peer, const tri__message *message, const json_t *body);
void tri__follower_stepped(tri__server *server); /* chunks moved on: a snapshot may be due, a norm be known */
/* Whom a step, or all from it on, is made of, as VIEW and CHOSEN tell. */
TRI_MUST_CHECK tri_status tri__follower_read_tasks(const json_t *body, int64_t *step, int tasks[TRI_MOST_TASKS], int *count);
json_t *tri__rule_json(const tri_rule *rule); /* as ps:0 tells it to followers */

#endif
