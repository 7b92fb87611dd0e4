/* books.c: shares of workers, counted, written and read. */
#include "store/ps/server/books.h"

#include "data/batch/shard.h"
#include "store/ps/server/coordinator.h"

static int64_t count_of(const json_t *from, const char *key)
{
    int64_t count = tri__json_integer_of(from, key, 0);
    return count > 0 && count <= TRI_FURTHEST ? count : 0;
}

void tri__books_count(tri__coordinator *c, int task, const tri__token *token)
{
    const tri__work *work = &c->job.work;
    const tri__shard shard = {
        .batch = work->batch, .worker = token->index, .workers = token->workers, .examples = work->examples, .end = work->last_position};
    tri__share *share = &c->books.share[task];
    share->steps++;
    share->examples += tri__shard_slice(&shard, token->position).count;
}

void tri__books_count_step(tri__coordinator *c)
{
    int64_t step = tri__coordinator_step(c);
    const tri__view *view = &c->steps.view;
    for (int i = 0; i < view->count; i++) {
        int task = view->task[i];
        const tri__member *member = &c->members.member[task];
        bool within = c->settings->backup ? tri__steps_has_chosen(&c->steps, task) : member->tokens > 0;
        if (within && member->token[0].step == step)
            tri__books_count(c, task, &member->token[0]);
    }
}

/* With backup workers the step counts those that were chosen, whoever has left since. */
void tri__books_count_leaver(tri__coordinator *c, int task)
{
    const tri__member *member = &c->members.member[task];
    if (!tri__steps_is_between(&c->steps) && !c->settings->backup && member->tokens > 0 && !tri__stretch_lacks(c->server->stretch, task))
        tri__books_count(c, task, &member->token[0]);
}

json_t *tri__books_write(const tri__coordinator *c)
{
    json_t *workers = json_array();
    for (int task = 0; task < c->members.tasks; task++) {
        const tri__share *share = &c->books.share[task];
        if (share->steps)
            json_array_append_new(workers, json_pack("{s:i, s:I, s:I}", "task", task, "steps", (json_int_t)share->steps, "examples",
                                                     (json_int_t)share->examples));
    }
    tri__losses losses = tri__books_losses(c);
    return json_pack("{s:I, s:I, s:I, s:o}", "lost", (json_int_t)losses.lost, "dropped", (json_int_t)losses.dropped, "re_leased",
                     (json_int_t)losses.re_leased, "workers", workers);
}

tri__share tri__books_share(const json_t *books, int task)
{
    const json_t *workers = json_object_get(books, "workers");
    for (size_t i = 0; i < json_array_size(workers); i++) {
        const json_t *row = json_array_get(workers, i);
        if (tri__json_integer_of(row, "task", -1) == task)
            return (tri__share){.steps = count_of(row, "steps"), .examples = count_of(row, "examples")};
    }
    return (tri__share){0};
}

void tri__books_go_back(tri__coordinator *c, const json_t *books)
{
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        c->books.share[task] = tri__books_share(books, task);
        if (c->books.share[task].steps)
            tri__members_count_in(&c->members, task);
    }
}

void tri__books_take_losses(tri__coordinator *c, const json_t *books)
{
    c->books.before = (tri__losses){count_of(books, "lost"), count_of(books, "dropped"), count_of(books, "re_leased")};
}

tri__losses tri__books_losses(const tri__coordinator *c)
{
    const tri__stretch *stretch = c->server->stretch;
    const tri__losses *before = &c->books.before;
    return (tri__losses){
        .lost = before->lost + c->recovery.lost,
        .dropped = before->dropped + (stretch ? tri__stretch_dropped(stretch) : 0),
        .re_leased = before->re_leased + (c->tokens ? tri__tokens_describe(c->tokens).again : 0),
    };
}
