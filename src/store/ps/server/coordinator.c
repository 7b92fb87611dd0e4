/* coordinator.c: the course of a job.
 *
 * It waits for the first worker, which tells what is trained, for the other servers (followers.c), and in sync for all workers (members.c).
 * Then it runs: tokens are handed out (steps.c) and snapshots taken (snapshot.c). It stops when the tokens are used up, when an evaluation
 * says so or when it is asked to: workers end their steps and report, and the last snapshot is evaluated and saved. */
#include "store/ps/server/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

static void enter(tri__coordinator *c, tri__job_phase phase)
{
    c->phase = phase;
    c->since = tri__clock_now();
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
    c->copied_step = c->written = -1;
    /* Another one after each start: what was pushed to an earlier process is void. */
    server->generation = (uint32_t)(tri__key_split(tri__key_of((uint64_t)tri__clock_now()), (uint64_t)(tri__clock_wall() * 1e6)).word) | 1u;
    enter(c, TRI_JOB_WAITING);
    TRI_TRY(tri__members_init(&c->members));
    return tri__allocate((size_t)c->settings->servers, sizeof *c->follower, "the other servers", &c->follower);
}

void tri__coordinator_destroy(tri__coordinator *c)
{
    if (!c)
        return;
    tri__snapshot_fini(c);
    tri__members_fini(&c->members);
    tri__tokens_destroy(c->tokens);
    free(c->follower);
    free(c);
}

int64_t tri__coordinator_step(const tri__coordinator *c)
{
    return c->tokens ? tri__tokens_steps(c->tokens) : 0;
}

/* All workers that are expected begin together. In sync that is waited for as long as anything is;
 * in async a latecomer may as well join. */
static void start(tri__coordinator *c)
{
    int ready = tri__members_ready(&c->members), wanted = c->settings->workers;
    if (!tri__followers_hold(c) || ready == 0)
        return;
    bool patient =
        c->settings->mode == TRI_PS_SYNC && !c->server->options.recovers; /* to a ps:0 in another's place who lives comes at once */
    int64_t now = tri__clock_now(), patience = patient ? c->settings->timeout : 2 * c->settings->heartbeat;
    if (!c->first_ready)
        c->first_ready = now;
    if (ready < wanted && now - c->first_ready < patience)
        return;
    if (ready < wanted)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "%d of %d workers have come within %.0f s: beginning with these", ready, wanted,
                      tri__clock_seconds(patience));
    enter(c, TRI_JOB_RUNNING);
    c->started = c->moved = c->since;
    c->stop_wanted |= c->was_stopping;
    c->next_checkpoint = c->since + c->job.checkpoint_period;
    c->changed = true;
}

static void stop(tri__coordinator *c)
{
    enter(c, TRI_JOB_STOPPING);
    c->stopped = c->since;
    tri__log_line(c->server->log, TRI_LOG_DEBUG, "stopping at step %" PRId64 ": waiting for what the workers report",
                  tri__coordinator_step(c));
    tri__members_tell(&c->members, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)});
}

static void finish(tri__coordinator *c)
{
    tri__server_say_bye(c->server, NULL);
    tri__server_end(c->server, NULL);
}

/* The snapshot that was good enough is the model; otherwise the last state is, which is evaluated too unless there is a hurry. */
static void close_job(tri__coordinator *c)
{
    bool held = c->enough && c->copied_step == c->state.step;
    bool sync = c->settings->mode == TRI_PS_SYNC; /* else servers may have had parts of the last steps still to come when it was kept */
    enter(c, TRI_JOB_CLOSING);
    c->final = true;
    tri__stretch_close(c->server->stretch);
    if (held)
        tri__snapshot_save(c);
    else
        tri__snapshot_take(c, !sync || tri__coordinator_step(c) != c->written, true);
}

/* A snapshot that is due now: for an evaluation, a checkpoint, or both. */
static bool snapshot_due(const tri__coordinator *c, bool *save, bool *evaluate)
{
    int64_t step = tri__coordinator_step(c);
    bool sync = c->settings->mode == TRI_PS_SYNC, held_up = tri__steps_held_up(c);
    *save = *evaluate = false;
    if (step == c->copied_step && !held_up)
        return false;
    *save = c->checkpoint_due || held_up || (c->job.checkpoint_every && step / c->job.checkpoint_every > c->kept / c->job.checkpoint_every);
    *evaluate = c->job.evaluate_every && (sync ? step > 0 && step % c->job.evaluate_every == 0 : step >= c->next_evaluation);
    return *save || *evaluate;
}

static void begin_snapshot(tri__coordinator *c, bool save, bool evaluate)
{
    int64_t step = tri__coordinator_step(c);
    if (c->job.evaluate_every)
        c->next_evaluation = (step / c->job.evaluate_every + 1) * c->job.evaluate_every;
    if (save) {
        c->checkpoint_due = false;
        c->next_checkpoint = tri__clock_now() + c->job.checkpoint_period;
    }
    tri__snapshot_take(c, save, evaluate);
}

/* A server that is lost takes what it has, or in sync all, back to the last checkpoint, and who was told to stop makes no steps again. So
 * the last step is kept before anybody is told; true until it is. Where a snapshot was good enough, that is the model. */
static bool keeps_last_step(tri__coordinator *c)
{
    if (c->enough || tri__coordinator_step(c) == c->kept)
        return false;
    if (tri__snapshot_idle(c) && tri__followers_hold(c))
        begin_snapshot(c, true, false);
    return true;
}

static void run_on(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC, save, evaluate;
    if (sync && c->issued)
        return; /* in the middle of a step */
    if (c->enough || c->stop_wanted || tri__tokens_finished(c->tokens)) {
        if (!(sync && tri__snapshot_holds_up(c)) && !keeps_last_step(c))
            stop(c);
        return;
    }
    if (snapshot_due(c, &save, &evaluate)) {
        if (tri__snapshot_idle(c) && tri__followers_hold(c))
            begin_snapshot(c, save, evaluate);
        else if (sync)
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
        return; /* a decision that leads to another one ends first */
    c->deciding = true;
    tri__recovery_go_on(c);
    if (c->phase == TRI_JOB_WAITING)
        start(c);
    if (c->phase == TRI_JOB_RUNNING)
        run_on(c);
    if (c->phase == TRI_JOB_STOPPING && tri__members_reported(&c->members) && tri__snapshot_idle(c) && tri__followers_hold(c))
        close_job(c);
    if (c->phase == TRI_JOB_CLOSING && tri__snapshot_idle(c))
        finish(c);
    c->deciding = false;
}

static tri_status settle(tri__coordinator *c, const json_t *hello)
{
    tri__server *server = c->server;
    const tri__server_options *options = &server->options;
    TRI_TRY(options->owner->settle(options->context, hello, &c->job));
    TRI_TRY(tri__layout_init(&server->layout, c->job.floats, c->settings->servers));
    TRI_TRY(tri__stretch_create(&server->layout, 0, &c->job.rule, c->settings, &server->stretch));
    TRI_TRY(tri__snapshot_load(c));
    tri__snapshot_fill_own(c);
    tri__stretch_reset(server->stretch, c->state.step);
    TRI_TRY(tri__tokens_create(c->settings, &c->job.work, &c->state, &c->tokens));
    tri__books_go_back(c, c->state.books);
    tri__books_take_losses(c, c->state.books);
    c->kept = c->state.step;
    c->next_evaluation = c->job.evaluate_every ? c->state.step + c->job.evaluate_every : INT64_MAX;
    c->settled = true;
    server->holds = TRI_HOLDS_ALL;
    tri__followers_settled(c);
    return NULL;
}

static tri_status take_evaluator(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    if (c->evaluator_peer && c->evaluator_peer->incarnation != peer->incarnation)
        return tri_fail(TRI_BAD_CALL, "there is an evaluator already, at %s", tri__connection_peer(c->evaluator_peer->connection));
    if (c->evaluator_peer) /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(c->evaluator_peer);
    peer->role = TRI_PEER_EVALUATOR;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME, json_object());
    tri__snapshot_evaluator(c, peer, json_is_true(json_object_get(hello, "none")));
    return NULL;
}

tri_status tri__coordinator_hello(tri__peer *peer, json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    const char *role = json_string_value(json_object_get(hello, "role"));
    tri_status status = NULL;
    if (!strcmp(role, "server"))
        status = tri__followers_hello(peer, hello);
    else if (!strcmp(role, "evaluator"))
        status = take_evaluator(peer, hello);
    else if (!strcmp(role, "join"))
        tri__members_invite(peer);
    else if (strcmp(role, "worker"))
        status = tri_fail(TRI_BAD_CALL, "there is no role %.32s", role);
    else {
        peer->hello = json_incref(hello);
        tri_status unsettled = c->settled ? NULL : settle(c, hello);
        if (unsettled) /* nobody else could do better */
            tri__coordinator_fail(c, unsettled);
        else
            tri__members_admit(c);
    }
    json_decref(hello);
    return status;
}

void tri__coordinator_gone(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->role == TRI_PEER_SERVER && c->follower[peer->task].peer == peer)
        tri__followers_gone(c, peer->task);
    if (peer->role == TRI_PEER_EVALUATOR && c->evaluator_peer == peer)
        tri__snapshot_evaluator(c, NULL, false);
    if (peer->role == TRI_PEER_WORKER)
        tri__member_disconnected(c, peer);
}

/* As in a local run, that the test examples cannot be read ends the job. */
static void give_up_evaluating(tri__coordinator *c, const char *reason)
{
    if (c->evaluating)
        tri__coordinator_fail(c, tri_fail(TRI_BAD_DATA, "evaluator:0 cannot evaluate step %" PRId64 ": %s", c->state.step,
                                          reason ? reason : "it gave no reason"));
}

tri_status tri__coordinator_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__coordinator *c = peer->server->coordinator;
    bool worker = peer->role == TRI_PEER_WORKER, server = peer->role == TRI_PEER_SERVER, evaluator = peer->role == TRI_PEER_EVALUATOR;
    if (!c->settled)
        return tri_fail(TRI_BAD_DATA, "a %s before there is a job", tri__message_name(message->type));
    if (message->type == TRI_MSG_READY && worker)
        return tri__member_ready(c, peer, message);
    if (message->type == TRI_MSG_REPORT && worker)
        tri__member_report(c, peer, body);
    else if (message->type == TRI_MSG_BYE && worker)
        tri__member_bye(c, peer, body);
    else if (message->type == TRI_MSG_RESTORED && server)
        tri__followers_restored(c, peer->task, message);
    else if (message->type == TRI_MSG_SEEN && server)
        tri__steps_seen(c, peer->task, message);
    else if (message->type == TRI_MSG_COPIED && server)
        tri__snapshot_copied(c, peer->task, message);
    else if (message->type == TRI_MSG_COPY && server && message->size)
        tri__snapshot_received(peer, message);
    else if (message->type == TRI_MSG_NORM && server)
        tri__steps_norm(c, peer, message);
    else if (message->type == TRI_MSG_PULL && evaluator)
        return tri__snapshot_pulled(peer, message);
    else if (message->type == TRI_MSG_EVALUATED && evaluator)
        return tri__snapshot_evaluated(c, body);
    else if (message->type == TRI_MSG_BYE && evaluator)
        give_up_evaluating(c, json_string_value(json_object_get(body, "reason")));
    else
        return tri_fail(TRI_BAD_DATA, "a %s that ps:0 does not take from it", tri__message_name(message->type));
    return NULL;
}

static void name_missing(const tri__coordinator *c, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 1; i < c->settings->servers && used + 16 < size; i++)
        if (!c->follower[i].peer)
            used += (size_t)snprintf(text + used, size - used, " ps:%d", i);
    for (int task = 0; task < c->settings->workers && used + 24 < size; task++)
        if (!tri__members_has_come(c, task))
            used += (size_t)snprintf(text + used, size - used, " worker:%d", task);
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
            tri__log_line(c->server->log, TRI_LOG_INFO, "waiting for%s", missing);
    }
    if (now - c->since > c->settings->timeout && tri__members_ready(&c->members) == 0)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "nothing has begun within %.0f s (--timeout): waiting for%s",
                                          tri__clock_seconds(c->settings->timeout), missing));
}

static void do_without_evaluator(tri__coordinator *c, const char *why)
{
    tri__log_line(c->server->log, TRI_LOG_WARNING, "%s: %s", why,
                  c->phase < TRI_JOB_STOPPING ? "training goes on without evaluations" : "the last model is not evaluated");
    tri__snapshot_evaluator(c, NULL, true);
}

static void check_absent_evaluator(tri__coordinator *c, int64_t now)
{
    if (!c->unevaluated)
        c->unevaluated = now;
    const volatile sig_atomic_t *unevaluated = c->server->options.unevaluated;
    bool never = unevaluated && *unevaluated;
    if (!never && now - c->unevaluated < c->settings->timeout)
        return;
    char why[96] = "there is no evaluator any more";
    if (!never)
        snprintf(why, sizeof why, "there is no evaluator since %.0f s (--timeout)", tri__clock_seconds(c->settings->timeout));
    do_without_evaluator(c, why);
}

/* It has a connection, on which nothing comes, not even that it lives. */
static void check_silent_evaluator(tri__coordinator *c, int64_t now)
{
    tri__peer *peer = c->evaluator_peer;
    double silent = tri__clock_seconds(now - peer->heard);
    bool named = now - peer->heard > 2 * c->settings->heartbeat;
    if (named && !c->evaluator_named)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "the evaluator at %s has been silent for %.1f s; waiting for it",
                      tri__connection_peer(peer->connection), silent);
    if (c->evaluator_named && !named)
        tri__log_line(c->server->log, TRI_LOG_INFO, "the evaluator is heard again");
    c->evaluator_named = named;
    if (now - peer->heard <= c->settings->timeout)
        return;
    char why[160];
    snprintf(why, sizeof why, "the evaluator has been silent for %.0f s (--timeout; is it stopped, or the network cut?)", silent);
    tri__peer_replaced(peer);
    do_without_evaluator(c, why);
}

/* A snapshot that nobody evaluates must not hold up the job for ever. An evaluator that comes later is welcome all the same. */
static void check_evaluator(tri__coordinator *c, int64_t now)
{
    if (!c->evaluating || c->evaluator != TRI_EVALUATOR_AWAITED)
        c->unevaluated = 0;
    if (c->evaluating && c->evaluator == TRI_EVALUATOR_AWAITED)
        check_absent_evaluator(c, now);
    else if (c->evaluating && c->evaluator == TRI_EVALUATOR_HERE)
        check_silent_evaluator(c, now);
}

/* A snapshot that was good enough is the model: what came after it is not in it. */
bool tri__coordinator_ends_with_snapshot(const tri__coordinator *c)
{
    return c->enough && c->final;
}

void tri__coordinator_status(tri__server *server, tri__ps_status *status)
{
    tri__coordinator *c = server->coordinator;
    tri__losses losses = tri__books_losses(c);
    *status =
        (tri__ps_status){.reports = tri__members_reports(c), .lost = losses.lost, .dropped = losses.dropped, .re_leased = losses.re_leased};
    status->step = tri__coordinator_ends_with_snapshot(c) ? c->state.step : tri__coordinator_step(c);
    status->straggler = c->members.straggler[0] ? c->members.straggler : NULL;
    status->seconds = c->started ? tri__clock_seconds((c->stopped ? c->stopped : tri__clock_now()) - c->started) : 0;
}

void tri__coordinator_show(tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    tri__ps_status status;
    tri__coordinator_status(c->server, &status);
    c->stop_wanted |= options->owner->watch(options->context, &status) || *options->stop;
    json_decref(status.reports);
}

void tri__coordinator_tick(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    const tri__server_options *options = &server->options;
    int64_t now = tri__clock_now();
    tri__snapshot_tick(c);
    tri__members_admit(c);
    tri__members_check_gone(c, now);
    tri__members_check_silent(c, now);
    check_waiting(c, now);
    tri__members_check_nobody(c, now);
    tri__followers_check(c, now);
    check_evaluator(c, now);
    if (server->done)
        return;
    c->checkpoint_due |= c->phase == TRI_JOB_RUNNING && c->job.checkpoint_period && now > c->next_checkpoint;
    tri__coordinator_show(c);
    if (c->stop_wanted && c->phase == TRI_JOB_WAITING && !options->recovers) /* else it began long ago, and ends well once it goes on */
        tri__coordinator_fail(c, tri_fail(TRI_STOPPED, "stopped before training began"));
    tri__coordinator_go_on(c);
}
