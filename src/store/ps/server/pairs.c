/* pairs.c: ps:0 decides who leads a range. */
#include "store/ps/server/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/ps/server/coordinator.h"

tri_status tri__pairs_init(tri__coordinator *c)
{
    if (c->settings->replicas != 2)
        return NULL;
    TRI_TRY(tri__allocate((size_t)c->settings->servers, sizeof *c->pair, "pairs of servers", &c->pair));
    for (int i = 0; i < c->settings->servers; i++)
        c->pair[i].number = c->server->generation; /* other numbers than those of an earlier ps:0 */
    return NULL;
}

void tri__pairs_fini(tri__coordinator *c)
{
    free(c->pair);
}

tri_status tri__pairs_check(const tri__coordinator *c)
{
    if (c->pair && c->job.tables.count > 0)
        return tri_fail(TRI_BAD_CALL, "--replicas 2 with a model that has sparse tables is not possible yet: leave it out");
    if (c->pair && c->settings->mode == TRI_PS_SYNC && c->job.rule.clip > 0)
        return tri_fail(TRI_BAD_CALL, "--replicas 2 with --sync and --clip is not possible yet: leave out one of them");
    return NULL;
}

static const char *name_of(bool away, int server, char text[32])
{
    snprintf(text, 32, away ? "the twin of ps:%d" : "ps:%d", server);
    return text;
}

const tri__address *tri__pairs_address(const tri__coordinator *c, int server)
{
    return c->pair && c->pair[server].away ? &c->pair[server].other : &c->server->options.servers[server];
}

/* Where the one is that does not lead. */
static const tri__address *twin_address(const tri__coordinator *c, int server)
{
    return c->pair[server].away ? &c->server->options.servers[server] : &c->pair[server].other;
}

static json_t *leader_json(const tri__coordinator *c, int server)
{
    const tri__address *at = tri__pairs_address(c, server);
    return json_pack("{s:i, s:s, s:i}", "server", server, "host", at->host, "port", (int)at->port);
}

/* All of them: a worker may have been sent to another one before. */
json_t *tri__pairs_leaders(const tri__coordinator *c)
{
    json_t *list = json_array();
    for (int i = 1; c->pair && i < c->settings->servers; i++)
        json_array_append_new(list, leader_json(c, i));
    return list;
}

tri__peer *tri__pairs_twin(const tri__coordinator *c, int server)
{
    return c->pair && c->pair[server].welcome ? c->pair[server].twin : NULL;
}

void tri__pairs_greet(const tri__coordinator *c, int server, bool leads, json_t *welcome)
{
    if (!c->pair)
        return;
    json_object_set_new(welcome, "leads", json_boolean(leads));
    json_object_set_new(welcome, "pair", json_integer(c->pair[server].number));
}

void tri__pairs_offer(tri__coordinator *c, int server)
{
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (!pair || pair->state != TRI_PAIR_ALONE || !pair->twin || !pair->welcome || c->follower[server].state != TRI_FOLLOWER_HOLDING)
        return;
    const tri__address *at = twin_address(c, server);
    pair->state = TRI_PAIR_FILLING;
    pair->number++;
    tri__message_send_json(pair->twin->connection, TRI_MSG_TWIN, json_pack("{s:I}", "pair", (json_int_t)pair->number));
    tri__message_send_json(c->follower[server].peer->connection, TRI_MSG_TWIN,
                           json_pack("{s:I, s:s, s:i}", "pair", (json_int_t)pair->number, "host", at->host, "port", (int)at->port));
}

static void welcome_twin(tri__coordinator *c, int server)
{
    c->pair[server].welcome = true;
    tri__followers_welcome(c, server, c->pair[server].twin);
    tri__pairs_offer(c, server);
}

void tri__pairs_settled(tri__coordinator *c)
{
    for (int i = 1; c->pair && i < c->settings->servers; i++)
        if (c->pair[i].twin)
            welcome_twin(c, i);
}

/* The twin is none any more: only then may its leader be alone. */
static void strike_off(tri__coordinator *c, int server)
{
    tri__pair *pair = &c->pair[server];
    tri__pair_state before = pair->state;
    pair->state = TRI_PAIR_ALONE;
    pair->twin = NULL;
    pair->welcome = false;
    if (before != TRI_PAIR_ALONE && c->follower[server].peer)
        tri__message_send(c->follower[server].peer->connection, &(tri__message){.type = TRI_MSG_LONE, .view = pair->number}, false);
}

/* Strike it off, though it may live: it comes back, and is filled anew. */
static void send_away(tri__coordinator *c, int server)
{
    tri__peer *twin = c->pair[server].twin;
    strike_off(c, server);
    if (twin)
        tri__peer_replaced(twin);
}

static void tell_alone(tri__coordinator *c, int server)
{
    char name[32];
    if (c->phase == TRI_JOB_RUNNING && !c->pair[server].told)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "%s is gone: the range of ps:%d lives on one server until it is back",
                      name_of(!c->pair[server].away, server, name), server);
    c->pair[server].told = true;
}

void tri__pairs_twin_gone(tri__coordinator *c, tri__peer *peer)
{
    if (c->pair[peer->task].twin != peer)
        return;
    tell_alone(c, peer->task);
    strike_off(c, peer->task);
}

/* It holds what goes back, or may know of steps that are to be made again; not so before anything was made. */
void tri__pairs_part(tri__coordinator *c, int server)
{
    const tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (pair && pair->welcome && (pair->state != TRI_PAIR_ALONE || c->phase != TRI_JOB_WAITING))
        send_away(c, server);
}

/* The twin has what the leader had answered for. It is told before workers are, and hears its old leader no more. */
bool tri__pairs_promote(tri__coordinator *c, int server)
{
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    const tri__follower *follower = &c->follower[server];
    char lost[32], leads[32];
    if (!pair || pair->state != TRI_PAIR_WHOLE)
        return false;
    tri__log_line(c->server->log, TRI_LOG_WARNING, "%s is lost at step %lld; %s goes on, and no update is lost",
                  name_of(pair->away, server, lost), (long long)tri__coordinator_step(c), name_of(!pair->away, server, leads));
    tri__followers_take_over(c, server, pair->twin);
    tri__steps_knows_view(&c->steps, server); /* it was told as its leader was */
    pair->state = TRI_PAIR_ALONE;
    pair->away = !pair->away;
    pair->twin = NULL;
    pair->welcome = false;
    pair->told = true;
    tri__message_send(follower->peer->connection, &(tri__message){.type = TRI_MSG_PROMOTE, .view = pair->number}, false);
    for (int task = 0; task < c->members.tasks; task++)
        if (c->members.member[task].peer)
            tri__message_send_json(c->members.member[task].peer->connection, TRI_MSG_LEADS, leader_json(c, server));
    return true;
}

static tri_status check_hello(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    int64_t replicas = tri__json_integer_of(hello, "replicas", 1);
    if (replicas != (c->pair ? 2 : 1))
        return tri_fail(TRI_BAD_CALL,
                        "ps:%d was started with --replicas %d, and ps:0 with --replicas %d: start all tasks with the same options",
                        peer->task, (int)replicas, c->pair ? 2 : 1);
    return NULL;
}

static tri_status take_address(tri__pair *pair, const json_t *twin)
{
    const char *host = json_string_value(json_object_get(twin, "host"));
    int64_t port = tri__json_integer_of(twin, "port", 0);
    if (!host || strlen(host) >= sizeof pair->host || port < 1 || port > UINT16_MAX)
        return tri_fail(TRI_BAD_DATA, "a twin without an address");
    snprintf(pair->host, sizeof pair->host, "%s", host);
    pair->other = (tri__address){.host = pair->host, .port = (uint16_t)port};
    return NULL;
}

/* Who leads the range, as far as anybody knows, is back; or nobody has led it yet. Then, in a new job, ps:N itself is to. Under a ps:0 that
 * was restarted it is who led before, and one that was a twin waits for it. */
static bool is_to_lead(const tri__coordinator *c, int server, bool away, const json_t *hello)
{
    tri__pair *pair = &c->pair[server];
    const tri__follower *follower = &c->follower[server];
    if (follower->peer)
        return false;
    if (follower->incarnation == 0 && !pair->decided) {
        bool held = json_is_true(json_object_get(hello, "holding"));
        if (!held && json_is_true(json_object_get(hello, "follows")))
            return false;
        pair->away = held && away;
        pair->decided = true;
    }
    return pair->away == away;
}

const tri__peer *tri__pairs_holder(const tri__coordinator *c, int server, const json_t *hello)
{
    bool away = json_object_get(hello, "twin") != NULL;
    return c->pair && c->pair[server].away != away ? c->pair[server].twin : c->follower[server].peer;
}

tri_status tri__pairs_hello(tri__peer *peer, const json_t *hello, bool *leads)
{
    tri__coordinator *c = peer->server->coordinator;
    const json_t *twin = json_object_get(hello, "twin");
    *leads = true;
    TRI_TRY(check_hello(c, peer, hello));
    if (!c->pair)
        return NULL;
    tri__pair *pair = &c->pair[peer->task];
    bool away = twin != NULL;
    tri__follower *follower = &c->follower[peer->task];
    if (follower->peer && pair->away == away) {
        if (follower->incarnation != (int64_t)peer->incarnation)
            return tri_fail(TRI_BAD_CALL, "there is a ps:%d already, at %s: is the same --task started twice?", peer->task,
                            tri__connection_peer(follower->peer->connection));
        tri__peer_replaced(follower->peer); /* its earlier connection has not noticed yet that it is dead */
        tri__followers_gone(c, peer->task);
    }
    if (away)
        TRI_TRY(take_address(pair, twin));
    *leads = is_to_lead(c, peer->task, away, hello);
    if (*leads)
        return NULL;
    if (pair->twin)
        send_away(c, peer->task);
    peer->role = TRI_PEER_TWIN;
    pair->twin = peer;
    pair->twin_away = away;
    pair->told = false;
    if (c->settled)
        welcome_twin(c, peer->task);
    return NULL;
}

void tri__pairs_message(tri__coordinator *c, int server, const tri__message *message)
{
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (!pair || message->view != pair->number)
        return; /* of an earlier pair */
    if (message->type == TRI_MSG_LONE) {
        if (pair->state == TRI_PAIR_ALONE) /* the twin was lost at the same time, and that was told */
            return;
        tell_alone(c, server);
        send_away(c, server);
    } else if (pair->state == TRI_PAIR_FILLING) {
        pair->state = TRI_PAIR_WHOLE;
        tri__log_line(c->server->log, TRI_LOG_INFO, "the range of ps:%d lives on two servers", server);
    }
}

/* Under a ps:0 that was restarted: who led before does not come. The other one is sent away, and leads when it is back. */
static void choose_another(tri__coordinator *c, int server, int64_t now)
{
    tri__pair *pair = &c->pair[server];
    if (pair->decided || !pair->twin || now - pair->twin->greeted < 2 * c->settings->heartbeat)
        return;
    pair->decided = true;
    pair->away = pair->twin_away;
    send_away(c, server);
}

void tri__pairs_check_silent(tri__coordinator *c, int64_t now)
{
    for (int i = 1; c->pair && i < c->settings->servers; i++) {
        choose_another(c, i, now);
        tri__peer *twin = c->pair[i].twin, *leader = c->follower[i].peer;
        if (twin && now - twin->heard > 2 * c->settings->heartbeat) {
            tell_alone(c, i);
            send_away(c, i);
        }
        if (leader && c->pair[i].state == TRI_PAIR_WHOLE && now - leader->heard > 2 * c->settings->heartbeat) {
            tri__peer_replaced(leader);
            tri__followers_gone(c, i);
        }
    }
}
