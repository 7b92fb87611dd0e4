/* steps.c: whose turn it is.
 *
 * Async: every member has tokens of its own, one for each update. Sync: the members of a view share each step; views change between two
 * steps only, after all servers know the new one. With backup workers the first so many whose gradient has come make up the step. */
#include <math.h>

#include "base/clock.h"
#include "store/ps/server/coordinator.h"

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

/* With --checkpoint-every N steps, at most N are ever lost: no step begins beyond the next checkpoint before that is written. A checkpoint
 * that could not be written is told, and training goes on. */
bool tri__steps_may_go_on(const tri__coordinator *c)
{
    int64_t every = c->job.checkpoint_every;
    return every == 0 || tri__coordinator_step(c) + tri__tokens_describe(c->tokens).held < c->snapshot.kept + every;
}

/* Silent members may hold what is left until then. The others do not wait for them: a checkpoint now lets them go on. Only where the silent
 * hold as much as may be lost, nobody can. */
bool tri__steps_held_up(const tri__coordinator *c)
{
    if (c->settings->mode == TRI_PS_SYNC || tri__steps_may_go_on(c) || tri__coordinator_step(c) == c->snapshot.kept)
        return false;
    return tri__members_all_named(&c->members);
}

/* Async: as many as it can use. more: its answer follows. */
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

/* Backup workers: how many gradients make up the step: all but the backup, and never more than can still come. */
static int wanted_parts(const tri__coordinator *c)
{
    int wanted = c->view_count - c->settings->backup, possible = c->chosen;
    for (int i = 0; i < c->view_count; i++) {
        bool chosen = false;
        for (int j = 0; j < c->chosen; j++)
            chosen |= c->chosen_task[j] == c->view_task[i];
        const tri__member *member = &c->members.member[c->view_task[i]];
        possible +=
            !chosen && member->state >= TRI_MEMBER_READY && member->tokens > 0; /* one in another's place has no part of this step */
    }
    wanted = wanted > 1 ? wanted : 1;
    return wanted < possible ? wanted : possible;
}

void tri__steps_choose(tri__coordinator *c)
{
    int64_t step = tri__coordinator_step(c);
    if (!c->issued || c->chosen_step == step || c->chosen < wanted_parts(c))
        return;
    c->chosen_step = step;
    tri__followers_tell_json(c, TRI_MSG_CHOSEN,
                             json_pack("{s:I, s:o}", "step", (json_int_t)step, "tasks", tasks_json(c->chosen_task, c->chosen)));
    tri_status status = tri__stretch_choose(c->server->stretch, step, c->chosen_task, c->chosen);
    if (status)
        tri__coordinator_fail(c, status);
    else
        tri__server_settle(c->server);
}

/* A worker's gradient has come: it is one of the first, or late. */
static void add_choice(tri__coordinator *c, int task, int64_t step)
{
    if (step != tri__coordinator_step(c) || c->chosen_step == step)
        return;
    for (int i = 0; i < c->chosen; i++)
        if (c->chosen_task[i] == task)
            return;
    int at = c->chosen++;
    for (; at > 0 && c->chosen_task[at - 1] > task; at--) /* in the order of tasks */
        c->chosen_task[at] = c->chosen_task[at - 1];
    c->chosen_task[at] = task;
    tri__steps_choose(c);
}

bool tri__coordinator_pushed(tri__peer *peer, const tri__message *push)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__member *member = &c->members.member[peer->task];
    if (c->settings->mode == TRI_PS_SYNC) {
        add_choice(c, peer->task, push->step);
        return false;
    }
    c->moved = tri__clock_now();
    if (!tri__member_pushed(member, push->step, tri__stretch_chunks(c->server->stretch)) ||
        !tri__tokens_done(c->tokens, peer->task, push->step))
        return false;
    tri__books_count(c, peer->task, &member->token[0]);
    tri__member_end_token(member);
    if (!c->enough && !c->stop_wanted)
        grant(c, peer->task, true);
    return true;
}

/* Nothing stands between this step and the next: no snapshot, no change of members, no end. */
static bool clear_to_go(const tri__coordinator *c)
{
    return c->phase == TRI_JOB_RUNNING && !c->changed && !c->enough && !c->stop_wanted && c->recovery.state == TRI_RECOVERY_NONE &&
           !tri__snapshot_due_in_sync(c) && !tri__snapshot_holds_up(c) && tri__steps_may_go_on(c) && !tri__tokens_finished(c->tokens);
}

void tri__steps_issue(tri__coordinator *c, bool more)
{
    c->issued = true;
    c->chosen = 0;
    c->chosen_step = -1;
    for (int i = 0; i < c->view_count; i++) {
        tri__token token;
        if (tri__tokens_next(c->tokens, c->view_task[i], &token))
            tri__member_give(&c->members.member[c->view_task[i]], &token, more);
    }
}

/* Everyone is about to be answered: where nothing stands in between, the next step's token goes ahead of the answer, in one piece with it.
 * With backup workers some are answered later, and all get theirs from go_on. */
void tri__coordinator_step_ends(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    if (!c->issued || tri__stretch_lowest(server->stretch) <= tri__coordinator_step(c))
        return;
    tri__books_count_step(c);
    tri__tokens_advance(c->tokens);
    tri__members_drop_tokens(&c->members);
    c->issued = false;
    if (c->settings->backup == 0 && clear_to_go(c))
        tri__steps_issue(c, true);
}

void tri__coordinator_stepped(tri__server *server)
{
    tri__coordinator *c = server->coordinator;
    c->moved = tri__clock_now();
    if (!c->issued)
        tri__coordinator_go_on(c);
}

/* Members as they are now; false until every server knows them. */
bool tri__steps_renew_view(tri__coordinator *c)
{
    if (tri__members_ready(&c->members) == 0)
        return false; /* nobody makes a step */
    if (c->changed) {
        c->changed = false;
        c->view_count = 0;
        for (int task = 0; task < c->members.tasks; task++) {
            tri__member *member = &c->members.member[task];
            tri__tokens_leave(c->tokens, task); /* and comes anew, where it is still there, or another process in its place */
            tri__member_join(member, c->tokens, task);
            if (member->state == TRI_MEMBER_TAKES_PART)
                c->view_task[c->view_count++] = task;
        }
        c->view++;
        tri_status status = tri__stretch_view(c->server->stretch, tri__coordinator_step(c), c->view_task, c->view_count);
        if (status) {
            tri__coordinator_fail(c, status);
            return false;
        }
        tri__followers_tell_json(c, TRI_MSG_VIEW,
                                 json_pack("{s:I, s:I, s:o}", "view", (json_int_t)c->view, "step", (json_int_t)tri__coordinator_step(c),
                                           "tasks", tasks_json(c->view_task, c->view_count)));
    }
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].seen != c->view)
            return false;
    return c->view_count > 0;
}

void tri__steps_seen(tri__coordinator *c, int server, const tri__message *message)
{
    if (c->follower[server].state != TRI_FOLLOWER_HOLDING)
        return; /* from before all went back */
    c->follower[server].seen = message->view;
    tri__coordinator_go_on(c);
}

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
    tri__followers_tell(c, &(tri__message){.type = TRI_MSG_NORM, .step = tri__coordinator_step(c), .norm = factor});
    tri__stretch_scale(c->server->stretch, factor);
    for (uint32_t i = 0; i < tri__stretch_chunks(c->server->stretch); i++)
        tri__server_answer_all(c->server, tri__stretch_first(c->server->stretch) + i);
    tri__coordinator_stepped(c->server);
}

/* A server may tell it again, as when a late part comes, and it may be of a step that is over, or of a time before all went back. */
void tri__steps_norm(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    tri__follower *follower = &c->follower[peer->task];
    if (follower->state != TRI_FOLLOWER_HOLDING || message->view != c->server->generation || message->step != tri__coordinator_step(c))
        return;
    follower->squares = message->norm;
    follower->gathered = true;
    tri__coordinator_clip(c);
}
