/* welcome.c: a worker says hello. ps:0 compares what it trains with the job, and welcomes it when all servers hold their ranges. */
#include "store/ps/coordinator/workers/welcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/task.h"
#include "data/source/digest.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"

/* Who said what the job trains: "ps:0", "worker:2, which came first". */
static const char *definer(const tri__coordinator *c, char text[48])
{
    if (c->job.settled_by < 0)
        return "ps:0";
    snprintf(text, 48, "worker:%d, which came first", c->job.settled_by);
    return text;
}

/* What a worker computes depends on its settings, and its rate on how many workers there are. */
static tri_status compare_settings(const tri__coordinator *c, int task, const json_t *hello)
{
    char name[TRI_TASK_SIZE];
    const int64_t workers = tri__json_integer_of(hello, "workers", 0);
    TRI_TRY(tri__ps_settings_agree(c->settings, tri__task_name((tri__task){TRI_ROLE_WORKER, task}, name),
                                   json_string_value(json_object_get(hello, "settings"))));
    if (workers != c->settings->workers)
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d was started as one of %" PRId64 " workers, and the job has %d: start all tasks with the "
                        "same cluster",
                        task, workers, c->settings->workers);
    return NULL;
}

/* Does this worker train what the others train? */
static tri_status compare(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    const char *digest = json_string_value(json_object_get(hello, "digest"));
    char first[48];
    int64_t batch = tri__json_integer_of(hello, "batch", 0), examples = tri__json_integer_of(hello, "examples", 0);
    if (!digest || strcmp(digest, c->job.digest))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has another model than the job, or other shapes (digest %.12s, not %.12s as %s): "
                        "start all tasks with the same model and data",
                        peer->task, digest ? digest : "missing", c->job.digest, definer(c, first));
    if (json_is_true(json_object_get(hello, "own_files")) != c->job.own_files)
        return tri_fail(TRI_BAD_CALL, "worker:%d reads %s, and the job does not: start all tasks with the same --shard", peer->task,
                        c->job.own_files ? "the examples that all share" : "files of its own");
    if (batch != c->job.work.batch || (!c->job.own_files && examples != c->job.work.examples))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has %" PRId64 " examples in batches of %" PRId64 ", %s has %" PRId64 " in batches of %" PRId64
                        ": start all tasks with the same options",
                        peer->task, examples, batch, definer(c, first), c->job.work.examples, c->job.work.batch);
    TRI_TRY(compare_settings(c, peer->task, hello));
    const char *terms = json_string_value(json_object_get(hello, "terms"));
    if (!terms || strcmp(terms, c->job.terms) != 0)
        return tri_fail(TRI_BAD_CALL, "worker:%d trains with %.1023s, and the job with %s: start all tasks with the same options",
                        peer->task, terms ? terms : "no rate", c->job.terms);
    const char *data = json_string_value(json_object_get(hello, "data"));
    if (tri__data_differs(data ? data : "", c->job.data))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has other examples than %s (digest %.15s, not %s), though as many of the same "
                        "shape: start all tasks on the same data",
                        peer->task, definer(c, first), data, c->job.data);
    return NULL;
}

/* True for a worker that waits for its welcome. Servers and evaluators may have to wait too. */
static bool awaits_welcome(const tri__peer *peer)
{
    const char *role = json_string_value(json_object_get(peer->hello, "role"));
    return role && !strcmp(role, "worker");
}

/* A second process under the task number of a connected worker is a mistake. If the worker is not connected, the process replaces it. */
static tri_status replace_before(tri__coordinator *c, tri__peer *peer)
{
    tri__member *member = &c->members.member[peer->task];
    bool same = member->state != TRI_MEMBER_NONE && member->incarnation == peer->incarnation;
    if (member->peer && !same)
        return tri_fail(TRI_BAD_CALL, "there is a worker:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(member->peer->connection));
    if (member->peer) /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(member->peer);
    if (!same && member->state != TRI_MEMBER_NONE)
        tri__member_leave(c, peer->task, "was replaced by another process");
    if (!same) {
        tri__stretch_welcome(c->server->stretch, peer->task);
        c->server->welcomed[peer->task] = peer->incarnation;
        tri__primary_met(c->server, peer->task);
        *member = (tri__member){.incarnation = peer->incarnation, .report = member->report};
    }
    return NULL;
}

static tri_status admit(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    TRI_TRY(compare(c, peer, hello));
    TRI_TRY(replace_before(c, peer));
    TRI_TRY(tri__peer_equip(peer));
    tri__books_count_taken_back(c, peer->task, hello);
    if (c->phase == TRI_JOB_WAITING && json_is_true(json_object_get(hello, "stopped")))
        tri__coordinator_end_for(c, TRI_ENDING_FORETOLD);
    tri__member *member = &c->members.member[peer->task];
    member->peer = peer;
    member->gone = 0;
    if (member->state == TRI_MEMBER_NONE)
        member->state = TRI_MEMBER_WELCOMED;
    peer->role = TRI_PEER_WORKER;
    peer->server->worker[peer->task] = peer;
    tri__members_count_in(&c->members, peer->task);
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:o, s:I, s:b, s:I, s:I, s:o}", "floats", (json_int_t)c->job.floats, "tables",
                                     tri__tables_json(&c->job.tables), "generation", (json_int_t)peer->server->generation, "member",
                                     member->state >= TRI_MEMBER_READY, "step", (json_int_t)tri__coordinator_step(c), "done",
                                     (json_int_t)c->books.share[peer->task].steps, "primaries", tri__pairs_primaries(c)));
    for (int i = 0; i < member->tokens; i++) /* its tokens may have been lost on the way */
        tri__steps_send_token(peer, &member->token[i], false);
    if (c->phase >= TRI_JOB_STOPPING)
        tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)}, false);
    return NULL;
}

/* A task number that nobody has. Numbers are given in turn, so that two workers that ask at once get different ones. */
static int free_number(tri__coordinator *c)
{
    int first = c->settings->workers;
    for (int i = first; i < TRI_MOST_TASKS; i++) {
        c->members.invited = c->members.invited >= first && c->members.invited + 1 < TRI_MOST_TASKS ? c->members.invited + 1 : first;
        if (c->members.member[c->members.invited].state == TRI_MEMBER_NONE)
            break;
    }
    return c->members.invited;
}

void tri__welcome_invite(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    json_t *servers = json_array();
    for (int i = 0; i < c->settings->servers; i++) {
        const tri__address *address = tri__pairs_address(c, i);
        json_array_append_new(servers, json_sprintf(strchr(address->host, ':') ? "[%s]:%u" : "%s:%u", address->host, address->port));
    }
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:i, s:i, s:s, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:o}", "task", free_number(c), "workers",
                                     c->settings->workers, "mode", tri__ps_mode_name(c->settings->mode), "staleness",
                                     c->settings->staleness, "backup", c->settings->backup, "replicas", c->pair ? 2 : 1, "sum",
                                     c->settings->sum, "static", c->settings->fixed_parts, "fp16", c->settings->half_rows, "dense",
                                     c->settings->dense_rows, "servers", servers));
}

void tri__welcome_admit(tri__coordinator *c)
{
    if (!tri__followers_hold(c))
        return;
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next) {
        json_t *hello = peer->hello;
        if (!awaits_welcome(peer) || tri__peer_in_doubt(peer, c->members.member[peer->task].peer))
            continue;
        peer->hello = NULL;
        tri_status status = admit(peer, hello);
        json_decref(hello);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

/* While ps:0 still waits for servers, a worker that has come is not awaited: ps:0 has not welcomed it yet. */
bool tri__welcome_is_awaited(const tri__coordinator *c, int task)
{
    const tri__member *member = &c->members.member[task];
    if (c->settled ? !c->members.expected[task] : task >= c->settings->workers)
        return false;
    for (const tri__peer *peer = c->server->peers; peer && !tri__followers_hold(c); peer = peer->next)
        if (peer->task == task && awaits_welcome(peer))
            return false;
    return !member->peer || member->state < TRI_MEMBER_READY;
}

bool tri__welcome_is_due(const tri__coordinator *c, int task)
{
    for (const tri__peer *peer = c->server->peers; peer; peer = peer->next)
        if (peer->task == task && awaits_welcome(peer) && peer->incarnation == c->members.member[task].incarnation)
            return true;
    return false;
}
