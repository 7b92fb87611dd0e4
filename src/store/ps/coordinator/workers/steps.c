/* steps.c: whose turn it is.
 *
 * Async: every worker has tokens of its own, one for each update. Sync: the workers of a view share each step; the view changes only
 * between two steps, after all servers know the new one. With backup workers, the first workers whose gradient comes make up the step: as
 * many as there are without the backup. */
#include "store/ps/coordinator/workers/steps.h"

#include <math.h>
#include <string.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/pushes.h"
#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/replay.h"

void tri__steps_start(tri__steps *steps, int64_t now)
{
    steps->moved = now;
    steps->view.outdated = true;
}

static void forget_norms(tri__steps *steps)
{
    memset(steps->norm, 0, sizeof steps->norm);
}

void tri__steps_go_back(tri__steps *steps)
{
    steps->state = TRI_STEP_BETWEEN;
    steps->view.outdated = true;
    forget_norms(steps);
}

void tri__steps_members_changed(tri__steps *steps)
{
    steps->view.outdated = true;
}

bool tri__steps_is_between(const tri__steps *steps)
{
    return steps->state == TRI_STEP_BETWEEN;
}

/* Backup workers: has this task's gradient of the present step come in time? */
static bool has_chosen(const tri__steps *steps, int task)
{
    for (int i = 0; i < steps->chosen; i++)
        if (steps->chosen_task[i] == task)
            return true;
    return false;
}

int64_t tri__steps_last_issued(const tri__coordinator *c)
{
    return tri__coordinator_step(c) - tri__steps_is_between(&c->steps);
}

void tri__steps_send_token(tri__peer *peer, const tri__token *token, bool more)
{
    const tri__message message = {
        .type = TRI_MSG_TOKEN,
        .fresh = token->fresh,
        .generation = peer->server->generation,
        .step = token->step,
        .position = token->position,
        .index = (uint32_t)token->index,
        .workers = (uint32_t)token->workers,
    };
    tri__message_send(peer->connection, &message, more);
}

/* With --checkpoint-every N steps, at most N steps are ever lost: no step after the next checkpoint begins before that checkpoint is
 * written. If it could not be written, or the disk does not answer, the log says so, and training goes on. */
bool tri__steps_may_go_on(const tri__coordinator *c)
{
    int64_t every = c->job.checkpoint_every;
    return every == 0 || c->snapshot.overdue || tri__coordinator_step(c) + tri__tokens_describe(c->tokens).held < c->snapshot.kept + every;
}

/* Silent workers may hold all steps that are left before the next checkpoint. The others do not wait for them: a checkpoint now lets them
 * go on. Only if no update was made since the last checkpoint, a new one would not help. */
bool tri__steps_held_up(const tri__coordinator *c)
{
    if (c->settings->mode == TRI_PS_SYNC || tri__steps_may_go_on(c) || tri__coordinator_step(c) == c->snapshot.kept)
        return false;
    return tri__members_all_named(&c->members);
}

/* Async: gives a worker as many tokens as it can use. more: an answer to it follows. */
static void grant(tri__coordinator *c, int task, bool more)
{
    tri__member *member = &c->members.member[task];
    tri__token token;
    int most = c->settings->mode == TRI_PS_STALENESS ? 1 : member->ahead;
    while (c->phase == TRI_JOB_RUNNING && tri__member_can_use(member, most) && tri__steps_may_go_on(c) &&
           tri__tokens_next(c->tokens, task, &token))
        tri__member_give(member, &token, more);
}

void tri__steps_grant_all(tri__coordinator *c)
{
    for (int task = 0; task < c->members.tasks; task++)
        grant(c, task, false);
}

static json_t *tasks_json(const int *tasks, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(tasks[i]));
    return list;
}

/* Backup workers: how many gradients make up the step: the number of workers less the backup, and never more than can still come. */
static int wanted_parts(const tri__coordinator *c)
{
    const tri__view *view = &c->steps.view;
    int wanted = view->count - c->settings->backup, possible = c->steps.chosen;
    for (int i = 0; i < view->count; i++) {
        bool chosen = has_chosen(&c->steps, view->task[i]);
        const tri__member *member = &c->members.member[view->task[i]];
        possible += !chosen && member->state >= TRI_MEMBER_READY && member->tokens > 0; /* a new process has no token of this step */
    }
    wanted = wanted > 1 ? wanted : 1;
    return wanted < possible ? wanted : possible;
}

void tri__steps_choose(tri__coordinator *c)
{
    int64_t step = tri__coordinator_step(c);
    if (c->steps.state != TRI_STEP_OPEN || c->steps.chosen < wanted_parts(c))
        return;
    c->steps.state = TRI_STEP_CHOSEN;
    tri__followers_tell_json(c, TRI_MSG_CHOSEN,
                             json_pack("{s:I, s:o}", "step", (json_int_t)step, "tasks", tasks_json(c->steps.chosen_task, c->steps.chosen)));
    tri_status status = tri__stretch_choose(c->server->stretch, step, c->steps.chosen_task, c->steps.chosen);
    if (status)
        tri__coordinator_fail(c, status);
    else
        tri__server_settle(c->server);
}

/* A worker's gradient has come: it is chosen if it is one of the first, and dropped if it is late. */
static void add_choice(tri__coordinator *c, int task, int64_t step)
{
    tri__steps *steps = &c->steps;
    const tri__member *member = &c->members.member[task];
    if (step != tri__coordinator_step(c) || steps->state != TRI_STEP_OPEN || has_chosen(steps, task))
        return;
    if (!member->tokens || member->token[0].step != step)
        return; /* it has no token for this step */
    int at = steps->chosen++;
    for (; at > 0 && steps->chosen_task[at - 1] > task; at--) { /* in the order of tasks */
        steps->chosen_task[at] = steps->chosen_task[at - 1];
        steps->chosen_token[at] = steps->chosen_token[at - 1];
    }
    steps->chosen_task[at] = task;
    steps->chosen_token[at] = member->token[0];
    tri__steps_choose(c);
}

void tri__steps_expect_nothing(tri__coordinator *c, int task, int64_t step)
{
    tri__followers_tell(c, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = step});
    tri__stretch_leave(c->server->stretch, task, step);
    tri__server_settle(c->server);
}

/* A worker that is chosen once its first chunk has come may be stopped before the other chunks and servers have theirs. They complete their
 * steps without it. The present step waits for it only if it was chosen there. */
void tri__steps_go_on_without(tri__coordinator *c, int task)
{
    bool awaited = !tri__steps_is_between(&c->steps) && has_chosen(&c->steps, task);
    int64_t step = tri__coordinator_step(c) - !awaited;
    if (step > tri__stretch_left(c->server->stretch, task))
        tri__steps_expect_nothing(c, task, step);
}

/* A push that was taken before is only answered again, though its token may be done. */
bool tri__steps_expects(const tri__peer *peer, const tri__message *push)
{
    const tri__coordinator *c = peer->server->coordinator;
    const tri__member *member = &c->members.member[peer->task];
    return c->settings->mode == TRI_PS_SYNC || push->serial <= tri__stretch_known(c->server->stretch, push->chunk, peer->task) ||
           (member->tokens > 0 && member->token[0].step == push->step);
}

bool tri__steps_pushed(tri__peer *peer, const tri__message *push)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__member *member = &c->members.member[peer->task];
    if (c->settings->mode == TRI_PS_SYNC) {
        add_choice(c, peer->task, push->step);
        return false;
    }
    c->steps.moved = tri__clock_now();
    if (!tri__member_pushed(member, push->step, tri__stretch_chunks(c->server->stretch)) ||
        !tri__tokens_done(c->tokens, peer->task, push->step))
        return false;
    tri__books_count(c, peer->task, &member->token[0]);
    tri__member_end_token(member);
    tri__handover_tell(c);
    if (!tri__coordinator_ends(c))
        grant(c, peer->task, true);
    return true;
}

/* The next step can begin at once: no snapshot, change of members or end comes before it. */
static bool clear_to_go(const tri__coordinator *c)
{
    return c->phase == TRI_JOB_RUNNING && !c->steps.view.outdated && !tri__coordinator_ends(c) && c->recovery.state == TRI_RECOVERY_NONE &&
           !tri__snapshot_due_in_sync(c) && !tri__snapshot_holds_up(c) && tri__steps_may_go_on(c) && !tri__tokens_finished(c->tokens);
}

void tri__steps_issue(tri__coordinator *c, bool more)
{
    const tri__view *view = &c->steps.view;
    c->steps.state = TRI_STEP_OPEN;
    c->steps.chosen = 0;
    for (int i = 0; i < view->count; i++) {
        tri__token token;
        if (tri__tokens_next(c->tokens, view->task[i], &token))
            tri__member_give(&c->members.member[view->task[i]], &token, more);
    }
}

/* All workers are about to be answered. If the next step can begin at once, its token is sent right before the answer, in one piece with
 * it. With backup workers some are answered later, and go_on sends all tokens. */
void tri__steps_chunk_ends(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    if (tri__steps_is_between(&c->steps) || tri__stretch_lowest(server->stretch) <= tri__coordinator_step(c))
        return;
    tri__books_count_step(c);
    tri__tokens_advance(c->tokens);
    tri__members_drop_tokens(&c->members);
    c->steps.state = TRI_STEP_BETWEEN;
    tri__pairs_stepped(c);
    tri__handover_tell(c);
    if (c->settings->backup == 0 && clear_to_go(c))
        tri__steps_issue(c, true);
}

void tri__steps_chunk_ended(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    c->steps.moved = tri__clock_now();
    if (tri__steps_is_between(&c->steps))
        tri__coordinator_go_on(c);
}

bool tri__steps_renew_view(tri__coordinator *c)
{
    tri__view *view = &c->steps.view;
    if (tri__members_ready(&c->members) == 0)
        return false; /* nobody makes a step */
    if (view->outdated) {
        view->outdated = false;
        view->count = 0;
        for (int task = 0; task < c->members.tasks; task++) {
            tri__member *member = &c->members.member[task];
            tri__tokens_leave(c->tokens, task); /* joins again below, if it or a process in its place is ready */
            tri__member_join(member, c->tokens, task);
            if (member->state == TRI_MEMBER_TAKES_PART)
                view->task[view->count++] = task;
        }
        view->number++;
        tri__handover_tell(c);
        tri_status status = tri__stretch_view(c->server->stretch, tri__coordinator_step(c), view->task, view->count);
        if (status) {
            tri__coordinator_fail(c, status);
            return false;
        }
        tri__followers_tell_json(c, TRI_MSG_VIEW,
                                 json_pack("{s:I, s:I, s:o}", "view", (json_int_t)view->number, "step",
                                           (json_int_t)tri__coordinator_step(c), "tasks", tasks_json(view->task, view->count)));
    }
    for (int i = 1; i < c->settings->servers; i++)
        if (c->steps.seen[i] != view->number)
            return false;
    return view->count > 0;
}

void tri__steps_knows_view(tri__steps *steps, int server)
{
    steps->seen[server] = steps->view.number;
}

void tri__steps_seen(tri__coordinator *c, int server, const tri__message *message)
{
    if (c->follower[server].state != TRI_FOLLOWER_HOLDING)
        return; /* from before all went back */
    c->steps.seen[server] = message->view;
    tri__coordinator_go_on(c);
}

void tri__steps_clip(tri__coordinator *c)
{
    double squares;
    if (!tri__stretch_gathered(c->server->stretch, &squares))
        return;
    for (int i = 1; i < c->settings->servers; i++) {
        if (!c->steps.norm[i].known)
            return;
        squares += c->steps.norm[i].squares;
    }
    forget_norms(&c->steps);
    double norm = sqrt(squares), clip = (double)c->job.rule.clip, factor = norm > clip ? clip / norm : 1;
    tri__followers_tell(c, &(tri__message){.type = TRI_MSG_NORM, .step = tri__coordinator_step(c), .norm = factor});
    tri__stretch_scale(c->server->stretch, (tri__clip_factor){tri__coordinator_step(c) + 1, factor});
    for (uint32_t i = 0; i < tri__stretch_chunks(c->server->stretch); i++)
        tri__server_answer_all(c->server, tri__stretch_first(c->server->stretch) + i);
    tri__steps_chunk_ended(c->server);
}

/* A server may send its norm more than once, for example when a late part comes. The norm may also be of a step that is over, or from
 * before all went back. */
void tri__steps_norm(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    const tri__follower *follower = &c->follower[peer->task];
    if (follower->state != TRI_FOLLOWER_HOLDING || message->generation != c->server->generation ||
        message->step != tri__coordinator_step(c))
        return;
    c->steps.norm[peer->task] = (tri__part_of_norm){.known = true, .squares = message->norm};
    tri__steps_clip(c);
}
