/* coordinator_role.c: the table of calls by which a server tells its coordinator what happens. */
#include "store/ps/coordinator/coordinator_role.h"

#include "store/ps/coordinator/coordinator.h"
#include "store/ps/coordinator/snapshot/snapshot_named.h"
#include "store/ps/server/role.h"

static tri_status start(tri__server *server)
{
    return tri__coordinator_create(server, &server->coordinator);
}

static void end(tri__server *server)
{
    tri__coordinator_destroy(server->coordinator);
}

/* Writes nothing if the server could not even start. */
static void status(tri__server *server, tri__ps_status *out)
{
    if (server->coordinator)
        tri__coordinator_status(server, out);
}

static tri_status hello(tri__peer *peer, const json_t *body)
{
    return tri__coordinator_hello(peer, json_deep_copy(body));
}

/* A message about ps:0's own range, which is pair 0. */
static void paired(tri__server *server, tri__message_type type)
{
    if (!server->done)
        tri__pairs_message(server->coordinator, 0, &(tri__message){.type = type, .pair = server->replication.pair});
}

static void tell_state(tri__server *server)
{
    tri__handover_tell(server->coordinator);
}

static void go_on(tri__server *server)
{
    tri__coordinator_go_on(server->coordinator);
}

static void gathered(tri__server *server)
{
    tri__steps_clip(server->coordinator);
}

const tri__server_role tri__coordinator_role = {
    .start = start,
    .end = end,
    .status = status,
    .tick = tri__coordinator_tick,
    .hello = hello,
    .message = tri__coordinator_message,
    .body = tri__snapshot_body,
    .evaluator_rows = tri__snapshot_pulled_rows,
    .gone = tri__coordinator_gone,
    .paired = paired,
    .tell_state = tell_state,
    .expects = tri__steps_expects,
    .pushed = tri__steps_pushed,
    .go_on = go_on,
    .gathered = gathered,
    .chunk_ends = tri__steps_chunk_ends,
    .chunk_ended = tri__steps_chunk_ended,
};
