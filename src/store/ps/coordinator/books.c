/* books.c: shares of workers, counted, written and read. */
#include "store/ps/coordinator/books.h"

#include "data/order/shard.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/stretch/gather.h"

/* Can this be a number of steps, updates or examples? A message or a file may say anything. */
static bool is_count(int64_t count)
{
    return count >= 0 && count <= TRI_FURTHEST;
}

static int64_t count_of(const json_t *from, const char *key)
{
    int64_t count = tri__json_integer_of(from, key, 0);
    return is_count(count) ? count : 0;
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
    if (c->settings->backup) {
        for (int i = 0; i < c->steps.chosen; i++)
            tri__books_count(c, c->steps.chosen_task[i], &c->steps.chosen_token[i]);
        return;
    }
    for (int i = 0; i < view->count; i++) {
        const tri__member *member = &c->members.member[view->task[i]];
        if (member->tokens > 0 && member->token[0].step == step)
            tri__books_count(c, view->task[i], &member->token[0]);
    }
}

/* With backup workers this counts nothing: tri__books_count_step counts the workers that were chosen, even if they have left since. */
void tri__books_count_leaver(tri__coordinator *c, int task)
{
    const tri__member *member = &c->members.member[task];
    if (!tri__steps_is_between(&c->steps) && !c->settings->backup && member->tokens > 0 && !tri__stretch_lacks(c->server->stretch, task))
        tri__books_count(c, task, &member->token[0]);
}

/* ---- what is lost ---- */

void tri__books_begin(tri__coordinator *c)
{
    const tri__standing *standing = &c->snapshot.standing;
    c->books.began = standing->step;
    c->books.seconds = tri__books_seconds(standing->books);
    c->books.first_generation = c->server->generation;
    int64_t again = c->server->options.recovers ? standing->count : 0; /* an earlier ps:0 had given these batches out */
    c->books.before = (tri__losses){count_of(standing->books, "lost"), count_of(standing->books, "dropped"),
                                    count_of(standing->books, "re_leased") + again};
    tri__books_go_back(c, standing->books);
}

/* A worker whose last welcome came from an earlier ps:0 knows what that ps:0 acknowledged. After a handover nothing of that is lost: a step
 * that the worker knows only from its next token was not acknowledged. */
void tri__books_count_taken_back(tri__coordinator *c, int task, const json_t *hello)
{
    tri__books *books = &c->books;
    uint32_t theirs = (uint32_t)count_of(hello, "generation"), first = books->first_generation;
    if (theirs == 0 || theirs - first <= c->server->generation - first || c->handover.taken)
        return; /* its welcome came from this process, or nothing was lost */
    int64_t reached = count_of(hello, "reached") - books->began, lost = count_of(hello, "done") - books->share[task].steps;
    books->taken_back[task] = lost > books->taken_back[task] ? lost : books->taken_back[task];
    books->reached[task] = reached > books->reached[task] ? reached : books->reached[task];
}

/* Async. A worker that is gone or stopped does not say what was acknowledged to it, but a server that kept its stretch has these updates.
 * For each worker it may have one update more than the earlier ps:0 had. */
void tri__books_count_kept(tri__coordinator *c, int64_t updates)
{
    int workers = c->members.tasks > c->settings->workers ? c->members.tasks : c->settings->workers;
    int64_t beyond = is_count(updates) ? updates - c->books.began - workers : 0;
    if (!c->handover.taken && beyond > c->books.kept_beyond)
        c->books.kept_beyond = beyond;
}

static int64_t count_taken_back(const tri__coordinator *c)
{
    int64_t sum = 0, most = 0;
    for (int task = 0; task < c->members.tasks; task++) {
        sum += c->books.taken_back[task];
        most = c->books.reached[task] > most ? c->books.reached[task] : most;
    }
    bool anew = !c->server->options.recovers && sum > most; /* the run was resumed, and the shares begin anew: the sum says nothing */
    if (c->settings->mode == TRI_PS_SYNC || anew)
        return most;
    return sum > c->books.kept_beyond ? sum : c->books.kept_beyond;
}

static int64_t count_lacking(const tri__coordinator *c)
{
    int64_t lacks = 0;
    for (int i = 1; i < c->settings->servers; i++)
        lacks += c->books.lacks[i];
    return lacks;
}

static void set_lacks(tri__coordinator *c, int server, int64_t lacks, const char *why)
{
    int64_t *known = &c->books.lacks[server];
    lacks = lacks > 0 ? lacks : 0;
    if (lacks > *known)
        tri__log_line(c->server->options.log, TRI_LOG_INFO, "ps:%d lacks %lld updates that count as steps (%lld before): %s", server,
                      (long long)lacks, (long long)*known, why);
    *known = lacks;
}

void tri__books_restored(tri__coordinator *c, int server, int64_t updates)
{
    set_lacks(c, server, tri__coordinator_step(c) - updates, "they are not in what it begins from");
}

/* Async. Some updates that were awaited may never come: their worker is gone, or the server was lost before ps:0 had them. While the job
 * runs, missing updates may still be on their way, so `lacks` only rises. At the end all pushes have been answered: the count is exact. */
void tri__books_copied(tri__coordinator *c, int server, int64_t updates)
{
    int64_t lacks = c->snapshot.standing.step - (is_count(updates) ? updates : 0);
    c->books.updates[server] = updates;
    if (c->settings->mode == TRI_PS_SYNC || !is_count(updates) || (lacks < c->books.lacks[server] && !tri__snapshot_is_last(&c->snapshot)))
        return;
    set_lacks(c, server, lacks, "their workers are gone, or slow");
}

/* ---- written and read ---- */

static json_t *members_json(const tri__coordinator *c)
{
    json_t *tasks = json_array();
    for (int task = 0; task < c->members.tasks; task++)
        if (c->members.member[task].state != TRI_MEMBER_NONE)
            json_array_append_new(tasks, json_integer(task));
    return tasks;
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
    losses.lost -= count_lacking(c);
    return json_pack("{s:I, s:f, s:I, s:I, s:o, s:o}", "lost", (json_int_t)losses.lost, "seconds",
                     c->books.seconds + tri__coordinator_seconds(c), "dropped", (json_int_t)losses.dropped, "re_leased",
                     (json_int_t)losses.re_leased, "workers", workers, "members", members_json(c));
}

double tri__books_seconds(const json_t *books)
{
    double seconds = json_number_value(json_object_get(books, "seconds"));
    return seconds > 0 && seconds < 1e12 ? seconds : 0;
}

bool tri__books_members(const json_t *books, bool *present)
{
    const json_t *members = json_object_get(books, "members");
    bool any = false;
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *task = json_array_get(members, i);
        int64_t number = json_is_integer(task) ? json_integer_value(task) : -1;
        if (number < 0 || number >= TRI_MOST_TASKS)
            continue;
        present[number] = any = true;
    }
    return any;
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

tri__losses tri__books_losses(const tri__coordinator *c)
{
    const tri__stretch *stretch = c->server->stretch;
    const tri__losses *before = &c->books.before;
    return (tri__losses){
        .lost = before->lost + c->recovery.lost + count_taken_back(c) + count_lacking(c),
        .dropped = before->dropped + (stretch ? tri__stretch_dropped(stretch) : 0),
        .re_leased = before->re_leased + (c->tokens ? tri__tokens_describe(c->tokens).again : 0),
    };
}

static void note_copies(json_t *books, json_t *updates, json_t *pushed)
{
    json_object_set_new(books, "updates", updates);
    json_object_set(books, "pushed", pushed);
}

void tri__books_note_copies(const tri__coordinator *c, json_t *books, json_t *pushed)
{
    json_t *updates = json_array();
    for (int i = 1; i < c->settings->servers; i++)
        json_array_append_new(updates, json_integer(c->books.updates[i]));
    note_copies(books, updates, pushed);
}

void tri__books_pass_copies(const tri__coordinator *c, const tri__standing *from, json_t *to)
{
    json_t *updates = json_array();
    for (int i = 1; i < c->settings->servers; i++)
        json_array_append_new(updates, json_integer(tri__books_updates(from->books, i, from->step)));
    note_copies(to, updates, json_object_get(from->books, "pushed"));
}

int64_t tri__books_updates(const json_t *books, int server, int64_t usual)
{
    const json_t *updates = json_array_get(json_object_get(books, "updates"), (size_t)server - 1);
    int64_t count = json_is_integer(updates) ? json_integer_value(updates) : -1;
    return is_count(count) ? count : usual;
}

const json_t *tri__books_pushed(const json_t *books, int server)
{
    return json_array_get(json_object_get(books, "pushed"), (size_t)server - 1);
}
