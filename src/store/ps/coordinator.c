/* coordinator.c: who takes part, and whose turn it is.
 *
 * A job waits for the first worker, which tells what is trained, for the other servers, and in sync for all workers. Then it runs: in
 * async every member has tokens of its own, one for each update; in sync the members of a view share each step, and views change
 * between two steps only, after all servers know the new one. It stops when the tokens are used up, when an evaluation says so or when
 * it is asked to: workers end their steps and report, and the last snapshot is evaluated and saved.
 *
 * A worker whose connection closed has half a second to come back; then it has left, and what it had not done is others' to do. One that
 * stays silent is named after two heartbeats, and has left after the timeout. */
#include "store/ps/coordinator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

#define GRACE INT64_C(500000000)

static void enter(tri__coordinator *c, tri__job_phase phase)
{
    c->phase = phase;
    c->since = tri__clock_now();
}

void tri__coordinator_fail(tri__coordinator *c, tri_status why)
{
    json_t *reason = json_pack("{s:s}", "reason", tri_status_message(why));
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next)
        if (peer->role != TRI_PEER_STRANGER)
            tri__message_send_json(peer->connection, TRI_MSG_BYE, json_incref(reason));
    json_decref(reason);
    tri__server_end(c->server, why);
}

tri_status tri__coordinator_create(tri__server *server, tri__coordinator **out)
{
    tri__coordinator *c;
    TRI_TRY(tri__allocate(1, sizeof *c, "a coordinator", &c));
    *out = c;
    c->server = server;
    c->settings = &server->options.settings;
    c->copied_step = -1;
    /* Another one after each start: what was pushed to an earlier process is void. */
    server->generation = (uint32_t)(tri__key_split(tri__key_of((uint64_t)tri__clock_now()), (uint64_t)(tri__clock_wall() * 1e6)).word) | 1u;
    enter(c, TRI_JOB_WAITING);
    TRI_TRY(tri__allocate(TRI_MOST_TASKS, sizeof *c->member, "the members", &c->member));
    return tri__allocate((size_t)c->settings->servers, sizeof *c->follower, "the other servers", &c->follower);
}

void tri__coordinator_destroy(tri__coordinator *c)
{
    if (!c)
        return;
    tri__snapshot_fini(c);
    for (int i = 0; i < c->tasks; i++)
        json_decref(c->member[i].report);
    tri__tokens_destroy(c->tokens);
    free(c->member);
    free(c->follower);
    free(c);
}

int64_t tri__coordinator_step(const tri__coordinator *c)
{
    return c->tokens ? tri__tokens_steps(c->tokens) : 0;
}

/* ---- other servers ---- */

static bool servers_ready(const tri__coordinator *c)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (!c->follower[i].restored)
            return false;
    return c->settled;
}

static void tell_servers(tri__coordinator *c, const tri__message *message)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer)
            tri__message_send(c->follower[i].peer->connection, message, false);
}

static void tell_servers_json(tri__coordinator *c, tri__message_type type, json_t *value)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer)
            tri__message_send_json(c->follower[i].peer->connection, type, json_incref(value));
    json_decref(value);
}

static json_t *tasks_json(const int *tasks, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(tasks[i]));
    return list;
}

static void welcome_server(tri__coordinator *c, int index)
{
    tri__message_send_json(c->follower[index].peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:o}", "floats", (json_int_t)c->job.floats, "rule", tri__rule_json(&c->job.rule)));
}

static void go_back(tri__coordinator *c);

/* A server that comes anew has lost its stretch. In async only that goes back to the last checkpoint, in sync all of the job. One that
 * holds its stretch comes back from a broken connection, or meets a coordinator that was restarted. */
static tri_status take_server(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->task < 1 || peer->task >= c->settings->servers)
        return tri_fail(TRI_BAD_CALL, "ps:%d is not one of the %d servers of this job", peer->task, c->settings->servers);
    tri__follower_state *follower = &c->follower[peer->task];
    if (follower->peer)
        return tri_fail(TRI_BAD_CALL, "there is a ps:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(follower->peer->connection));
    bool again = follower->incarnation != 0, same = follower->incarnation == (int64_t)peer->incarnation;
    bool holding = json_is_true(json_object_get(hello, "holding"));
    follower->incarnation = (int64_t)peer->incarnation;
    follower->peer = peer;
    peer->role = TRI_PEER_SERVER;
    if (!c->settled)
        return NULL; /* welcomed when the model is known */
    welcome_server(c, peer->task);
    if (again && same && tri__json_integer(hello, "generation", 0) == peer->server->generation)
        return NULL;
    bool sync = c->settings->mode == TRI_PS_SYNC;
    follower->restored = false;
    if (again || (sync && holding))
        go_back(c);
    else if (holding) { /* async, and this coordinator is the one that was restarted */
        follower->restored = true;
        tri__coordinator_go_on(c);
    } else
        tri__snapshot_restore(c, peer->task);
    return NULL;
}

/* ---- going back after a failure ---- */

static void void_members(tri__coordinator *c)
{
    c->void_due = false;
    for (int task = 0; task < c->tasks; task++) {
        tri__member *member = &c->member[task];
        member->tokens = 0;
        member->ready = false;
        if (member->peer)
            tri__message_send(member->peer->connection,
                              &(tri__message){.type = TRI_MSG_RESTORED, .step = c->state.step, .view = c->server->generation}, false);
    }
}

static void go_back_together(tri__coordinator *c)
{
    c->server->generation++;
    tri__snapshot_fill_own(c);
    tri__stretch_reset(c->server->stretch, c->state.step);
    tri_status status = tri__tokens_rollback(c->tokens, &c->state);
    if (status)
        tri__coordinator_fail(c, status);
    c->issued = false;
    c->changed = c->void_due = true; /* members are told when all servers have their stretch again */
}

/* The last checkpoint is what all, or in async the servers that lost theirs, begin from again. */
static void go_back(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC;
    c->going_back = !tri__snapshot_idle(c); /* then it is done when the snapshot is no longer read */
    if (c->going_back)
        return;
    int64_t step = tri__coordinator_step(c);
    tri_status status = tri__snapshot_load(c);
    if (status) {
        tri__coordinator_fail(c, tri_wrap(status, "going back after a failure"));
        return;
    }
    int64_t lost = step > c->state.step ? step - c->state.step : 0;
    c->lost += lost;
    tri__log_line(c->server->log, TRI_LOG_WARNING, "a server was lost: %s back to step %" PRId64 ", %" PRId64 " updates are lost",
                  sync ? "all go" : "its part goes", c->state.step, lost);
    if (sync)
        go_back_together(c);
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer && (sync || !c->follower[i].restored))
            tri__snapshot_restore(c, i);
}

/* ---- workers come ---- */

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
    c->next_evaluation = c->job.evaluate_every ? c->state.step + c->job.evaluate_every : INT64_MAX;
    c->settled = server->ready = true;
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer) {
            welcome_server(c, i);
            tri__snapshot_restore(c, i);
        }
    return NULL;
}

/* Does this worker train what the others train? */
static tri_status compare(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    const char *digest = json_string_value(json_object_get(hello, "digest"));
    int64_t batch = tri__json_integer(hello, "batch", 0), examples = tri__json_integer(hello, "examples", 0);
    if (!digest || strcmp(digest, c->job.digest))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has another model than the job, or other shapes (digest %.12s, not %.12s): start all tasks "
                        "with the same model and data",
                        peer->task, digest ? digest : "missing", c->job.digest);
    if (batch != c->job.work.batch || examples != c->job.work.examples)
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has %" PRId64 " examples in batches of %" PRId64 ", the job %" PRId64 " in batches of %" PRId64
                        ": start all tasks with the same options",
                        peer->task, examples, batch, c->job.work.examples, c->job.work.batch);
    return NULL;
}

static void leave(tri__coordinator *c, int task, const char *why);

/* Another process under a task number that is taken is a mistake; under one that was left it is a successor. */
static tri_status replace_before(tri__coordinator *c, tri__peer *peer)
{
    tri__member *member = &c->member[peer->task];
    bool same = member->known && member->incarnation == peer->incarnation;
    if (member->peer && !same)
        return tri_fail(TRI_BAD_CALL, "there is a worker:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(member->peer->connection));
    if (member->peer) { /* its earlier connection has not noticed yet that it is dead */
        member->peer->role = TRI_PEER_STRANGER;
        tri__connection_close(member->peer->connection);
    }
    if (!same && member->known)
        leave(c, peer->task, "was replaced by another process");
    if (!same) {
        tri__stretch_welcome(c->server->stretch, peer->task);
        json_t *report = member->report;
        *member = (tri__member){.incarnation = peer->incarnation, .report = report};
    }
    return NULL;
}

static tri_status admit(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    TRI_TRY(compare(c, peer, hello));
    TRI_TRY(replace_before(c, peer));
    if (!peer->gradient)
        TRI_TRY(tri__allocate(1, TRI_CHUNK_BYTES, "a worker's gradient", &peer->gradient));
    tri__member *member = &c->member[peer->task];
    member->peer = peer;
    member->gone = 0;
    member->known = true;
    peer->role = TRI_PEER_WORKER;
    peer->server->worker[peer->task] = peer;
    c->tasks = peer->task >= c->tasks ? peer->task + 1 : c->tasks;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:I, s:b, s:I}", "floats", (json_int_t)c->job.floats, "generation",
                                     (json_int_t)peer->server->generation, "member", member->ready, "step",
                                     (json_int_t)tri__coordinator_step(c)));
    for (int i = 0; i < member->tokens; i++) /* those it has may have been lost on the way */
        tri__coordinator_send_token(peer, &member->token[i], false);
    if (c->phase >= TRI_JOB_STOPPING)
        tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)}, false);
    return NULL;
}

static void admit_waiting(tri__coordinator *c)
{
    if (!servers_ready(c))
        return;
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next) {
        json_t *hello = peer->hello;
        if (!hello)
            continue;
        peer->hello = NULL;
        tri_status status = admit(peer, hello);
        json_decref(hello);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

static tri_status take_evaluator(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    if (c->evaluator_peer)
        return tri_fail(TRI_BAD_CALL, "there is an evaluator already");
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
        status = take_server(peer, hello);
    else if (!strcmp(role, "evaluator"))
        status = take_evaluator(peer, hello);
    else if (strcmp(role, "worker"))
        status = tri_fail(TRI_BAD_CALL, "there is no role %.32s", role);
    else {
        if (!c->settled)
            status = settle(c, hello);
        if (!status) {
            peer->hello = json_incref(hello);
            admit_waiting(c);
        } else if (!c->settled) { /* nobody else could do better */
            tri__server_end(c->server, status);
            status = NULL;
        }
    }
    json_decref(hello);
    return status;
}

/* ---- tokens ---- */

void tri__coordinator_send_token(tri__peer *peer, const tri__token *token, bool more)
{
    const tri__message message = {
        .type = TRI_MSG_TOKEN,
        .view = peer->server->generation,
        .step = token->step,
        .position = token->position,
        .index = (uint32_t)token->index,
        .workers = (uint32_t)token->workers,
    };
    tri__message_send(peer->connection, &message, more);
}

static void keep_token(tri__member *member, const tri__token *token, bool more)
{
    member->token[member->tokens++] = *token;
    if (member->peer)
        tri__coordinator_send_token(member->peer, token, more);
}

/* Async: as many as it can use. more: its answer follows. */
static void grant(tri__coordinator *c, int task, bool more)
{
    tri__member *member = &c->member[task];
    tri__token token;
    int most = c->settings->mode == TRI_PS_STALENESS ? 1 : member->ahead;
    while (c->phase == TRI_JOB_RUNNING && member->member && member->tokens < most && tri__tokens_next(c->tokens, task, &token))
        keep_token(member, &token, more);
}

static void grant_all(tri__coordinator *c)
{
    for (int task = 0; task < c->tasks; task++)
        grant(c, task, false);
}

/* Backup workers: the first so many whose gradient has come make up the step. */
static void choose(tri__coordinator *c, int task, int64_t step)
{
    int wanted = c->view_count - c->settings->backup;
    if (step != tri__coordinator_step(c) || c->chosen >= (wanted > 0 ? wanted : 1))
        return;
    for (int i = 0; i < c->chosen; i++)
        if (c->chosen_task[i] == task)
            return;
    int at = c->chosen++;
    for (; at > 0 && c->chosen_task[at - 1] > task; at--) /* in the order of tasks */
        c->chosen_task[at] = c->chosen_task[at - 1];
    c->chosen_task[at] = task;
    if (c->chosen < (wanted > 0 ? wanted : 1))
        return;
    tell_servers_json(c, TRI_MSG_CHOSEN, json_pack("{s:I, s:o}", "step", (json_int_t)step, "tasks", tasks_json(c->chosen_task, c->chosen)));
    tri_status status = tri__stretch_choose(c->server->stretch, step, c->chosen_task, c->chosen);
    if (status)
        tri__coordinator_fail(c, status);
    else
        tri__server_settle(c->server);
}

bool tri__coordinator_pushed(tri__peer *peer, const tri__message *push)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__member *member = &c->member[peer->task];
    if (c->settings->mode == TRI_PS_SYNC) {
        choose(c, peer->task, push->step);
        return false;
    }
    c->moved = tri__clock_now();
    if (!member->tokens || push->step != member->token[0].step || ++member->arrived < tri__stretch_chunks(c->server->stretch))
        return false;
    member->arrived = 0;
    if (!tri__tokens_done(c->tokens, peer->task, push->step))
        return false;
    memmove(member->token, member->token + 1, (size_t)--member->tokens * sizeof *member->token);
    if (!c->enough && !c->stop_wanted)
        grant(c, peer->task, true);
    return true;
}

/* Nothing stands between this step and the next: no snapshot, no change of members, no end. */
static bool clear_to_go(const tri__coordinator *c)
{
    int64_t step = tri__coordinator_step(c);
    bool evaluation = c->job.evaluate_every && step % c->job.evaluate_every == 0 && step != c->copied_step;
    bool checkpoint = c->checkpoint_due || (c->job.checkpoint_every && step % c->job.checkpoint_every == 0 && step != c->copied_step);
    return c->phase == TRI_JOB_RUNNING && !c->changed && !c->enough && !c->stop_wanted && !c->going_back && !evaluation && !checkpoint &&
           !tri__snapshot_holds_up(c) && !tri__tokens_finished(c->tokens);
}

static void issue(tri__coordinator *c)
{
    c->issued = true;
    c->chosen = 0;
    for (int i = 0; i < c->view_count; i++) {
        tri__token token;
        if (tri__tokens_next(c->tokens, c->view_task[i], &token))
            keep_token(&c->member[c->view_task[i]], &token, false);
    }
}

bool tri__coordinator_will_step(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    if (!c->issued || tri__stretch_lowest(server->stretch) <= tri__coordinator_step(c))
        return false;
    tri__tokens_advance(c->tokens);
    for (int task = 0; task < c->tasks; task++)
        c->member[task].tokens = 0;
    c->issued = false;
    return clear_to_go(c);
}

void tri__coordinator_stepped(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    c->moved = tri__clock_now();
    if (!c->issued)
        tri__coordinator_go_on(c);
}

/* ---- views: who makes up the steps of a synchronous job ---- */

/* Members as they are now; false until every server knows them. */
static bool renew_view(tri__coordinator *c)
{
    if (c->changed) {
        c->changed = false;
        c->view_count = 0;
        for (int task = 0; task < c->tasks; task++) {
            tri__member *member = &c->member[task];
            if (member->member)
                tri__tokens_leave(c->tokens, task); /* and comes anew, where it is still there */
            member->member = member->ready && tri__tokens_join(c->tokens, task);
            if (member->member)
                c->view_task[c->view_count++] = task;
        }
        c->view++;
        tri_status status = tri__stretch_view(c->server->stretch, tri__coordinator_step(c), c->view_task, c->view_count);
        if (status) {
            tri__coordinator_fail(c, status);
            return false;
        }
        tell_servers_json(c, TRI_MSG_VIEW,
                          json_pack("{s:I, s:I, s:o}", "view", (json_int_t)c->view, "step", (json_int_t)tri__coordinator_step(c), "tasks",
                                    tasks_json(c->view_task, c->view_count)));
    }
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].seen != c->view)
            return false;
    return c->view_count > 0;
}

static int count_ready(const tri__coordinator *c)
{
    int count = 0;
    for (int task = 0; task < c->tasks; task++)
        count += c->member[task].ready;
    return count;
}

/* ---- what comes next ---- */

static void start(tri__coordinator *c)
{
    int ready = count_ready(c), wanted = c->settings->mode == TRI_PS_SYNC ? c->settings->workers : 1;
    bool late = tri__clock_now() - c->since > c->settings->timeout;
    if (!servers_ready(c) || ready == 0 || (ready < wanted && !late))
        return;
    if (ready < wanted)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "only %d of %d workers have come within the timeout: beginning with these", ready,
                      wanted);
    enter(c, TRI_JOB_RUNNING);
    c->started = c->moved = c->since;
    c->next_checkpoint = c->since + c->job.checkpoint_period;
    c->changed = true;
}

static void stop(tri__coordinator *c)
{
    enter(c, TRI_JOB_STOPPING);
    c->stopped = c->since;
    for (int task = 0; task < c->tasks; task++)
        if (c->member[task].peer)
            tri__message_send(c->member[task].peer->connection, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)},
                              false);
}

static bool all_reported(const tri__coordinator *c)
{
    for (int task = 0; task < c->tasks; task++)
        if (c->member[task].peer && !c->member[task].reported)
            return false;
    return true;
}

static void finish(tri__coordinator *c)
{
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next)
        if (peer->role != TRI_PEER_STRANGER)
            tri__message_send_json(peer->connection, TRI_MSG_BYE, json_object());
    tri__server_end(c->server, NULL);
}

/* The snapshot that was good enough is the model; otherwise the last state is, which is evaluated too unless there is a hurry. */
static void close_job(tri__coordinator *c)
{
    bool held = c->enough && c->copied_step == c->state.step;
    enter(c, TRI_JOB_CLOSING);
    c->final = true;
    if (held)
        tri__snapshot_save(c);
    else
        tri__snapshot_take(c, true);
}

/* A snapshot that is due now: for an evaluation, or a checkpoint. */
static bool snapshot_due(tri__coordinator *c, bool *save)
{
    int64_t step = tri__coordinator_step(c);
    bool sync = c->settings->mode == TRI_PS_SYNC;
    if (step == c->copied_step)
        return *save = false;
    *save = c->checkpoint_due || (c->job.checkpoint_every && step / c->job.checkpoint_every > c->saved_step / c->job.checkpoint_every);
    bool evaluation = c->job.evaluate_every && (sync ? step > 0 && step % c->job.evaluate_every == 0 : step >= c->next_evaluation);
    return *save || evaluation;
}

static void begin_snapshot(tri__coordinator *c, bool save)
{
    int64_t step = tri__coordinator_step(c);
    if (c->job.evaluate_every)
        c->next_evaluation = (step / c->job.evaluate_every + 1) * c->job.evaluate_every;
    if (save) {
        c->checkpoint_due = false;
        c->saved_step = step;
        c->next_checkpoint = tri__clock_now() + c->job.checkpoint_period;
    }
    tri__snapshot_take(c, save);
}

static void run_on(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC, save;
    if (sync && c->issued)
        return; /* in the middle of a step */
    if (c->enough || c->stop_wanted || tri__tokens_finished(c->tokens)) {
        if (!(sync && tri__snapshot_holds_up(c)))
            stop(c);
        return;
    }
    if (snapshot_due(c, &save)) {
        if (tri__snapshot_idle(c))
            begin_snapshot(c, save);
        else if (sync)
            return; /* the last one is still being evaluated */
    }
    if (!sync) {
        grant_all(c);
        return;
    }
    if (c->phase == TRI_JOB_RUNNING && !c->issued && !c->going_back && servers_ready(c) && !tri__snapshot_holds_up(c) && renew_view(c))
        issue(c);
}

void tri__coordinator_go_on(tri__coordinator *c)
{
    if (c->server->done || c->deciding)
        return; /* a decision that leads to another one ends first */
    c->deciding = true;
    if (c->going_back && tri__snapshot_idle(c))
        go_back(c);
    if (c->phase == TRI_JOB_WAITING)
        start(c);
    if (c->phase == TRI_JOB_RUNNING)
        run_on(c);
    if (c->phase == TRI_JOB_STOPPING && all_reported(c) && tri__snapshot_idle(c) && servers_ready(c))
        close_job(c);
    if (c->phase == TRI_JOB_CLOSING && tri__snapshot_idle(c))
        finish(c);
    c->deciding = false;
}

/* ---- workers go ---- */

static void leave(tri__coordinator *c, int task, const char *why)
{
    tri__member *member = &c->member[task];
    tri__log_line(c->server->log, TRI_LOG_WARNING, "worker:%d %s at step %" PRId64 "; the others go on", task, why,
                  tri__coordinator_step(c));
    member->ready = member->known = false;
    member->tokens = 0;
    c->changed = true;
    if (c->settings->mode != TRI_PS_SYNC) {
        tri__tokens_leave(c->tokens, task);
        member->member = false;
        return;
    }
    int64_t step = tri__coordinator_step(c);
    tell_servers(c, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = step});
    tri__stretch_leave(c->server->stretch, task, step);
    tri__server_settle(c->server);
}

void tri__coordinator_gone(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->role == TRI_PEER_SERVER && c->follower[peer->task].peer == peer)
        c->follower[peer->task].peer = NULL;
    if (peer->role == TRI_PEER_EVALUATOR && c->evaluator_peer == peer)
        tri__snapshot_evaluator(c, NULL, false);
    if (peer->role != TRI_PEER_WORKER || c->member[peer->task].peer != peer)
        return;
    c->member[peer->task].peer = NULL;
    c->member[peer->task].gone = tri__clock_now();
    if (c->phase >= TRI_JOB_STOPPING)
        tri__coordinator_go_on(c);
}

static tri_status take_ready(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    tri__member *member = &c->member[peer->task];
    if (message->view != c->server->generation)
        return NULL; /* from before all went back: it will be ready again */
    member->ahead = message->what < 1 ? 1 : message->what > TRI_MOST_AHEAD ? TRI_MOST_AHEAD : (int)message->what;
    member->ready = true;
    member->reported = false;
    c->changed = true;
    if (c->settings->mode != TRI_PS_SYNC && !member->member) {
        member->member = tri__tokens_join(c->tokens, peer->task);
    }
    if (c->started)
        tri__log_line(c->server->log, TRI_LOG_INFO, "worker:%d takes part from step %" PRId64 " on", peer->task, tri__coordinator_step(c));
    tri__coordinator_go_on(c);
    return NULL;
}

static void take_report(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    tri__member *member = &c->member[peer->task];
    json_decref(member->report);
    member->report = json_deep_copy(body);
    if (!json_is_true(json_object_get(body, "final")))
        return;
    member->reported = true;
    tri__coordinator_go_on(c);
}

/* A worker that leaves by itself says why: its data is damaged, it was asked to end. */
static void take_bye(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    char why[512];
    snprintf(why, sizeof why, "has left%s%.400s", reason ? ": " : "", reason ? reason : "");
    if (c->member[peer->task].known)
        leave(c, peer->task, why);
    c->member[peer->task].reported = true;
    tri__coordinator_go_on(c);
}

static void take_norm(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    tri__follower_state *follower = &c->follower[peer->task];
    follower->squares = message->norm;
    follower->gathered = true;
    tri__coordinator_clip(c);
}

tri_status tri__coordinator_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__coordinator *c = peer->server->coordinator;
    bool worker = peer->role == TRI_PEER_WORKER, server = peer->role == TRI_PEER_SERVER, evaluator = peer->role == TRI_PEER_EVALUATOR;
    if (message->type == TRI_MSG_READY && worker)
        return take_ready(c, peer, message);
    if (message->type == TRI_MSG_REPORT && worker)
        take_report(c, peer, body);
    else if (message->type == TRI_MSG_BYE && worker)
        take_bye(c, peer, body);
    else if (message->type == TRI_MSG_RESTORED && server) {
        c->follower[peer->task].restored = message->view == c->server->generation;
        if (c->void_due && servers_ready(c))
            void_members(c);
        admit_waiting(c);
        tri__coordinator_go_on(c);
    } else if (message->type == TRI_MSG_SEEN && server) {
        c->follower[peer->task].seen = message->view;
        tri__coordinator_go_on(c);
    } else if (message->type == TRI_MSG_COPIED && server)
        tri__snapshot_copied(c, peer->task);
    else if (message->type == TRI_MSG_COPY && server)
        tri__snapshot_received(c);
    else if (message->type == TRI_MSG_NORM && server)
        take_norm(c, peer, message);
    else if (message->type == TRI_MSG_PULL && evaluator)
        return tri__snapshot_pulled(peer, message);
    else if (message->type == TRI_MSG_EVALUATED && evaluator)
        return tri__snapshot_evaluated(c, body);
    else
        return tri_fail(TRI_BAD_DATA, "a %s that ps:0 does not take from it", tri__message_name(message->type));
    return NULL;
}

/* ---- clipping by the norm of the whole gradient, of which every server knows a part ---- */

void tri__coordinator_clip(tri__coordinator *c)
{
    double squares;
    if (!tri__stretch_gathered(c->server->stretch, &squares))
        return;
    for (int i = 1; i < c->settings->servers; i++) {
        if (!c->follower[i].gathered)
            return;
        squares += c->follower[i].squares;
    }
    for (int i = 1; i < c->settings->servers; i++)
        c->follower[i].gathered = false;
    double norm = sqrt(squares), clip = (double)c->job.rule.clip, factor = norm > clip ? clip / norm : 1;
    tell_servers(c, &(tri__message){.type = TRI_MSG_NORM, .step = tri__coordinator_step(c), .norm = factor});
    tri__stretch_scale(c->server->stretch, factor);
    for (uint32_t i = 0; i < tri__stretch_chunks(c->server->stretch); i++)
        tri__server_answer_all(c->server, tri__stretch_first(c->server->stretch) + i);
    tri__coordinator_stepped(c->server);
}

/* ---- time passes ---- */

static void check_gone(tri__coordinator *c, int64_t now)
{
    for (int task = 0; task < c->tasks; task++) {
        tri__member *member = &c->member[task];
        if (member->gone && now - member->gone > GRACE && member->known && c->phase < TRI_JOB_STOPPING)
            leave(c, task, "is gone");
        if (member->gone && now - member->gone > GRACE)
            member->gone = 0;
    }
}

/* Is anything awaited of this worker? */
static bool owes(const tri__coordinator *c, const tri__member *member)
{
    if (c->phase == TRI_JOB_STOPPING)
        return member->peer && !member->reported;
    return member->member && member->tokens > 0;
}

static void evict(tri__coordinator *c, int task)
{
    tri__member *member = &c->member[task];
    char why[96];
    snprintf(why, sizeof why, "has been silent for %.0f s (--timeout): it takes no part any more",
             tri__clock_seconds(c->settings->timeout));
    tri__peer *peer = member->peer;
    member->peer = NULL;
    if (c->phase < TRI_JOB_STOPPING)
        leave(c, task, why);
    else
        tri__log_line(c->server->log, TRI_LOG_WARNING, "worker:%d %s", task, why);
    if (peer)
        tri__connection_close(peer->connection);
}

/* Who is waited for is named after two heartbeats; after the timeout it has left. In sync, those that wait for others owe nothing. */
static void check_silent(tri__coordinator *c, int64_t now)
{
    bool sync = c->settings->mode == TRI_PS_SYNC && c->phase == TRI_JOB_RUNNING;
    size_t used = 0;
    c->straggler[0] = 0;
    for (int task = 0; task < c->tasks; task++) {
        tri__member *member = &c->member[task];
        if (!owes(c, member) || (sync && !tri__stretch_lacks(c->server->stretch, task)))
            continue;
        int64_t since = member->peer && member->peer->heard > c->moved ? member->peer->heard : sync ? c->moved : 0;
        if (!since)
            since = member->peer ? member->peer->heard : member->gone ? member->gone : now;
        int64_t silent = now - since;
        if (silent > c->settings->timeout) {
            evict(c, task);
            continue;
        }
        if (silent < 2 * c->settings->heartbeat) {
            member->named = false;
            continue;
        }
        if (!member->named)
            tri__log_line(c->server->log, TRI_LOG_WARNING, "step %" PRId64 " %s worker:%d, silent for %.1f s", tri__coordinator_step(c),
                          sync ? "waits for" : "goes on without", task, tri__clock_seconds(silent));
        member->named = true;
        if (used < sizeof c->straggler - 32)
            used += (size_t)snprintf(c->straggler + used, sizeof c->straggler - used, "%sworker:%d (%.0f s)", used ? ", " : "", task,
                                     tri__clock_seconds(silent));
    }
}

static void check_nobody(tri__coordinator *c, int64_t now)
{
    int known = 0;
    for (int task = 0; task < c->tasks; task++)
        known += c->member[task].known;
    if (known || c->phase != TRI_JOB_RUNNING) {
        c->alone = 0;
        return;
    }
    if (!c->alone)
        c->alone = now;
    if (now - c->alone > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "no worker is left, and none has come for %.0f s (--timeout)",
                                          tri__clock_seconds(c->settings->timeout)));
}

static void name_missing(const tri__coordinator *c, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 1; i < c->settings->servers && used + 16 < size; i++)
        if (!c->follower[i].peer)
            used += (size_t)snprintf(text + used, size - used, " ps:%d", i);
    for (int task = 0; task < c->settings->workers && used + 24 < size; task++)
        if (!c->member[task].peer)
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
    if (now - c->since > c->settings->timeout && count_ready(c) == 0)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "nothing has begun within %.0f s (--timeout): waiting for%s",
                                          tri__clock_seconds(c->settings->timeout), missing));
}

static void check_servers(tri__coordinator *c, int64_t now)
{
    for (int i = 1; i < c->settings->servers; i++) {
        tri__follower_state *follower = &c->follower[i];
        if (follower->peer || c->phase == TRI_JOB_WAITING) {
            follower->gone = 0;
            continue;
        }
        if (!follower->gone) {
            follower->gone = now;
            tri__log_line(c->server->log, TRI_LOG_WARNING, "ps:%d is gone; waiting for it to come back", i);
        }
        if (now - follower->gone > c->settings->timeout) {
            tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "ps:%d is gone and has not come back within %.0f s (--timeout)", i,
                                              tri__clock_seconds(c->settings->timeout)));
            return;
        }
    }
}

static void check_closing(tri__coordinator *c, int64_t now)
{
    if (c->phase != TRI_JOB_CLOSING || now - c->since < c->settings->timeout || c->evaluator == TRI_EVALUATOR_NONE)
        return;
    tri__log_line(c->server->log, TRI_LOG_WARNING, "the evaluator does not answer: the end is not evaluated");
    tri__snapshot_evaluator(c, NULL, true);
}

static json_t *all_reports(const tri__coordinator *c)
{
    json_t *list = json_array();
    for (int task = 0; task < c->tasks; task++) {
        char name[24];
        snprintf(name, sizeof name, "worker:%d", task);
        json_t *report = c->member[task].report ? json_copy(c->member[task].report) : NULL;
        if (!report)
            continue;
        json_object_set_new(report, "task", json_string(name));
        json_array_append_new(list, report);
    }
    return list;
}

void tri__coordinator_status(tri__server *server, tri__ps_status *status)
{
    tri__coordinator *c = server->coordinator;
    *status = (tri__ps_status){.reports = all_reports(c), .lost = c->lost};
    if (c->tokens) {
        status->step = c->enough && c->final ? c->state.step : tri__coordinator_step(c);
        status->re_leased = tri__tokens_describe(c->tokens).again;
    }
    if (server->stretch) {
        status->dropped = tri__stretch_dropped(server->stretch);
        status->uneven = tri__stretch_uneven(server->stretch);
    }
    for (int task = 0; task < c->tasks; task++)
        status->workers += c->member[task].member;
    status->straggler = c->straggler[0] ? c->straggler : NULL;
    status->seconds = c->started ? tri__clock_seconds((c->stopped ? c->stopped : tri__clock_now()) - c->started) : 0;
    tri__server_traffic(server, &status->bytes_sent, &status->bytes_received);
}

void tri__coordinator_tick(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    const tri__server_options *options = &server->options;
    int64_t now = tri__clock_now();
    tri__snapshot_tick(c);
    check_gone(c, now);
    check_silent(c, now);
    check_waiting(c, now);
    check_nobody(c, now);
    check_servers(c, now);
    check_closing(c, now);
    if (server->done)
        return;
    c->checkpoint_due |= c->phase == TRI_JOB_RUNNING && c->job.checkpoint_period && now > c->next_checkpoint;
    tri__ps_status status;
    tri__coordinator_status(server, &status);
    c->stop_wanted |= options->owner->watch(options->context, &status) || *options->stop;
    json_decref(status.reports);
    if (c->stop_wanted && c->phase == TRI_JOB_WAITING)
        tri__coordinator_fail(c, tri_fail(TRI_STOPPED, "stopped before training began"));
    tri__coordinator_go_on(c);
}
