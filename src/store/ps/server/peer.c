/* peer.c: the connections of a server, one by one. */
#include "store/ps/server/peer.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/server/row_server.h"

tri__peer *tri__peer_attach(tri__server *server)
{
    tri__peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    *peer = (tri__peer){.next = server->peers, .server = server, .task = -1, .heard = tri__clock_now()};
    server->peers = peer;
    return peer;
}

void tri__peer_detach(tri__peer *peer)
{
    tri__peer **at = &peer->server->peers;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    json_decref(peer->hello);
    free(peer->gradient);
    free(peer->due);
    free(peer->traced);
    free(peer->text);
    tri__peer_tables_destroy(peer->tables);
    free(peer);
}

bool tri__peer_is_known(const tri__peer *peer)
{
    return peer->role != TRI_PEER_STRANGER || peer->hello;
}

void tri__peer_refuse(tri__peer *peer, tri_status why)
{
    const char *text = tri_status_message(why);
    const char *address = tri__connection_peer(peer->connection);
    if (peer->role == TRI_PEER_STRANGER)
        tri__log_limited(peer->server->options.log, &peer->server->strangers, tri__clock_now(), TRI_LOG_WARNING, "%s was turned away: %s",
                         address, text);
    else
        tri__log_line(peer->server->options.log, TRI_LOG_WARNING, "%s was turned away: %s", address, text);
    tri__message_send_json(peer->connection, TRI_MSG_REFUSED,
                           json_pack("{s:s, s:b}", "reason", text, "diverged", tri_status_code(why) == TRI_DIVERGED));
    tri_status_free(why);
    peer->state = TRI_TALK_CLOSING;
    if (tri__connection_unsent(peer->connection) == 0)
        tri__connection_close(peer->connection);
}

bool tri__peer_in_doubt(const tri__peer *peer, const tri__peer *before)
{
    bool another = before && before->incarnation != peer->incarnation;
    return another && (before->state == TRI_TALK_AHEAD || tri__clock_now() - peer->greeted < 2 * peer->server->options.settings.heartbeat);
}

void tri__peer_replaced(tri__peer *before)
{
    before->role = TRI_PEER_STRANGER;
    before->state = TRI_TALK_CLOSING;
    tri__connection_close(before->connection);
}

tri_status tri__peer_equip(tri__peer *peer)
{
    uint32_t chunks = tri__stretch_chunks(peer->server->stretch);
    if (peer->due)
        return NULL;
    if (!peer->gradient)
        TRI_TRY(tri__stretch_lend(peer->server->stretch, &peer->gradient));
    if (peer->server->lane && !peer->traced)
        TRI_TRY(tri__allocate(chunks, sizeof *peer->traced, "the answers of a timeline", &peer->traced));
    return tri__allocate(chunks, sizeof *peer->due, "the answers that a worker is due", &peer->due);
}

/* ---- answers ---- */

/* In a trace, the answer to a push has the number of the push. The answer to a PULL has none, and is not traced. */
static void trace_answer(tri__peer *peer, const tri__message *answer, int64_t begin)
{
    const tri__server *server = peer->server;
    if (!peer->traced)
        return;
    int64_t *traced = &peer->traced[answer->chunk - tri__stretch_first(server->stretch)];
    const int64_t serial = tri__stretch_pushed(server->stretch, answer->chunk, peer->task);
    const bool answers_a_push = server->options.settings.mode == TRI_PS_SYNC ? answer->step == serial + 1 : serial > *traced;
    *traced = serial;
    if (answers_a_push)
        tri__trace_end_message(server->lane, TRI_SPAN_ANSWER, begin, answer->step, TRI_FLOW_SENDS,
                               tri__trace_message(TRI_SPAN_ANSWER, peer->task, answer->chunk, serial));
}

static void send_chunk(tri__peer *peer, uint32_t chunk, bool more)
{
    tri__stretch *stretch = peer->server->stretch;
    size_t count;
    const float *floats = tri__stretch_floats(stretch, chunk, 0, &count);
    const tri__message message = {
        .type = TRI_MSG_CHUNK,
        .chunk = chunk,
        .generation = peer->server->generation,
        .step = tri__stretch_step(stretch, chunk),
        .waited = tri__stretch_waited(stretch, chunk),
    };
    const int64_t begin = tri__trace_begin(peer->server->lane);
    tri__message_send_floats(peer->connection, message, floats, count, more);
    trace_answer(peer, &message, begin);
}

/* If many bytes are unsent, the answer is kept back: an answer that the next step needs sooner may still come, and goes first. */
void tri__peer_answer(tri__peer *peer, uint32_t chunk, bool more)
{
    uint32_t own = chunk - tri__stretch_first(peer->server->stretch);
    if (peer->due_count == 0 && tri__connection_unsent(peer->connection) < TRI_UNSENT_MOST) {
        send_chunk(peer, chunk, more);
        return;
    }
    peer->due_count += !peer->due[own];
    peer->due[own] = true;
}

void tri__peer_send_due(tri__peer *peer)
{
    uint32_t first = peer->due_count ? tri__stretch_first(peer->server->stretch) : 0;
    for (uint32_t i = 0; peer->due_count && tri__connection_unsent(peer->connection) < TRI_UNSENT_MOST; i++)
        if (peer->due[i]) {
            peer->due[i] = false;
            peer->due_count--;
            send_chunk(peer, first + i, false);
        }
}
