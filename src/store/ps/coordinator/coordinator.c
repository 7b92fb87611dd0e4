/* coordinator.c: the course of a job.
 *
 * The job waits for the first worker, which says what to train, for the other servers (followers.c), and in sync for all workers
 * (members.c). Then it runs: ps:0 hands out tokens (steps.c) and takes snapshots (snapshot.c). It stops when the tokens are used up, when
 * an evaluation is good enough, or when the owner asks: workers end their steps and report; the last snapshot is evaluated and saved. */
#include "store/ps/coordinator/coordinator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/coordinator/snapshot/snapshot_writer.h"
#include "store/ps/coordinator/workers/stragglers.h"
#include "store/ps/coordinator/workers/welcome.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"

static void enter(tri__coordinator *c, tri__job_phase phase)
{
    c->phase = phase;
    c->since = tri__clock_now();
}

bool tri__coordinator_ends(const tri__coordinator *c)
{
    return c->ending >= TRI_ENDING_ASKED;
}

void tri__coordinator_end_for(tri__coordinator *c, tri__job_ending why)
{
    c->ending = why > c->ending ? why : c->ending;
    if (why == TRI_ENDING_ASKED && !c->asked)
        c->asked = tri__clock_now();
}

void tri__coordinator_fail(tri__coordinator *c, tri_status why)
{
    tri__server_say_bye(c->server, tri_status_message(why));
    tri__server_end(c->server, why);
}

tri_status tri__coordinator_create(tri__server *server, tri__coordinator **out)
{
    tri__coordinator *c;
    TRI_TRY(tri__allocate(1, sizeof *c, "a coordinator", &c));
    *out = c;
    c->server = server;
    c->settings = &server->options.settings;
    tri__snapshot_init(&c->snapshot);
    /* Each process begins with a generation of its own, so that pushes to an earlier process are void. */
    server->generation = (uint32_t)(tri__key_split(tri__key_of((uint64_t)tri__clock_now()), (uint64_t)(tri__clock_wall() * 1e6)).word) | 1u;
    enter(c, TRI_JOB_WAITING);
    TRI_TRY(tri__members_init(&c->members));
    TRI_TRY(tri__pairs_init(c));
    return tri__allocate((size_t)c->settings->servers, sizeof *c->follower, "the other servers", &c->follower);
}

void tri__coordinator_destroy(tri__coordinator *c)
{
    if (!c)
        return;
    tri__snapshot_end_writer(c);
    tri__snapshot_fini(&c->snapshot);
    tri__handover_fini(&c->handover);
    tri__members_fini(&c->members);
    tri__tokens_destroy(c->tokens);
    tri__pairs_fini(c);
    free(c->follower);
    free(c);
}

int64_t tri__coordinator_step(const tri__coordinator *c)
{
    return c->tokens ? tri__tokens_steps(c->tokens) : 0;
}

double tri__coordinator_seconds(const tri__coordinator *c)
{
    return c->started ? tri__clock_seconds((c->stopped ? c->stopped : tri__clock_now()) - c->started) : 0;
}

static void name_missing(const tri__coordinator *c, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 1; i < c->settings->servers && used + 16 < size; i++)
        if (!c->follower[i].peer)
            used += (size_t)snprintf(text + used, size - used, " ps:%d", i);
    for (int task = 0; task < TRI_MOST_TASKS && used + 24 < size; task++)
        if (tri__welcome_is_awaited(c, task))
            used += (size_t)snprintf(text + used, size - used, " worker:%d", task);
}

/* How long the job waits for missing workers. An async job waits for two heartbeats only, since a worker can join later. In sync all
 * workers make every step, so the job waits until the timeout, also after ps:0 was restarted: a surviving worker reconnects at once, but it
 * may be stopped. A restarted ps:0 waits for two heartbeats only if the job can do without the missing workers: no more steps are to be
 * made, or no more workers are missing than there are backup workers. */
static int64_t patience_of(const tri__coordinator *c, int missing)
{
    bool again = c->server->options.recovers, dispensable = c->ending == TRI_ENDING_FORETOLD || missing <= c->settings->backup;
    bool patient = c->settings->mode == TRI_PS_SYNC && !(again && dispensable);
    return patient ? c->settings->timeout : 2 * c->settings->heartbeat;
}

/* All expected workers begin together. */
static void start(tri__coordinator *c)
{
    int ready = tri__members_ready(&c->members), missing = tri__members_missing(&c->members);
    if (!tri__followers_hold(c) || ready == 0)
        return;
    int64_t now = tri__clock_now(), patience = patience_of(c, missing);
    if (!c->first_ready)
        c->first_ready = now;
    if (missing && now - c->first_ready < patience)
        return;
    char names[256] = "";
    name_missing(c, names, sizeof names);
    if (missing)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "%d of %d workers have come within %.0f s: beginning with these, without%s",
                      ready, ready + missing, tri__clock_seconds(patience), names);
    enter(c, TRI_JOB_RUNNING);
    c->started = c->since;
    if (c->ending == TRI_ENDING_FORETOLD)
        c->ending = TRI_ENDING_ASKED;
    tri__snapshot_start(c);
    tri__steps_start(&c->steps, c->since);
}

static void stop(tri__coordinator *c)
{
    enter(c, TRI_JOB_STOPPING);
    c->stopped = c->since;
    tri__log_line(c->server->options.log, TRI_LOG_DEBUG, "stopping at step %" PRId64 ": waiting for what the workers report",
                  tri__coordinator_step(c));
    tri__members_tell(&c->members, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)});
}

void tri__coordinator_notice(const tri__coordinator *coordinator, tri__ps_event event, const char *role, int index, const char *format, ...)
{
    const tri__server_options *options = &coordinator->server->options;
    if (!options->owner->noticed)
        return;
    char task[32], note[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    snprintf(task, sizeof task, "%s:%d", role, index);
    options->owner->noticed(options->context, event, task, tri__coordinator_step(coordinator), note);
}

static tri_status conclude(tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    tri__ps_status status;
    if (!options->owner->conclude)
        return NULL;
    tri__coordinator_status(c->server, &status);
    tri_status failed = options->owner->conclude(options->context, &status);
    json_decref(status.reports);
    return failed;
}

static void finish(tri__coordinator *c)
{
    tri_status failed = conclude(c);
    if (failed) {
        tri__coordinator_fail(c, failed);
        return;
    }
    tri__server_say_bye(c->server, NULL);
    tri__server_end(c->server, NULL);
}

static void close_job(tri__coordinator *c)
{
    enter(c, TRI_JOB_CLOSING);
    tri__stretch_close(c->server->stretch);
    tri__snapshot_take_last(c);
}

void tri__coordinator_reopen(tri__coordinator *c)
{
    if (c->phase == TRI_JOB_CLOSING && tri__snapshot_idle(&c->snapshot))
        c->phase = TRI_JOB_STOPPING;
}

/* If a server is lost, its part, or in sync the whole model, goes back to the last checkpoint, and a worker that was told to stop makes no
 * more steps. So ps:0 saves the last step before it tells workers to stop; true until it is saved. If a snapshot was good enough, that
 * snapshot is the model, and there is nothing to save. */
static bool keeps_last_step(tri__coordinator *c)
{
    if (c->ending == TRI_ENDING_ENOUGH || tri__coordinator_step(c) == c->snapshot.kept)
        return false;
    if (tri__snapshot_idle(&c->snapshot) && tri__followers_hold(c))
        tri__snapshot_begin(c, TRI_FOR_CHECKPOINT);
    return true;
}

static void run_on(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC;
    if (!tri__steps_is_between(&c->steps))
        return; /* in the middle of a step */
    if (tri__coordinator_ends(c) || tri__tokens_finished(c->tokens)) {
        if (!(sync && tri__snapshot_holds_up(c)) && !keeps_last_step(c))
            stop(c);
        return;
    }
    unsigned purpose = tri__snapshot_due(c);
    if (purpose) {
        if (tri__snapshot_idle(&c->snapshot) && tri__followers_hold(c))
            tri__snapshot_begin(c, purpose);
        else if (sync && !c->snapshot.overdue)
            return; /* the last one is still being evaluated, or a server is gone */
    }
    if (!sync) {
        tri__steps_grant_all(c);
        return;
    }
    if (c->recovery.state == TRI_RECOVERY_NONE && tri__followers_hold(c) && !tri__snapshot_holds_up(c) && tri__steps_may_go_on(c) &&
        tri__steps_renew_view(c))
        tri__steps_issue(c, false);
}

void tri__coordinator_go_on(tri__coordinator *c)
{
    if (c->server->done || c->deciding)
        return; /* called from inside a decision, which goes on by itself */
    c->deciding = true;
    tri__recovery_go_on(c);
    if (c->phase == TRI_JOB_WAITING)
        start(c);
    if (c->phase == TRI_JOB_RUNNING)
        run_on(c);
    if (c->phase == TRI_JOB_STOPPING && tri__members_reported(&c->members) && tri__snapshot_idle(&c->snapshot) && tri__followers_hold(c))
        close_job(c);
    if (c->phase == TRI_JOB_CLOSING && tri__snapshot_idle(&c->snapshot))
        finish(c);
    c->deciding = false;
}

static tri_status take_up(tri__coordinator *c)
{
    tri__server *server = c->server;
    tri__snapshot_fill_own(c);
    tri__stretch_reset(server->stretch, c->snapshot.standing.step);
    TRI_TRY(tri__tokens_create(c->settings, &c->job.work, &c->snapshot.standing, &c->tokens));
    tri__books_begin(c);
    tri__members_expect(c);
    c->settled = true;
    server->holds = TRI_HOLDS_ALL;
    tri__followers_settled(c);
    return NULL;
}

void tri__coordinator_take_up(tri__coordinator *c)
{
    tri_status status = take_up(c);
    if (status)
        tri__coordinator_fail(c, status);
    else
        tri__welcome_admit(c);
}

static tri_status settle(tri__coordinator *c, const json_t *hello)
{
    tri__server *server = c->server;
    const tri__server_options *options = &server->options;
    TRI_TRY(options->owner->settle(options->context, hello, &c->job));
    TRI_TRY(tri__layout_init(&server->layout, c->job.floats, &c->job.tables, c->settings->servers));
    TRI_TRY(tri__stretch_create(&server->layout, 0, &c->job.rule, c->settings, &server->stretch));
    tri__primary_watch(server);
    TRI_TRY(tri__snapshot_load(c));
    return tri__handover_begin(c) ? NULL : take_up(c);
}

static void worker_hello(tri__peer *peer, json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    peer->hello = json_incref(hello);
    bool settled = c->settled || c->handover.state != TRI_HANDOVER_NONE;
    tri_status unsettled = settled ? NULL : settle(c, hello);
    if (unsettled) /* it would fail with every other worker, too */
        tri__coordinator_fail(c, unsettled);
    else
        tri__welcome_admit(c);
}

/* The connection that has the place of this server or evaluator; NULL: the place is free, or peer is a worker. */
static const tri__peer *find_holder(const tri__coordinator *c, const tri__peer *peer, const char *role, const json_t *hello)
{
    if (!strcmp(role, "evaluator"))
        return c->evaluator.peer;
    return !strcmp(role, "server") && peer->task < c->settings->servers ? tri__pairs_holder(c, peer->task, hello) : NULL;
}

tri_status tri__coordinator_hello(tri__peer *peer, json_t *hello)
{
    const tri__coordinator *c = peer->server->coordinator;
    const char *role = json_string_value(json_object_get(hello, "role"));
    tri_status status = NULL;
    if (tri__peer_in_doubt(peer, find_holder(c, peer, role, hello)))
        peer->hello = json_incref(hello);
    else if (!strcmp(role, "server"))
        status = tri__followers_hello(peer, hello);
    else if (!strcmp(role, "evaluator"))
        status = tri__evaluator_hello(peer, hello);
    else if (!strcmp(role, "join"))
        tri__welcome_invite(peer);
    else if (!strcmp(role, "worker"))
        worker_hello(peer, hello);
    else
        status = tri_fail(TRI_BAD_CALL, "there is no role %.32s", role);
    json_decref(hello);
    return status;
}

/* Takes the servers and evaluators that had to wait; welcome.c takes the workers. */
static void admit_doubtful(tri__coordinator *c)
{
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next) {
        json_t *hello = peer->hello;
        const char *role = json_string_value(json_object_get(hello, "role"));
        if (!role || !strcmp(role, "worker"))
            continue;
        peer->hello = NULL;
        tri_status status = tri__coordinator_hello(peer, hello);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

void tri__coordinator_gone(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->role == TRI_PEER_SERVER && c->follower[peer->task].peer == peer)
        tri__followers_gone(c, peer->task);
    if (peer->role == TRI_PEER_STANDBY)
        tri__pairs_standby_gone(c, peer);
    tri__handover_check(c, tri__clock_now());
    if (peer->role == TRI_PEER_EVALUATOR)
        tri__evaluator_disconnected(c, peer);
    if (peer->role == TRI_PEER_WORKER)
        tri__member_disconnected(c, peer);
}

tri_status tri__coordinator_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__coordinator *c = peer->server->coordinator;
    bool worker = peer->role == TRI_PEER_WORKER, server = peer->role == TRI_PEER_SERVER, evaluator = peer->role == TRI_PEER_EVALUATOR;
    if (!c->settled)
        return tri__handover_message(peer, message, body);
    if (message->type == TRI_MSG_READY && worker)
        return tri__member_ready(c, peer, message);
    if (message->type == TRI_MSG_REPORT && worker)
        tri__member_report(c, peer, body);
    else if (message->type == TRI_MSG_BYE && worker)
        tri__member_bye(c, peer, body);
    else if (message->type == TRI_MSG_BYE && (server || peer->role == TRI_PEER_STANDBY))
        tri__followers_bye(c, peer);
    else if (message->type == TRI_MSG_RESTORED && server)
        tri__followers_restored(c, peer->task, message);
    else if ((message->type == TRI_MSG_FILLED || message->type == TRI_MSG_LONE) && server)
        tri__pairs_message(c, peer->task, message);
    else if (message->type == TRI_MSG_SEEN && server)
        tri__steps_seen(c, peer->task, message);
    else if (message->type == TRI_MSG_COPIED && server)
        return tri__snapshot_copied(c, peer->task, message);
    else if (message->type == TRI_MSG_PUSHED && server)
        return tri__snapshot_pushed(c, peer->task, body);
    else if (message->type == TRI_MSG_KEYS && server)
        return tri__snapshot_received_keys(peer, message);
    else if (message->type == TRI_MSG_COPY && server)
        return tri__snapshot_received(peer, message);
    else if (message->type == TRI_MSG_NORM && server)
        tri__steps_norm(c, peer, message);
    else if (message->type == TRI_MSG_PULL && evaluator)
        return tri__snapshot_pulled(peer, message);
    else if (message->type == TRI_MSG_EVALUATED && evaluator)
        return tri__snapshot_evaluated(c, body);
    else if (message->type == TRI_MSG_BYE && evaluator)
        tri__evaluator_bye(c, json_string_value(json_object_get(body, "reason")));
    else
        return tri_fail(TRI_BAD_DATA, "a %s that ps:0 does not take from it", tri__message_name(message->type));
    return NULL;
}

static void check_waiting(tri__coordinator *c, int64_t now)
{
    if (c->phase != TRI_JOB_WAITING)
        return;
    char missing[256] = "";
    name_missing(c, missing, sizeof missing);
    if (!c->told_waiting && now - c->since > 2 * c->settings->heartbeat) {
        c->told_waiting = true;
        if (*missing)
            tri__log_line(c->server->options.log, TRI_LOG_INFO, "waiting for%s", missing);
    }
    if (now - c->since > c->settings->timeout && tri__members_ready(&c->members) == 0)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "nothing has begun within %.0f s (--timeout): waiting for%s",
                                          tri__clock_seconds(c->settings->timeout), missing));
}

/* If a snapshot was good enough, it is the model. Steps made after it are not in the model. */
bool tri__coordinator_ends_with_snapshot(const tri__coordinator *c)
{
    return c->ending == TRI_ENDING_ENOUGH && tri__snapshot_is_last(&c->snapshot);
}

static void find_latest(const tri__server *server, tri__ps_status *status)
{
    status->late.task = -1;
    for (int i = 0; i < TRI_MOST_TASKS; i++) {
        const double seconds = tri__clock_seconds(server->late[i]);
        status->late.all += seconds;
        if (seconds > status->late.seconds) {
            status->late.task = i;
            status->late.seconds = seconds;
        }
    }
}

void tri__coordinator_status(tri__server *server, tri__ps_status *status)
{
    tri__coordinator *c = server->coordinator;
    tri__losses losses = tri__books_losses(c);
    *status =
        (tri__ps_status){.reports = tri__members_reports(c), .lost = losses.lost, .dropped = losses.dropped, .re_leased = losses.re_leased};
    status->step = tri__coordinator_ends_with_snapshot(c) ? c->snapshot.standing.step : tri__coordinator_step(c);
    status->workers = tri__members_connected(&c->members);
    status->straggler = c->members.straggler[0] ? c->members.straggler : NULL;
    status->holds_up = c->members.straggler_holds_up;
    find_latest(server, status);
    status->before = c->handover.seconds;
    status->seconds = status->before + tri__coordinator_seconds(c);
}

void tri__coordinator_show(tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    tri__ps_status status;
    tri__coordinator_status(c->server, &status);
    if (options->owner->watch(options->context, &status) || *options->stop)
        tri__coordinator_end_for(c, TRI_ENDING_ASKED);
    json_decref(status.reports);
}

void tri__coordinator_tick(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    const tri__server_options *options = &server->options;
    int64_t now = tri__clock_now();
    tri__snapshot_tick(c);
    tri__handover_check(c, now);
    admit_doubtful(c);
    tri__welcome_admit(c);
    tri__members_check_gone(c, now);
    tri__stragglers_check(c, now);
    check_waiting(c, now);
    tri__members_check_nobody(c, now);
    tri__pairs_check_silent(c, now);
    tri__followers_check(c, now);
    tri__evaluator_check(c, now);
    if (server->done)
        return;
    tri__snapshot_check_time(c, now);
    tri__coordinator_show(c);
    bool begun = c->phase != TRI_JOB_WAITING || options->recovers; /* a job that has begun ends in good order later */
    if (tri__coordinator_ends(c) && !begun)
        tri__coordinator_fail(c, tri_fail(TRI_STOPPED, "stopped before training began"));
    tri__coordinator_go_on(c);
    if (!server->done)
        tri__followers_let_go(c);
}
