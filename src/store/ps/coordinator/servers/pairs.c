/* pairs.c: ps:0 decides which of two servers is the primary of a range. */
#include "store/ps/coordinator/servers/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"

tri_status tri__pairs_init(tri__coordinator *c)
{
    if (c->settings->replicas != 2)
        return NULL;
    TRI_TRY(tri__allocate((size_t)c->settings->servers, sizeof *c->pair, "pairs of servers", &c->pair));
    c->pair[0].primary = TRI_PRIMARY_FIRST; /* ps:0 itself, whichever process it is */
    for (int i = 0; i < c->settings->servers; i++)
        c->pair[i].number = c->server->generation; /* so that numbers differ from those of an earlier ps:0 */
    return NULL;
}

void tri__pairs_fini(tri__coordinator *c)
{
    free(c->pair);
}

static bool second_leads(const tri__pair *pair)
{
    return pair->primary == TRI_PRIMARY_SECOND;
}

const tri__address *tri__pairs_address(const tri__coordinator *c, int server)
{
    return c->pair && second_leads(&c->pair[server]) ? &c->pair[server].second : &c->server->options.servers[server];
}

static const tri__address *standby_address(const tri__coordinator *c, int server)
{
    return second_leads(&c->pair[server]) ? &c->server->options.servers[server] : &c->pair[server].second;
}

static json_t *primary_json(const tri__coordinator *c, int server)
{
    const tri__address *at = tri__pairs_address(c, server);
    return json_pack("{s:i, s:s, s:i}", "server", server, "host", at->host, "port", (int)at->port);
}

/* The primaries of all ranges: a worker that comes back may know an earlier primary. */
json_t *tri__pairs_primaries(const tri__coordinator *c)
{
    json_t *list = json_array();
    for (int i = 1; c->pair && i < c->settings->servers; i++)
        json_array_append_new(list, primary_json(c, i));
    return list;
}

tri__peer *tri__pairs_standby(const tri__coordinator *c, int server)
{
    return c->pair && c->pair[server].state >= TRI_PAIR_IDLE ? c->pair[server].standby : NULL;
}

void tri__pairs_greet(const tri__coordinator *c, int server, bool leads, json_t *welcome)
{
    if (!c->pair)
        return;
    json_object_set_new(welcome, "primary", json_boolean(leads));
    json_object_set_new(welcome, "pair", json_integer(c->pair[server].number));
}

/* Notes, for the next process of ps:0, whether the standby of ps:0's range has all updates that were answered. */
static bool note(tri__coordinator *c, uint32_t number)
{
    const tri__server_options *options = &c->server->options;
    tri_status status = options->owner->note ? options->owner->note(options->context, number) : NULL;
    bool well = !status;
    if (status && !number)
        tri__coordinator_fail(c, tri_wrap(status, "the range of ps:0 lives on one server again"));
    else if (status) {
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "a ps:0 in place of this one will begin from a checkpoint: %s",
                      tri_status_message(status));
        tri_status_free(status);
    }
    return well;
}

/* The range of ps:0 itself. Its primary is in this process, and is told by a call. */
static void offer_own(tri__coordinator *c)
{
    tri__pair *pair = &c->pair[0];
    if (pair->state != TRI_PAIR_IDLE || c->server->holds != TRI_HOLDS_ALL || c->recovery.state != TRI_RECOVERY_NONE)
        return;
    pair->state = TRI_PAIR_FILLING;
    pair->filled = -1;
    pair->number++;
    tri__message_send_json(pair->standby->connection, TRI_MSG_PAIR, json_pack("{s:I}", "pair", (json_int_t)pair->number));
    tri__replication_reach(c->server, pair->host, pair->second.port, pair->number);
}

void tri__pairs_offer(tri__coordinator *c, int server)
{
    if (c->pair && server == 0) {
        offer_own(c);
        return;
    }
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (!pair || pair->state != TRI_PAIR_IDLE || c->follower[server].state != TRI_FOLLOWER_HOLDING)
        return;
    const tri__address *at = standby_address(c, server);
    pair->state = TRI_PAIR_FILLING;
    pair->number++;
    tri__message_send_json(pair->standby->connection, TRI_MSG_PAIR, json_pack("{s:I}", "pair", (json_int_t)pair->number));
    tri__message_send_json(c->follower[server].peer->connection, TRI_MSG_PAIR,
                           json_pack("{s:I, s:s, s:i}", "pair", (json_int_t)pair->number, "host", at->host, "port", (int)at->port));
}

/* A standby that is welcomed drops what it holds. If it may yet become the primary, it stays GREETED. */
static void welcome_standby(tri__coordinator *c, int server)
{
    if (c->pair[server].primary == TRI_PRIMARY_UNDECIDED && c->pair[server].standby_holds)
        return;
    c->pair[server].state = TRI_PAIR_IDLE;
    tri__followers_welcome(c, server, c->pair[server].standby);
    tri__pairs_offer(c, server);
}

void tri__pairs_settled(tri__coordinator *c)
{
    if (c->pair && !note(c, 0)) /* what a standby has from an earlier ps:0 is of no use from here on */
        return;
    for (int i = 0; c->pair && i < c->settings->servers; i++)
        if (c->pair[i].state == TRI_PAIR_GREETED)
            welcome_standby(c, i);
}

/* The pair has no standby from here on. Only after that may the primary be told that it is alone. */
static void remove_standby(tri__coordinator *c, int server)
{
    tri__pair *pair = &c->pair[server];
    bool paired = pair->state >= TRI_PAIR_FILLING;
    pair->state = TRI_PAIR_ABSENT;
    pair->standby = NULL;
    if (paired && server == 0 && note(c, 0))
        tri__primary_lead_alone(c->server);
    if (paired && c->follower[server].peer)
        tri__message_send(c->follower[server].peer->connection, &(tri__message){.type = TRI_MSG_LONE, .pair = pair->number}, false);
}

/* The standby may still live: then it connects again, and is filled anew. */
static void dismiss_standby(tri__coordinator *c, int server)
{
    tri__peer *standby = c->pair[server].standby;
    remove_standby(c, server);
    if (standby)
        tri__peer_replaced(standby);
}

static void tell_alone(tri__coordinator *c, int server)
{
    char name[TRI_RANGE_SERVER_NAME];
    if (c->phase == TRI_JOB_RUNNING && !c->pair[server].told)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "%s is gone: the range of ps:%d lives on one server until it is back",
                      tri__range_server_name(!second_leads(&c->pair[server]), server, name), server);
    c->pair[server].told = true;
}

void tri__pairs_standby_gone(tri__coordinator *c, tri__peer *peer)
{
    if (c->pair[peer->task].standby != peer)
        return;
    tell_alone(c, peer->task);
    remove_standby(c, peer->task);
}

/* The standby holds values that are to go back, and may know of steps that are to be made again. An idle standby of a job that has not
 * begun knows nothing of the kind, and may stay. */
void tri__pairs_separate(tri__coordinator *c, int server)
{
    const tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (pair && (pair->state >= TRI_PAIR_FILLING || (pair->state == TRI_PAIR_IDLE && c->phase != TRI_JOB_WAITING)))
        dismiss_standby(c, server);
}

/* The standby has every update that the primary has answered for. It hears of its new role before the workers do, and from then on does not
 * listen to the old primary. */
bool tri__pairs_promote(tri__coordinator *c, int server)
{
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    const tri__follower *follower = &c->follower[server];
    char lost[TRI_RANGE_SERVER_NAME], leads[TRI_RANGE_SERVER_NAME];
    if (!pair || pair->state != TRI_PAIR_WHOLE)
        return false;
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "%s is lost at step %lld; %s goes on, and no update is lost",
                  tri__range_server_name(second_leads(pair), server, lost), (long long)tri__coordinator_step(c),
                  tri__range_server_name(!second_leads(pair), server, leads));
    tri__coordinator_notice(c, TRI_PS_LEFT, "ps", server, "%s goes on, and no update is lost", leads);
    tri__followers_take_over(c, server, pair->standby);
    tri__steps_knows_view(&c->steps, server); /* as a standby it was told all views */
    pair->state = TRI_PAIR_ABSENT;
    pair->primary = second_leads(pair) ? TRI_PRIMARY_FIRST : TRI_PRIMARY_SECOND;
    pair->standby = NULL;
    pair->told = true;
    tri__message_send(follower->peer->connection, &(tri__message){.type = TRI_MSG_PROMOTE, .pair = pair->number}, false);
    for (int task = 0; task < c->members.tasks; task++)
        if (c->members.member[task].peer)
            tri__message_send_json(c->members.member[task].peer->connection, TRI_MSG_PRIMARY, primary_json(c, server));
    return true;
}

static tri_status take_address(tri__pair *pair, const json_t *second)
{
    const char *host = json_string_value(json_object_get(second, "host"));
    int64_t port = tri__json_integer_of(second, "port", 0);
    if (!host || strlen(host) >= sizeof pair->host || port < 1 || port > UINT16_MAX)
        return tri_fail(TRI_BAD_DATA, "a second server without an address");
    snprintf(pair->host, sizeof pair->host, "%s", host);
    pair->second = (tri__address){.host = pair->host, .port = (uint16_t)port};
    return NULL;
}

/* Is the server that says hello the primary of its range? If that is undecided: a server that holds its range was the primary before ps:0
 * was restarted, and stays the primary. If it is paired, the other one may have taken its place without its knowledge: then it waits for
 * the other one. After such a restart, a server that does not hold its range waits for the other one, which may hold it; if neither does,
 * the one that comes last is the primary. In a new job the primary is ps:N. */
static bool is_to_lead(const tri__coordinator *c, int server, bool is_second, const json_t *hello)
{
    tri__pair *pair = &c->pair[server];
    const tri__follower *follower = &c->follower[server];
    if (follower->peer)
        return false;
    if (pair->primary == TRI_PRIMARY_UNDECIDED) {
        bool held = json_is_true(json_object_get(hello, "holding")), sure = held && !json_is_true(json_object_get(hello, "paired"));
        bool again = c->server->options.recovers || json_is_true(json_object_get(hello, "standby"));
        bool both = pair->standby && pair->standby_is_second != is_second;
        if (!sure && again && !both)
            return false;
        if (both && !held && pair->standby_holds) { /* the other one leads, when it connects again */
            pair->primary = is_second ? TRI_PRIMARY_FIRST : TRI_PRIMARY_SECOND;
            return false;
        }
        pair->primary = is_second && (held || again) ? TRI_PRIMARY_SECOND : TRI_PRIMARY_FIRST;
    }
    return second_leads(pair) == is_second;
}

const tri__peer *tri__pairs_holder(const tri__coordinator *c, int server, const json_t *hello)
{
    const tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    bool is_second = json_object_get(hello, "second") != NULL;
    if (pair && pair->standby && pair->standby_is_second == is_second)
        return pair->standby;
    return pair && second_leads(pair) != is_second ? NULL : c->follower[server].peer;
}

tri_status tri__pairs_hello(tri__peer *peer, const json_t *hello, bool *leads)
{
    tri__coordinator *c = peer->server->coordinator;
    const json_t *second = json_object_get(hello, "second");
    *leads = true;
    if (!c->pair)
        return NULL;
    tri__pair *pair = &c->pair[peer->task];
    bool is_second = second != NULL;
    tri__follower *follower = &c->follower[peer->task];
    if (follower->peer && second_leads(pair) == is_second) {
        if (follower->incarnation != (int64_t)peer->incarnation)
            return tri_fail(TRI_BAD_CALL, "there is a ps:%d already, at %s: is the same --task started twice?", peer->task,
                            tri__connection_peer(follower->peer->connection));
        tri__peer_replaced(follower->peer); /* its earlier connection has not noticed yet that it is dead */
        tri__followers_gone(c, peer->task);
    }
    if (is_second)
        TRI_TRY(take_address(pair, second));
    if (peer->task == 0)
        tri__handover_greeted(c, hello);
    *leads = is_to_lead(c, peer->task, is_second, hello);
    if (*leads && c->settled && pair->state == TRI_PAIR_GREETED)
        welcome_standby(c, peer->task);
    if (*leads)
        return NULL;
    if (pair->standby)
        dismiss_standby(c, peer->task);
    peer->role = TRI_PEER_STANDBY;
    pair->state = TRI_PAIR_GREETED;
    pair->standby = peer;
    pair->standby_is_second = is_second;
    pair->standby_holds = json_is_true(json_object_get(hello, "holding"));
    pair->told = false;
    if (c->settled)
        welcome_standby(c, peer->task);
    return NULL;
}

static void become_whole(tri__coordinator *c, int server)
{
    c->pair[server].state = TRI_PAIR_WHOLE;
    if (server == 0)
        note(c, c->pair[server].number);
    tri__log_line(c->server->options.log, TRI_LOG_INFO, "the range of ps:%d lives on two servers", server);
}

/* All other servers have made at least all steps but the last one. */
void tri__pairs_stepped(tri__coordinator *c)
{
    const tri__pair *pair = c->pair;
    int64_t step = tri__coordinator_step(c), made = step > 0 ? step - 1 : 0;
    if (pair && pair->state == TRI_PAIR_FILLING && pair->filled >= 0 && (c->settings->mode != TRI_PS_SYNC || made >= pair->filled))
        become_whole(c, 0);
}

void tri__pairs_message(tri__coordinator *c, int server, const tri__message *message)
{
    tri__pair *pair = c->pair ? &c->pair[server] : NULL;
    if (!pair || message->pair != pair->number)
        return; /* it is about an earlier pair */
    if (message->type == TRI_MSG_LONE) {
        if (pair->state < TRI_PAIR_FILLING) /* ps:0 has lost the standby meanwhile, and has told the primary so */
            return;
        tell_alone(c, server);
        dismiss_standby(c, server);
    } else if (pair->state == TRI_PAIR_FILLING && server == 0) {
        pair->filled = tri__stretch_highest(c->server->stretch);
        tri__pairs_stepped(c);
    } else if (pair->state == TRI_PAIR_FILLING) {
        become_whole(c, server);
    }
}

/* ps:0 was restarted, and the server that was the primary before does not come. ps:0 dismisses the other server, which becomes the primary
 * when it connects again. With it the range goes back to the last checkpoint. So in async ps:0 is patient, and in sync as long as nothing
 * else makes the job go back. */
static void choose_another(tri__coordinator *c, int server, int64_t now)
{
    tri__pair *pair = &c->pair[server];
    bool patient = c->server->options.recovers && c->settings->mode != TRI_PS_SYNC;
    int64_t longest = patient ? tri__handover_patience(c) : 2 * c->settings->heartbeat;
    if (pair->primary != TRI_PRIMARY_UNDECIDED || !pair->standby || now - pair->standby->greeted < longest || tri__handover_is_awaited(c))
        return;
    pair->primary = pair->standby_is_second ? TRI_PRIMARY_SECOND : TRI_PRIMARY_FIRST;
    dismiss_standby(c, server);
}

void tri__pairs_check_silent(tri__coordinator *c, int64_t now)
{
    for (int i = 0; c->pair && i < c->settings->servers; i++) {
        choose_another(c, i, now);
        tri__peer *standby = c->pair[i].standby, *primary = c->follower[i].peer;
        if (standby && now - standby->heard > 2 * c->settings->heartbeat) {
            tell_alone(c, i);
            dismiss_standby(c, i);
        }
        if (primary && c->pair[i].state == TRI_PAIR_WHOLE && now - primary->heard > 2 * c->settings->heartbeat) {
            tri__peer_replaced(primary);
            tri__followers_gone(c, i);
        }
    }
}
