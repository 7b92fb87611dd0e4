/* follower.h: the role of every server but ps:0: it follows ps:0, from its first connection to the end of the job. */
#ifndef TRI_STORE_PS_SERVER_FOLLOWER_H
#define TRI_STORE_PS_SERVER_FOLLOWER_H

#include "store/ps/server/server_inside.h"

extern const tri__server_role tri__follower_role;

void tri__follower_lost(tri__server *server, tri_status why); /* the connection to ps:0 has ended. Takes why */
void tri__follower_greet(tri__peer *peer);
void tri__follower_stepped(tri__server *server); /* chunks have moved on: a copy may be due, the norm may be known */
/* Reads the tasks of a VIEW or a CHOSEN: those that make up all steps from *step on, or that one step. */
TRI_MUST_CHECK tri_status tri__follower_read_tasks(const json_t *body, int64_t *step, int tasks[TRI_MOST_TASKS], int *count);
TRI_MUST_CHECK tri_status tri__follower_read_clip(const tri__message *message, tri__clip_factor *out); /* reads a NORM */
json_t *tri__rule_json(const tri_rule *rule);                                                          /* as ps:0 sends it to followers */

#endif
