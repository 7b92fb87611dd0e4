/* tokens.c: which worker does which step.
 *
 * A batch that was handed out is a lease: a member holds it, or it has come back from a member that left. A new lease is made only if none
 * has come back, so there are never more leases than all members can hold, or than a checkpoint brought. So all memory is allocated at the
 * beginning, and only create and rollback can fail. With fixed parts, leases are also made for members that have not asked yet, as long as
 * there is room. */
#include "store/ps/protocol/tokens.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/order/shard.h"

typedef struct {
    int64_t step, position;
} lease;

typedef struct {
    bool live;
    int64_t clock; /* the steps that it has done, plus those that the slowest had done when it joined */
    int64_t read;  /* what the slowest had done at its last grant: what it reads later contains that of all members */
    lease held[TRI_MOST_HELD];
    int count; /* length of `held` */
    bool idle; /* fixed parts: there was nothing for it when it last asked */
    int index; /* sync: its part of the step that is given out, until it asks for it; −1: none */
} member;

struct tri__tokens {
    tri__ps_settings settings;
    tri__work work;
    int64_t step, position; /* of the next new lease; sync: of the step to be done */
    int64_t done;           /* updates */
    lease *back;            /* [returned] leases without a holder; the lowest step is the last */
    int returned, capacity;
    int parts; /* sync: how many parts the step has that is given out; 0: none is given out */
    int used;  /* only members below this number may be live */
    int64_t again;
    member members[TRI_MOST_MEMBERS];
};

static bool is_sync(const tri__tokens *tokens)
{
    return tokens->settings.mode == TRI_PS_SYNC;
}

static bool is_live(const tri__tokens *tokens, int number)
{
    return number >= 0 && number < tokens->used && tokens->members[number].live;
}

static member *find(tri__tokens *tokens, int number)
{
    return is_live(tokens, number) ? &tokens->members[number] : NULL;
}

/* The position after a step that `workers` workers share. */
static int64_t behind(const tri__tokens *tokens, int64_t position, int workers)
{
    const tri__work *work = &tokens->work;
    tri__shard shard = {.batch = work->batch, .workers = workers, .examples = work->examples, .end = work->last_position};
    return tri__shard_slice(&shard, position).after;
}

/* ---- beginning, and beginning again ---- */

static tri_status check_work(const tri__work *work)
{
    int64_t largest;
    if (work->examples < 1 || work->batch < 1 || work->last_step < 0 || work->last_position < 0 ||
        __builtin_mul_overflow(work->batch, TRI_MOST_MEMBERS, &largest))
        return tri_fail(TRI_BAD_CALL, "%" PRId64 " examples in batches of %" PRId64 " cannot be shared out", work->examples, work->batch);
    return NULL;
}

static tri_status check_progress(const tri__tokens *tokens, const tri__standing *standing)
{
    if (standing->step < 0 || standing->step > TRI_FURTHEST || standing->position < 0 || standing->position > TRI_FURTHEST ||
        standing->count < 0)
        return tri_fail(TRI_BAD_DATA, "step %" PRId64 " at position %" PRId64 ": no run can have come there", standing->step,
                        standing->position);
    if (is_sync(tokens) && standing->count > 0)
        return tri_fail(TRI_BAD_CALL, "a sync run cannot make up for %d outstanding batches: it goes on at the low-water mark",
                        standing->count);
    int64_t before = -1;
    for (int i = 0; i < standing->count; i++) {
        int64_t position = standing->outstanding[i];
        if (position <= before || position >= standing->position)
            return tri_fail(TRI_BAD_DATA, "outstanding position %" PRId64 " before position %" PRId64 ": it is out of order", position,
                            standing->position);
        before = position;
    }
    return NULL;
}

static tri_status make_room(tri__tokens *tokens, int outstanding)
{
    int wanted = TRI_MOST_MEMBERS * TRI_MOST_HELD;
    if (outstanding > wanted)
        wanted = outstanding;
    if (wanted <= tokens->capacity)
        return NULL;
    lease *back;
    TRI_TRY(tri__allocate((size_t)wanted, sizeof *back, "outstanding batches", &back));
    free(tokens->back);
    tokens->back = back;
    tokens->capacity = wanted;
    return NULL;
}

static void forget_holdings(member *m)
{
    m->count = 0;
    m->index = -1;
    m->idle = false;
}

/* Nobody holds anything, and no step is given out. */
static void forget_all_holdings(tri__tokens *tokens)
{
    for (int i = 0; i < tokens->used; i++)
        forget_holdings(&tokens->members[i]);
    tokens->parts = 0;
}

tri_status tri__tokens_rollback(tri__tokens *tokens, const tri__standing *standing)
{
    TRI_TRY(check_progress(tokens, standing));
    if (!is_sync(tokens))
        TRI_TRY(make_room(tokens, standing->count));
    forget_all_holdings(tokens);
    for (int i = 0; i < tokens->used; i++)
        tokens->members[i].clock = tokens->members[i].read = 0;
    tokens->returned = standing->count;
    for (int i = 0; i < standing->count; i++)
        tokens->back[standing->count - 1 - i] = (lease){standing->step + i, standing->outstanding[i]};
    tokens->done = standing->step;
    tokens->step = standing->step + standing->count;
    tokens->position = standing->position;
    return NULL;
}

tri_status tri__tokens_create(const tri__ps_settings *settings, const tri__work *work, const tri__standing *standing, tri__tokens **out)
{
    TRI_TRY(check_work(work));
    tri__tokens *tokens;
    TRI_TRY(tri__allocate(1, sizeof *tokens, "the steps of workers", &tokens));
    tokens->settings = *settings;
    tokens->work = *work;
    tri_status status = tri__tokens_rollback(tokens, standing);
    if (status)
        tri__tokens_destroy(tokens);
    else
        *out = tokens;
    return status;
}

void tri__tokens_destroy(tri__tokens *tokens)
{
    if (!tokens)
        return;
    free(tokens->back);
    free(tokens);
}

/* ---- async and bounded staleness ---- */

static bool has_returned(const tri__tokens *tokens)
{
    if (tokens->returned == 0)
        return false;
    lease first = tokens->back[tokens->returned - 1]; /* a resumed run may be shorter than planned before */
    return first.step < tokens->work.last_step && first.position < tokens->work.last_position;
}

static int64_t count_held(const tri__tokens *tokens)
{
    int64_t held = 0;
    for (int i = 0; i < tokens->used; i++)
        held += tokens->members[i].live ? tokens->members[i].count : 0;
    return held;
}

static bool has_new(const tri__tokens *tokens)
{
    return tokens->step < tokens->work.last_step && tokens->position < tokens->work.last_position;
}

/* Fixed parts: the worker to which the step belongs. */
static int owner_of(const tri__tokens *tokens, int64_t step)
{
    return (int)(step % tokens->settings.workers);
}

/* Fixed parts: the lease with the lowest step that nobody holds and that belongs to this member; orphans: that belongs to a worker that is
 * not there. −1: there is none. */
static int find_lease(const tri__tokens *tokens, int number, bool orphans)
{
    for (int at = tokens->returned - 1; at >= 0 && has_returned(tokens); at--) {
        int owner = owner_of(tokens, tokens->back[at].step);
        if (tokens->back[at].step >= tokens->work.last_step || tokens->back[at].position >= tokens->work.last_position)
            return -1;
        if (orphans ? !is_live(tokens, owner) : owner == number)
            return at;
    }
    return -1;
}

/* Fixed parts: a step that was not given out yet belongs to this member. */
static bool has_future(const tri__tokens *tokens, int number)
{
    const tri__work *work = &tokens->work;
    int64_t step = tokens->step, position = tokens->position;
    bool found = false;
    for (int i = 0; i < tokens->settings.workers && step < work->last_step && position < work->last_position && !found; i++, step++) {
        found = owner_of(tokens, step) == number;
        position = behind(tokens, position, 1);
    }
    return found;
}

/* Does the member have anything to do? No member waits for one that has done its fixed part. */
static bool has_something(const tri__tokens *tokens, int number)
{
    return !tokens->settings.fixed_parts || tokens->members[number].count > 0 || find_lease(tokens, number, false) >= 0 ||
           has_future(tokens, number) || (!has_new(tokens) && find_lease(tokens, number, true) >= 0);
}

/* The steps of the slowest live member that has something to do; `otherwise`: there is none. */
static int64_t slowest(const tri__tokens *tokens, int64_t otherwise)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < tokens->used; i++)
        if (tokens->members[i].live && tokens->members[i].clock < least && has_something(tokens, i))
            least = tokens->members[i].clock;
    return least < INT64_MAX ? least : otherwise;
}

static bool may_begin(const tri__tokens *tokens, const member *m)
{
    if (m->count == TRI_MOST_HELD)
        return false;
    return tokens->settings.mode != TRI_PS_STALENESS || m->clock + m->count - slowest(tokens, m->clock) <= tokens->settings.staleness;
}

static lease make_lease(tri__tokens *tokens)
{
    lease made = {tokens->step++, tokens->position};
    tokens->position = behind(tokens, tokens->position, 1);
    return made;
}

/* Puts a lease among those that nobody holds, sorted by step. */
static void keep_lease(tri__tokens *tokens, lease one)
{
    assert(tokens->returned < tokens->capacity);
    int at = tokens->returned++;
    for (; at > 0 && tokens->back[at - 1].step < one.step; at--)
        tokens->back[at] = tokens->back[at - 1];
    tokens->back[at] = one;
}

static void return_lease(tri__tokens *tokens, lease one)
{
    keep_lease(tokens, one);
    tokens->again++;
}

static lease take_lease(tri__tokens *tokens, int at)
{
    lease taken = tokens->back[at];
    tokens->returned--;
    memmove(&tokens->back[at], &tokens->back[at + 1], (size_t)(tokens->returned - at) * sizeof *tokens->back);
    return taken;
}

static bool any_lease(tri__tokens *tokens, lease *out)
{
    bool returned = has_returned(tokens);
    if (!returned && !has_new(tokens))
        return false;
    *out = returned ? take_lease(tokens, tokens->returned - 1) : make_lease(tokens);
    return true;
}

/* Fixed parts: makes leases up to the next step of this member; those of other members are kept for them. If too many are kept already, the
 * member has to wait. */
static void make_leases_up_to(tri__tokens *tokens, int number)
{
    int64_t room = tokens->capacity - tokens->returned - count_held(tokens);
    for (bool found = false; !found && room > 0 && has_new(tokens); room--) {
        lease made = make_lease(tokens);
        found = owner_of(tokens, made.step) == number;
        keep_lease(tokens, made);
    }
}

static bool own_lease(tri__tokens *tokens, int number, lease *out)
{
    int at = find_lease(tokens, number, false);
    if (at < 0) {
        make_leases_up_to(tokens, number);
        at = find_lease(tokens, number, false);
    }
    if (at < 0 && !has_new(tokens))
        at = find_lease(tokens, number, true);
    if (at >= 0)
        *out = take_lease(tokens, at);
    return at >= 0;
}

/* Fixed parts: a member that had nothing to do begins again where the slowest is. */
static bool grant_own(tri__tokens *tokens, int number, member *m, lease *out)
{
    int64_t least = slowest(tokens, m->clock);
    if (m->idle && m->clock < least)
        m->clock = least;
    if (!may_begin(tokens, m))
        return false;
    bool found = own_lease(tokens, number, out);
    m->idle = !found && m->count == 0;
    return found;
}

/* Bounded staleness: may the parameters that the member has lack something that those of its next step must contain? */
static bool needs_fresh(tri__tokens *tokens, member *m)
{
    const int64_t next = m->clock + m->count, before = m->read;
    m->read = slowest(tokens, next);
    return tokens->settings.mode == TRI_PS_STALENESS && before < next - tokens->settings.staleness;
}

static bool grant_lease(tri__tokens *tokens, int number, member *m, tri__token *out)
{
    lease granted;
    if (!(tokens->settings.fixed_parts ? grant_own(tokens, number, m, &granted) : may_begin(tokens, m) && any_lease(tokens, &granted)))
        return false;
    const bool fresh = needs_fresh(tokens, m);
    m->held[m->count++] = granted;
    *out = (tri__token){.step = granted.step, .position = granted.position, .index = 0, .workers = 1, .fresh = fresh};
    return true;
}

/* ---- sync ---- */

static void give_out_step(tri__tokens *tokens)
{
    for (int i = 0; i < tokens->used; i++)
        if (tokens->members[i].live)
            tokens->members[i].index = tokens->parts++;
}

static bool grant_part(tri__tokens *tokens, member *m, tri__token *out)
{
    if (!has_new(tokens))
        return false;
    if (tokens->parts == 0)
        give_out_step(tokens);
    if (m->index < 0)
        return false;
    m->held[m->count++] = (lease){tokens->step, tokens->position};
    *out = (tri__token){.step = tokens->step, .position = tokens->position, .index = m->index, .workers = tokens->parts};
    m->index = -1;
    return true;
}

void tri__tokens_advance(tri__tokens *tokens)
{
    assert(is_sync(tokens) && tokens->parts > 0);
    tokens->position = behind(tokens, tokens->position, tokens->parts);
    tokens->done = ++tokens->step;
    forget_all_holdings(tokens);
}

/* ---- members ---- */

bool tri__tokens_join(tri__tokens *tokens, int number)
{
    if (number < 0 || number >= TRI_MOST_MEMBERS || find(tokens, number))
        return false;
    int64_t clock = slowest(tokens, 0);
    if (number >= tokens->used)
        tokens->used = number + 1;
    member *m = &tokens->members[number];
    m->live = true;
    m->clock = clock;
    m->read = 0; /* it has pulled all, but others may have gone on since */
    forget_holdings(m);
    return true;
}

void tri__tokens_leave(tri__tokens *tokens, int number)
{
    member *m = find(tokens, number);
    if (!m)
        return;
    assert(!is_sync(tokens) || tokens->parts == 0);
    m->live = false;
    while (m->count > 0)
        return_lease(tokens, m->held[--m->count]);
}

bool tri__tokens_next(tri__tokens *tokens, int number, tri__token *out)
{
    member *m = find(tokens, number);
    if (!m)
        return false;
    return is_sync(tokens) ? grant_part(tokens, m, out) : grant_lease(tokens, number, m, out);
}

bool tri__tokens_done(tri__tokens *tokens, int number, int64_t step)
{
    assert(!is_sync(tokens));
    member *m = find(tokens, number);
    int at = 0;
    while (m && at < m->count && m->held[at].step != step)
        at++;
    if (!m || at == m->count)
        return false;
    m->count--;
    memmove(&m->held[at], &m->held[at + 1], (size_t)(m->count - at) * sizeof *m->held);
    m->clock++;
    tokens->done++;
    return true;
}

/* ---- what there is to tell ---- */

int64_t tri__tokens_steps(const tri__tokens *tokens)
{
    return tokens->done;
}

bool tri__tokens_finished(const tri__tokens *tokens)
{
    return !has_new(tokens) && (is_sync(tokens) || (!has_returned(tokens) && count_held(tokens) == 0));
}

tri__tokens_report tri__tokens_describe(const tri__tokens *tokens)
{
    return (tri__tokens_report){.held = count_held(tokens), .again = tokens->again};
}

static int compare_positions(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void list_outstanding(const tri__tokens *tokens, tri__standing *out)
{
    for (int i = 0; i < tokens->returned; i++)
        out->outstanding[out->count++] = tokens->back[i].position;
    for (int i = 0; i < tokens->used; i++)
        for (int j = 0; tokens->members[i].live && j < tokens->members[i].count; j++)
            out->outstanding[out->count++] = tokens->members[i].held[j].position;
    qsort(out->outstanding, (size_t)out->count, sizeof *out->outstanding, compare_positions);
    out->low = out->outstanding[0];
}

tri_status tri__tokens_standing(const tri__tokens *tokens, tri__standing *out)
{
    *out = (tri__standing){.step = tokens->done, .position = tokens->position, .low = tokens->position};
    size_t count = is_sync(tokens) ? 0 : (size_t)(tokens->returned + count_held(tokens));
    if (count == 0)
        return NULL;
    TRI_TRY(tri__allocate(count, sizeof *out->outstanding, "the batches that are not done", &out->outstanding));
    list_outstanding(tokens, out);
    return NULL;
}

void tri__standing_fini(tri__standing *standing)
{
    free(standing->outstanding);
    json_decref(standing->books);
    *standing = (tri__standing){0};
}

json_t *tri__standing_json(const tri__standing *standing)
{
    json_t *outstanding = json_array();
    for (int i = 0; i < standing->count; i++)
        json_array_append_new(outstanding, json_integer(standing->outstanding[i]));
    return json_pack("{s:I, s:I, s:I, s:o, s:O*}", "step", (json_int_t)standing->step, "position", (json_int_t)standing->position, "low",
                     (json_int_t)standing->low, "outstanding", outstanding, "books", standing->books);
}

static bool read_number(const json_t *json, int64_t *out)
{
    *out = json_is_integer(json) ? json_integer_value(json) : -1;
    return *out >= 0 && *out <= TRI_FURTHEST;
}

tri_status tri__standing_read(const json_t *json, tri__standing *out)
{
    const json_t *list = json_object_get(json, "outstanding");
    *out = (tri__standing){0};
    bool sound = read_number(json_object_get(json, "step"), &out->step) && read_number(json_object_get(json, "position"), &out->position) &&
                 read_number(json_object_get(json, "low"), &out->low) && json_array_size(list) <= (size_t)TRI_MOST_MEMBERS * TRI_MOST_HELD;
    if (sound && json_array_size(list) > 0)
        TRI_TRY(tri__allocate(json_array_size(list), sizeof *out->outstanding, "the batches that are not done", &out->outstanding));
    for (size_t i = 0; sound && i < json_array_size(list); i++)
        sound = read_number(json_array_get(list, i), &out->outstanding[out->count++]);
    if (sound) {
        out->books = json_incref(json_object_get(json, "books"));
        return NULL;
    }
    tri__standing_fini(out);
    return tri_fail(TRI_BAD_DATA, "where a job stands, in numbers that cannot be");
}
