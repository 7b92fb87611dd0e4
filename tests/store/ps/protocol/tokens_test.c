/* tokens_test.c: who does which step, driven through thousands of random histories of members that join, ask, do and leave. */
#include "store/ps/protocol/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "data/order/shard.h"
#include "support.h"

enum { MEMBERS = 9, MOST_EXAMPLES = 64, MOST_EPOCHS = 8, MOST_STEPS = MOST_EPOCHS * MOST_EXAMPLES + 1 };

static tri__tokens *create(tri__ps_mode mode, tri__work work, tri__standing progress)
{
    tri__tokens *tokens;
    assert_ok(tri__tokens_create(&(tri__ps_settings){.mode = mode, .staleness = 1}, &work, &progress, &tokens));
    return tokens;
}

static tri__token grant(tri__tokens *tokens, int member)
{
    tri__token token;
    assert_true(tri__tokens_next(tokens, member, &token));
    return token;
}

static bool refuses(tri__tokens *tokens, int member)
{
    tri__token token;
    return !tri__tokens_next(tokens, member, &token);
}

static void assert_token(tri__token token, int64_t step, int64_t position, int index, int workers)
{
    assert_int_equal(token.step, step);
    assert_int_equal(token.position, position);
    assert_int_equal(token.index, index);
    assert_int_equal(token.workers, workers);
}

static void async_gives_each_step_to_one_worker(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_ASYNC, (tri__work){10, 4, 5, INT64_MAX}, (tri__standing){0});
    assert_true(refuses(tokens, 0));
    assert_true(tri__tokens_join(tokens, 0) && tri__tokens_join(tokens, 1023));
    assert_false(tri__tokens_join(tokens, 0) || tri__tokens_join(tokens, 1024) || tri__tokens_join(tokens, -1));
    assert_token(grant(tokens, 0), 0, 0, 0, 1);
    assert_token(grant(tokens, 1023), 1, 4, 0, 1);
    assert_token(grant(tokens, 1023), 2, 8, 0, 1);
    assert_token(grant(tokens, 0), 3, 10, 0, 1);  /* the next epoch */
    assert_false(tri__tokens_done(tokens, 0, 1)); /* not its own */
    assert_true(tri__tokens_done(tokens, 1023, 2));
    assert_false(tri__tokens_done(tokens, 1023, 2));
    tri__tokens_leave(tokens, 0);
    tri__tokens_leave(tokens, 0);
    assert_false(tri__tokens_done(tokens, 0, 0)); /* it left: it is too late */
    assert_true(tri__tokens_join(tokens, 0));
    assert_token(grant(tokens, 1023), 0, 0, 0, 1);
    assert_token(grant(tokens, 0), 3, 10, 0, 1);
    assert_token(grant(tokens, 0), 4, 14, 0, 1);
    assert_true(refuses(tokens, 0));
    assert_int_equal(tri__tokens_describe(tokens).again, 2);
    assert_int_equal(tri__tokens_describe(tokens).held, 4);
    assert_false(tri__tokens_finished(tokens));
    assert_true(tri__tokens_done(tokens, 1023, 0) && tri__tokens_done(tokens, 1023, 1));
    assert_true(tri__tokens_done(tokens, 0, 4) && tri__tokens_done(tokens, 0, 3));
    assert_true(tri__tokens_finished(tokens));
    tri__tokens_destroy(tokens);
    tri__tokens_destroy(NULL);
}

static void a_member_holds_only_so_many_tokens(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_ASYNC, (tri__work){10, 1, INT64_MAX, INT64_MAX}, (tri__standing){0});
    assert_true(tri__tokens_join(tokens, 3));
    for (int i = 0; i < TRI_MOST_HELD; i++)
        assert_int_equal(grant(tokens, 3).step, i);
    assert_true(refuses(tokens, 3));
    assert_true(tri__tokens_done(tokens, 3, 17));
    assert_int_equal(grant(tokens, 3).step, TRI_MOST_HELD);
    tri__tokens_destroy(tokens);
}

static void staleness_bounds_how_far_a_member_is_ahead(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_STALENESS, (tri__work){10, 1, INT64_MAX, INT64_MAX}, (tri__standing){0});
    assert_true(tri__tokens_join(tokens, 0) && tri__tokens_join(tokens, 1));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(grant(tokens, 0).step, i);
        assert_true(tri__tokens_done(tokens, 0, i));
    }
    assert_true(refuses(tokens, 0)); /* it would begin its step 2, the other has done none */
    assert_int_equal(grant(tokens, 1).step, 2);
    assert_true(refuses(tokens, 0));
    assert_true(tri__tokens_done(tokens, 1, 2));
    assert_int_equal(grant(tokens, 0).step, 3);
    assert_true(refuses(tokens, 0));          /* what it holds counts */
    assert_true(tri__tokens_join(tokens, 2)); /* begins with the slowest, which has done 1 */
    tri__tokens_leave(tokens, 1);
    assert_true(refuses(tokens, 0));
    tri__tokens_leave(tokens, 2);
    assert_int_equal(grant(tokens, 0).step, 4);
    tri__tokens_destroy(tokens);
}

/* Grants the member a token and ends it. True: the member had to pull the parameters before the step. */
static bool makes_step_on_fresh_parameters(tri__tokens *tokens, int member)
{
    tri__token token = grant(tokens, member);
    assert_true(tri__tokens_done(tokens, member, token.step));
    return token.fresh;
}

/* Parameters are read when a step ends, before the member waits for the others. */
static void a_member_that_was_at_the_bound_begins_its_next_step_with_fresh_parameters(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_STALENESS, (tri__work){10, 1, INT64_MAX, INT64_MAX}, (tri__standing){0});
    assert_true(tri__tokens_join(tokens, 0) && tri__tokens_join(tokens, 1));
    assert_false(makes_step_on_fresh_parameters(tokens, 0));
    assert_false(makes_step_on_fresh_parameters(tokens, 0)); /* it began 1 ahead, and its read contains no step of the other */
    assert_true(refuses(tokens, 0));
    assert_false(makes_step_on_fresh_parameters(tokens, 1));
    assert_true(makes_step_on_fresh_parameters(tokens, 0)); /* must contain the other's first step */
    for (int i = 0; i < 3; i++)                             /* the slowest needs nothing that it has not read */
        assert_false(makes_step_on_fresh_parameters(tokens, 1));
    assert_true(makes_step_on_fresh_parameters(tokens, 0));
    assert_false(makes_step_on_fresh_parameters(tokens, 0)); /* it began with the other, so what it read later is new enough */
    assert_true(tri__tokens_join(tokens, 2));
    assert_true(makes_step_on_fresh_parameters(tokens, 2)); /* it has pulled all, nobody knows when */
    tri__tokens_destroy(tokens);
}

static void sync_gives_every_member_its_part_of_each_step(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_SYNC, (tri__work){20, 4, 5, INT64_MAX}, (tri__standing){.step = 1, .position = 8, .low = 8});
    assert_true(tri__tokens_join(tokens, 5) && tri__tokens_join(tokens, 2));
    assert_token(grant(tokens, 5), 1, 8, 1, 2);
    assert_true(refuses(tokens, 5));
    assert_true(tri__tokens_join(tokens, 0)); /* waits for the next step */
    assert_true(refuses(tokens, 0));
    assert_token(grant(tokens, 2), 1, 8, 0, 2);
    assert_int_equal(tri__tokens_describe(tokens).held, 2);
    tri__tokens_advance(tokens);
    assert_int_equal(tri__tokens_describe(tokens).held, 0);
    assert_int_equal(tri__tokens_steps(tokens), 2);
    tri__tokens_leave(tokens, 5);
    assert_token(grant(tokens, 0), 2, 16, 0, 2);
    assert_token(grant(tokens, 2), 2, 16, 1, 2);
    tri__tokens_advance(tokens);
    assert_ok(tri__tokens_rollback(tokens, &(tri__standing){.step = 2, .position = 16}));
    tri__tokens_leave(tokens, 0);
    for (int64_t step = 2, position = 16; step < 5; step++, position += 4) {
        assert_token(grant(tokens, 2), step, position, 0, 1);
        assert_false(tri__tokens_finished(tokens));
        tri__tokens_advance(tokens);
    }
    assert_true(tri__tokens_finished(tokens) && refuses(tokens, 2));
    tri__tokens_destroy(tokens);
}

/* A step that was given out and never applied is given out anew, to whoever is live then. */
static void sync_tokens_go_back_in_the_middle_of_a_step(void **state)
{
    (void)state;
    tri__tokens *tokens = create(TRI_PS_SYNC, (tri__work){100, 4, 9, INT64_MAX}, (tri__standing){0});
    assert_true(tri__tokens_join(tokens, 0) && tri__tokens_join(tokens, 1));
    assert_token(grant(tokens, 1), 0, 0, 1, 2);
    assert_ok(tri__tokens_rollback(tokens, &(tri__standing){0}));
    assert_int_equal(tri__tokens_describe(tokens).held, 0);
    tri__tokens_leave(tokens, 0);
    assert_token(grant(tokens, 1), 0, 0, 0, 1);
    tri__tokens_destroy(tokens);
}

static void tokens_refuse_a_run_that_cannot_be(void **state)
{
    (void)state;
    static const tri__ps_settings async = {.mode = TRI_PS_ASYNC}, sync = {.mode = TRI_PS_SYNC};
    const tri__work work = {10, 4, INT64_MAX, INT64_MAX};
    int64_t falling[] = {4, 0}, late[] = {12};
    tri__tokens *tokens;
    assert_fails(tri__tokens_create(&async, &(tri__work){0, 4, 1, 1}, &(tri__standing){0}, &tokens), TRI_BAD_CALL, "0 examples");
    assert_fails(tri__tokens_create(&async, &(tri__work){9, INT64_MAX / 2, 1, 1}, &(tri__standing){0}, &tokens), TRI_BAD_CALL, "shared");
    assert_fails(tri__tokens_create(&async, &work, &(tri__standing){.step = -1}, &tokens), TRI_BAD_DATA, "step -1");
    assert_fails(tri__tokens_create(&async, &work, &(tri__standing){2, 12, 0, falling, 2, NULL}, &tokens), TRI_BAD_DATA, "out of order");
    assert_fails(tri__tokens_create(&async, &work, &(tri__standing){2, 12, 0, late, 1, NULL}, &tokens), TRI_BAD_DATA, "out of order");
    assert_fails(tri__tokens_create(&sync, &work, &(tri__standing){2, 16, 12, late, 1, NULL}, &tokens), TRI_BAD_CALL, "low-water");
}

/* A run that is resumed to be shorter than it was leaves alone what lies behind its end. */
static void a_run_resumed_to_be_shorter_leaves_what_lies_behind_its_end(void **state)
{
    (void)state;
    int64_t outstanding[] = {4, 8, 14};
    const tri__standing progress = {.step = 3, .position = 24, .low = 4, .outstanding = outstanding, .count = 3};
    tri__tokens *by_steps = create(TRI_PS_ASYNC, (tri__work){10, 4, 4, INT64_MAX}, progress);
    tri__tokens *by_epochs = create(TRI_PS_ASYNC, (tri__work){10, 4, INT64_MAX, 10}, progress);
    assert_true(tri__tokens_join(by_steps, 0) && tri__tokens_join(by_epochs, 0));
    assert_token(grant(by_steps, 0), 3, 4, 0, 1);
    assert_true(refuses(by_steps, 0) && tri__tokens_done(by_steps, 0, 3) && tri__tokens_finished(by_steps));
    assert_token(grant(by_epochs, 0), 3, 4, 0, 1);
    assert_token(grant(by_epochs, 0), 4, 8, 0, 1);
    assert_true(refuses(by_epochs, 0) && tri__tokens_done(by_epochs, 0, 3) && tri__tokens_done(by_epochs, 0, 4));
    assert_true(tri__tokens_finished(by_epochs));
    tri__standing end;
    assert_ok(tri__tokens_standing(by_epochs, &end));
    assert_true(end.count == 1 && end.outstanding[0] == 14 && end.low == 14 && end.step == 5 && end.position == 24);
    tri__standing_fini(&end);
    tri__tokens_destroy(by_steps);
    tri__tokens_destroy(by_epochs);
}

/* ---- random histories ---- */

/* What the test knows by itself, of members and of what is done. */
typedef struct {
    tri__key key;
    uint64_t drawn;
    tri__ps_settings settings;
    tri__work work;
    tri__tokens *tokens;
    bool live[MEMBERS];
    tri__token held[MEMBERS][TRI_MOST_HELD];
    int count[MEMBERS];
    int64_t clock[MEMBERS];
    int parts, come;                       /* sync: of the step that is given out, and of those that are done; 0: none is */
    int done[MOST_STEPS];                  /* updates with this number */
    int seen[MOST_EPOCHS * MOST_EXAMPLES]; /* how often each example is in an update, by position */
    int64_t steps;                         /* updates */
    int64_t again;                         /* tokens that members held when they left */
} history;

static int64_t pick(history *h, int64_t below)
{
    return (int64_t)tri__random_below(h->key, h->drawn++, (uint64_t)below);
}

static void begin(history *h, uint64_t seed, tri__ps_mode mode, bool fixed)
{
    *h = (history){.key = tri__key_of(seed)};
    h->settings = (tri__ps_settings){
        .mode = mode, .staleness = 1 + (int)pick(h, 4), .fixed_parts = fixed, .workers = fixed ? 1 + (int)pick(h, MEMBERS) : 0};
    h->work = (tri__work){1 + pick(h, MOST_EXAMPLES), 1 + pick(h, 9), INT64_MAX, INT64_MAX};
    int64_t epochs = 1 + pick(h, MOST_EPOCHS);
    int64_t steps = epochs * ((h->work.examples - 1) / h->work.batch + 1) / (mode == TRI_PS_SYNC ? MEMBERS : 1);
    if (pick(h, 2))
        h->work.last_step = 1 + pick(h, steps > 0 ? steps : 1);
    else
        h->work.last_position = epochs * h->work.examples;
    assert_ok(tri__tokens_create(&h->settings, &h->work, &(tri__standing){0}, &h->tokens));
}

static int64_t slowest(const history *h)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < MEMBERS; i++)
        if (h->live[i] && h->clock[i] < least)
            least = h->clock[i];
    return least < INT64_MAX ? least : 0;
}

static void join(history *h, int i)
{
    int64_t clock = slowest(h);
    assert_true(tri__tokens_join(h->tokens, i) == !h->live[i]);
    if (h->live[i])
        return;
    h->live[i] = true;
    h->clock[i] = clock;
    h->count[i] = 0;
}

static void leave(history *h, int i)
{
    if (h->parts > 0) /* in the midst of a step */
        return;
    tri__tokens_leave(h->tokens, i);
    if (h->live[i])
        h->again += h->count[i];
    h->live[i] = false;
}

static bool ask(history *h, int i)
{
    tri__token token;
    if (!tri__tokens_next(h->tokens, i, &token))
        return false;
    assert_true(h->live[i]);
    if (h->settings.mode == TRI_PS_STALENESS && !h->settings.fixed_parts) /* there nobody waits for those that have done their part */
        assert_true(h->clock[i] + h->count[i] - slowest(h) <= h->settings.staleness);
    assert_true(token.step < h->work.last_step && token.position < h->work.last_position);
    if (h->settings.fixed_parts) { /* its own, or that of one who is not there */
        int owner = (int)(token.step % h->settings.workers);
        assert_true(owner == i || !h->live[owner]);
    }
    for (int j = 0; j < MEMBERS; j++) /* nobody else has it */
        for (int k = 0; h->live[j] && k < h->count[j]; k++)
            assert_true(h->settings.mode == TRI_PS_SYNC ? h->held[j][k].index != token.index : h->held[j][k].step != token.step);
    h->held[i][h->count[i]++] = token;
    if (h->settings.mode == TRI_PS_SYNC)
        h->parts = token.workers;
    return true;
}

/* The examples of a token are in an update. */
static void see(history *h, const tri__token *token)
{
    tri__shard shard = {h->work.batch, token->index, token->workers, h->work.examples, h->work.last_position};
    tri__slice slice = tri__shard_slice(&shard, token->position);
    for (int64_t i = 0; i < slice.count; i++)
        h->seen[slice.epoch * h->work.examples + slice.first + i]++;
}

/* One of the tokens that the member holds. False where it has none. */
static bool finish(history *h, int i)
{
    if (!h->live[i] || h->count[i] == 0)
        return false;
    int at = (int)pick(h, h->count[i]);
    tri__token token = h->held[i][at];
    h->held[i][at] = h->held[i][--h->count[i]];
    see(h, &token);
    if (h->settings.mode == TRI_PS_SYNC) {
        h->come++;
        return true;
    }
    assert_true(tri__tokens_done(h->tokens, i, token.step));
    assert_false(tri__tokens_done(h->tokens, i, token.step));
    h->clock[i]++;
    h->done[token.step]++;
    h->steps++;
    return true;
}

/* Sync: the servers apply what is complete. */
static bool advance(history *h)
{
    if (h->parts == 0 || h->come < h->parts)
        return false;
    tri__standing progress;
    assert_ok(tri__tokens_standing(h->tokens, &progress));
    tri__tokens_advance(h->tokens);
    assert_int_equal(progress.step, h->steps);
    h->done[h->steps++]++;
    h->parts = h->come = 0;
    return true;
}

/* The coordinator dies; another one goes on with what it wrote down at that moment, and members come back. */
static void restart(history *h)
{
    tri__standing progress;
    assert_ok(tri__tokens_standing(h->tokens, &progress));
    assert_int_equal(progress.step, h->steps);
    for (int64_t i = 0; i < progress.low; i++)
        assert_int_equal(h->seen[i], 1);
    if (pick(h, 2)) {
        assert_ok(tri__tokens_rollback(h->tokens, &progress));
    } else {
        tri__tokens_destroy(h->tokens);
        assert_ok(tri__tokens_create(&h->settings, &h->work, &progress, &h->tokens));
        memset(h->live, 0, sizeof h->live);
        h->again = 0;
    }
    tri__standing_fini(&progress);
    memset(h->count, 0, sizeof h->count);
    memset(h->clock, 0, sizeof h->clock);
    for (int64_t i = 0; i < MOST_STEPS; i++) /* what is not done is numbered anew, behind what is */
        h->done[i] = i < h->steps;
}

static void happen(history *h)
{
    int i = (int)pick(h, MEMBERS), what = (int)pick(h, 100);
    if (what < 6)
        join(h, i);
    else if (what < 10)
        leave(h, i);
    else if (what < 11 && h->parts == 0)
        restart(h);
    else if (what < 55)
        ask(h, i);
    else if (what < 95)
        finish(h, i);
    else
        advance(h);
}

/* Every living worker asks for a token and does its step, in turn. As long as a round moves nothing, nothing ever will. */
static void finish_all(history *h)
{
    join(h, 0);
    while (!tri__tokens_finished(h->tokens)) {
        bool moved = false;
        for (int i = 0; i < MEMBERS; i++) {
            moved |= ask(h, i);
            moved |= finish(h, i);
        }
        moved |= advance(h);
        assert_true(moved);
    }
}

static void assert_all_done(history *h)
{
    tri__standing progress;
    assert_ok(tri__tokens_standing(h->tokens, &progress));
    assert_int_equal(progress.step, h->steps);
    assert_int_equal(progress.count, 0);
    assert_int_equal(progress.low, progress.position);
    if (h->work.last_step < INT64_MAX)
        assert_int_equal(h->steps, h->work.last_step);
    else
        assert_int_equal(progress.position, h->work.last_position);
    for (int64_t i = 0; i < h->steps; i++)
        assert_int_equal(h->done[i], 1);
    for (int64_t i = 0; i < progress.position; i++)
        assert_int_equal(h->seen[i], 1);
    tri__standing_fini(&progress);
}

static void live_through(uint64_t seed, tri__ps_mode mode, bool fixed)
{
    history h;
    begin(&h, seed, mode, fixed);
    for (int events = (int)pick(&h, 500); events > 0; events--)
        happen(&h);
    finish_all(&h);
    assert_all_done(&h);
    tri__tokens_report report = tri__tokens_describe(h.tokens);
    assert_int_equal(report.held, 0);
    assert_int_equal(report.again, h.again);
    tri__tokens_destroy(h.tokens);
}

static void tokens_lose_no_example_in_random_histories(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++)
        for (tri__ps_mode mode = TRI_PS_ASYNC; mode <= TRI_PS_STALENESS; mode++)
            live_through(seed, mode, false);
}

static void fixed_parts_lose_no_example_in_random_histories(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        live_through(seed, TRI_PS_ASYNC, true);
        live_through(seed, TRI_PS_STALENESS, true);
    }
}

/* Of 7 steps, worker 0 has 0, 3 and 6, however slow the others are. */
static void a_fast_worker_does_its_fixed_part_and_no_more(void **state)
{
    (void)state;
    const tri__ps_settings settings = {.mode = TRI_PS_ASYNC, .fixed_parts = true, .workers = 3};
    tri__tokens *tokens;
    assert_ok(tri__tokens_create(&settings, &(tri__work){10, 4, 7, INT64_MAX}, &(tri__standing){0}, &tokens));
    assert_true(tri__tokens_join(tokens, 0) && tri__tokens_join(tokens, 1) && tri__tokens_join(tokens, 2));
    assert_token(grant(tokens, 0), 0, 0, 0, 1);
    assert_token(grant(tokens, 0), 3, 10, 0, 1);
    assert_token(grant(tokens, 0), 6, 20, 0, 1);
    assert_true(refuses(tokens, 0));
    assert_token(grant(tokens, 2), 2, 8, 0, 1);
    tri__tokens_leave(tokens, 2); /* who has done its part does that of the one who is lost */
    assert_token(grant(tokens, 0), 2, 8, 0, 1);
    assert_token(grant(tokens, 1), 1, 4, 0, 1);
    assert_token(grant(tokens, 1), 4, 14, 0, 1);
    assert_token(grant(tokens, 1), 5, 18, 0, 1);
    assert_true(refuses(tokens, 0) && refuses(tokens, 1));
    tri__tokens_destroy(tokens);
}

static void a_standing_comes_back_from_its_json(void **state)
{
    (void)state;
    int64_t open[] = {8, 24};
    tri__standing standing = {.step = 7, .position = 40, .low = 8, .outstanding = open, .count = 2, .books = json_pack("{s:i}", "lost", 3)};
    json_t *json = tri__standing_json(&standing);
    tri__standing read;
    assert_ok(tri__standing_read(json, &read));
    assert_int_equal(read.step, 7);
    assert_int_equal(read.position, 40);
    assert_int_equal(read.low, 8);
    assert_int_equal(read.count, 2);
    assert_memory_equal(read.outstanding, open, sizeof open);
    assert_true(json_equal(read.books, standing.books));
    tri__standing_fini(&read);
    json_object_set_new(json, "position", json_integer(-1));
    assert_fails(tri__standing_read(json, &read), TRI_BAD_DATA, "numbers that cannot be");
    json_object_set_new(json, "position", json_integer(40));
    json_array_append_new(json_object_get(json, "outstanding"), json_string("8"));
    assert_fails(tri__standing_read(json, &read), TRI_BAD_DATA, "numbers that cannot be");
    json_decref(json);
    json_decref(standing.books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(async_gives_each_step_to_one_worker),
        cmocka_unit_test(a_member_holds_only_so_many_tokens),
        cmocka_unit_test(staleness_bounds_how_far_a_member_is_ahead),
        cmocka_unit_test(a_member_that_was_at_the_bound_begins_its_next_step_with_fresh_parameters),
        cmocka_unit_test(sync_gives_every_member_its_part_of_each_step),
        cmocka_unit_test(sync_tokens_go_back_in_the_middle_of_a_step),
        cmocka_unit_test(tokens_refuse_a_run_that_cannot_be),
        cmocka_unit_test(a_run_resumed_to_be_shorter_leaves_what_lies_behind_its_end),
        cmocka_unit_test(tokens_lose_no_example_in_random_histories),
        cmocka_unit_test(fixed_parts_lose_no_example_in_random_histories),
        cmocka_unit_test(a_fast_worker_does_its_fixed_part_and_no_more),
        cmocka_unit_test(a_standing_comes_back_from_its_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
