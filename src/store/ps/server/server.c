/* server.c: the life of a server. One thread does all: it reads a gradient, applies it, and sends the answer straight from the parameters.
 * reception.c takes the messages, pushes.c the gradients. role.h is what ps:0 does besides, or what all others do. */
#include "store/ps/server/server.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/reception.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/role.h"

#define TICK       INT64_C(50000000)   /* 50 ms */
#define FAREWELL   INT64_C(2000000000) /* nanoseconds for peers to hear that the job is over, and to hang up */
#define MOST_PEERS (TRI_MOST_TASKS + TRI_MOST_SERVERS + 64)

void tri__server_end(tri__server *server, tri_status why)
{
    if (server->done)
        tri_status_free(why);
    else
        server->failure = why;
    server->done = true;
    tri__loop_stop(server->loop);
}

void tri__server_say_bye_to(tri__peer *peer)
{
    const char *reason = peer->server->farewell;
    tri__message_send_json(peer->connection, TRI_MSG_BYE, json_pack("{s:s*}", "reason", *reason ? reason : NULL));
}

void tri__server_say_bye(tri__server *server, const char *reason)
{
    snprintf(server->farewell, sizeof server->farewell, "%s", reason ? reason : "");
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (tri__peer_is_known(peer) && peer->role != TRI_PEER_COORDINATOR && peer->role != TRI_PEER_STREAM)
            tri__server_say_bye_to(peer);
}

static void *on_accepted(void *context, tri__connection *connection)
{
    tri__peer *peer = tri__peer_attach(context);
    if (peer)
        peer->connection = connection;
    return peer;
}

/* Tells every peer that this server lives. A peer to which other bytes are on their way needs no heartbeat. */
static void beat(tri__server *server)
{
    int64_t now = tri__clock_now();
    if (now - server->beaten < server->options.settings.heartbeat)
        return;
    server->beaten = now;
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (tri__peer_is_known(peer) && tri__connection_unsent(peer->connection) == 0)
            tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_BEAT}, false);
}

static void excuse_silence(tri__server *server)
{
    int64_t now = tri__clock_now(), since = now - server->ticked;
    bool slept = server->ticked && since > server->options.settings.heartbeat;
    for (tri__peer *peer = server->peers; slept && peer; peer = peer->next)
        peer->heard = tri__heard_after(peer->heard, since - TICK, now);
    server->ticked = now;
}

/* Closes connections that do not say hello in time, to make room for others. */
static void close_strangers(tri__server *server)
{
    int64_t now = tri__clock_now();
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (!tri__peer_is_known(peer) && now - peer->heard > server->options.settings.timeout)
            tri__connection_close(peer->connection);
}

static void on_tick(void *context)
{
    tri__server *server = context;
    if (server->done)
        return;
    excuse_silence(server);
    close_strangers(server);
    beat(server);
    server->role->tick(server);
    if (!server->done)
        tri__primary_tick(server);
}

static tri_status start(tri__server *server)
{
    const tri__server_options *options = &server->options;
    TRI_TRY(tri__loop_create(&server->loop));
    tri__loop_set_patience(server->loop, TRI_PS_PATIENCE);
    tri__loop_count_traffic(server->loop, options->traffic);
    const tri__listener_options listening = {
        .connection = {.handlers = &tri__server_handlers, .context = server, .tls = options->tls, .timeout = 2 * options->settings.timeout},
        .accepted = on_accepted,
        .most = MOST_PEERS,
        .awaits_hello = true,
    };
    TRI_TRY(tri__listener_create(server->loop, options->listen_fd, &listening, &server->listener));
    TRI_TRY(tri__timer_create(server->loop, on_tick, server, &server->tick));
    tri__timer_start(server->tick, TICK, TICK);
    return server->role->start(server);
}

static bool all_have_heard(const tri__server *server)
{
    for (const tri__peer *peer = server->peers; peer; peer = peer->next)
        if (server->coordinator ? tri__peer_is_known(peer) : tri__connection_unsent(peer->connection) > 0)
            return false;
    return server->unheard == 0;
}

/* Sends the last messages before the connections close. A peer that hears ps:0's BYE hangs up; a peer whose connection breaks before that
 * may come back. */
static void close_all(tri__server *server)
{
    int64_t heartbeat = server->options.settings.heartbeat, now = tri__clock_now();
    int64_t deadline = now + (heartbeat > FAREWELL ? heartbeat : FAREWELL);
    while (!all_have_heard(server) && tri__clock_now() < deadline)
        tri__loop_turn(server->loop, deadline);
    tri__listener_destroy(server->listener);
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        tri__connection_close(peer->connection);
    while (server->peers)
        tri__loop_turn(server->loop, deadline + server->options.settings.timeout);
}

tri_status tri__server_run(const tri__server_options *options, tri__ps_status *status)
{
    tri__server *server;
    TRI_TRY(tri__allocate(1, sizeof *server, "a parameter server", &server));
    server->options = *options;
    server->lane = tri__trace_lane_add(options->trace, options->second ? "second server" : "server");
    server->role = options->role ? options->role : &tri__follower_role;
    tri__copy_cancel(server);
    tri_status failed = start(server);
    if (!failed) {
        tri__loop_run(server->loop);
        failed = server->failure;
    }
    server->done = true;
    if (status)
        server->role->status(server, status);
    if (server->loop)
        close_all(server);
    tri__log_limit_tell(server->options.log, &server->strangers);
    tri__timer_destroy(server->tick);
    server->role->end(server);
    tri__replication_fini(server);
    tri__stretch_destroy(server->stretch);
    tri__copy_fini(&server->copy);
    tri__loop_destroy(server->loop);
    free(server);
    return failed;
}
