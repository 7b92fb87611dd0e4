/* stretch_test.c: what pushed gradients do to a server's stretch: at once in async, together and in the order of tasks in sync. */
#include <math.h>
#include <stdlib.h>

#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/gradient_check.h"
#include "store/ps/stretch/replay.h"
#include "store/ps/stretch/stretch.h"
#include "store/ps/stretch/undo.h"
#include "support.h"

enum { FLOATS = 2 * TRI_CHUNK_FLOATS + 100 }; /* three chunks */

static tri__stretch *new_stretch(tri__ps_settings settings, tri_rule rule)
{
    tri__layout layout;
    tri__stretch *stretch;
    assert_ok(tri__layout_init(&layout, FLOATS, &(tri__table_shapes){0}, 1));
    assert_ok(tri__stretch_create(&layout, 0, &rule, &settings, &stretch));
    assert_int_equal(tri__stretch_chunks(stretch), 3);
    return stretch;
}

static tri__stretch *new_sync(int backup, float clip)
{
    const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 3, .servers = 1, .backup = backup};
    return new_stretch(settings, (tri_rule){.name = "sgd", .clip = clip});
}

/* A gradient of one value throughout. What the stretch does not keep is freed. */
static tri__push_outcome push(tri__stretch *stretch, uint32_t chunk, int task, int64_t step, float value, double weight)
{
    float *gradient;
    assert_ok(tri__stretch_lend(stretch, &gradient));
    for (int i = 0; i < TRI_CHUNK_FLOATS; i++)
        gradient[i] = value;
    const tri__push made = {.chunk = chunk, .task = task, .step = step, .serial = step, .weight = weight, .rate = 1, .gradient = gradient};
    tri__push_outcome outcome;
    assert_ok(tri__stretch_push(stretch, &made, &outcome));
    if (outcome != TRI_PUSH_HELD)
        free(gradient);
    return outcome;
}

static float value_of(tri__stretch *stretch, uint32_t chunk)
{
    size_t count;
    const float *floats = tri__stretch_floats(stretch, chunk, 0, &count);
    for (size_t i = 1; i < count; i++)
        assert_true(floats[i] == floats[0]);
    return floats[0];
}

static void async_applies_each_push_once(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch((tri__ps_settings){.mode = TRI_PS_ASYNC, .workers = 2}, (tri_rule){.name = "sgd"});
    assert_int_equal(push(stretch, 1, 0, 0, 2, 4), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 1), -0.5F, 0);
    assert_int_equal(push(stretch, 1, 0, 0, 2, 4), TRI_PUSH_STALE); /* resent after a connection broke */
    assert_float_equal(value_of(stretch, 1), -0.5F, 0);
    assert_int_equal(push(stretch, 1, 1, 0, 2, 4), TRI_PUSH_APPLIED); /* another worker's */
    assert_float_equal(value_of(stretch, 1), -1, 0);
    assert_float_equal(value_of(stretch, 0), 0, 0);
    assert_int_equal(tri__stretch_step(stretch, 1), 2);
    tri__stretch_welcome(stretch, 0); /* another process counts anew */
    assert_int_equal(push(stretch, 1, 0, 0, 2, 4), TRI_PUSH_APPLIED);
    tri__stretch_destroy(stretch);
}

static void sync_waits_for_all_and_takes_the_mean(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1, 2}, 3));
    assert_int_equal(push(stretch, 0, 2, 0, 3, 1), TRI_PUSH_HELD);
    assert_int_equal(tri__stretch_held(stretch, 2), TRI_CHUNK_BYTES);
    assert_int_equal(push(stretch, 0, 0, 0, 1, 1), TRI_PUSH_TAKEN);
    assert_true(tri__stretch_lacks(stretch, 1));
    assert_int_equal(push(stretch, 0, 1, 0, 2, 2), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 0), -1.5F, 0); /* (1 + 2 + 3) / (1 + 2 + 1) */
    assert_int_equal(tri__stretch_held(stretch, 2), 0);
    assert_int_equal(tri__stretch_step(stretch, 0), 1);
    assert_int_equal(tri__stretch_lowest(stretch), 0);
    for (int task = 0; task < 3; task++) {
        assert_true(tri__stretch_owes(stretch, 0, task));
        assert_false(tri__stretch_owes(stretch, 1, task));
    }
    tri__stretch_destroy(stretch);
}

static void the_sum_divides_by_one_workers_weight(void **state)
{
    (void)state;
    const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 2, .sum = true};
    tri__stretch *stretch = new_stretch(settings, (tri_rule){.name = "sgd"});
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    push(stretch, 0, 0, 0, 4, 4);
    push(stretch, 0, 1, 0, 8, 4);
    assert_float_equal(value_of(stretch, 0), -3, 0); /* 12 / 8 · 2 */
    tri__stretch_destroy(stretch);
}

static void stale_and_repeated_pushes_change_nothing(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    push(stretch, 0, 0, 0, 1, 1);
    assert_int_equal(push(stretch, 0, 0, 0, 1, 1), TRI_PUSH_KNOWN);
    push(stretch, 0, 1, 0, 1, 1);
    assert_float_equal(value_of(stretch, 0), -1, 0);
    assert_int_equal(push(stretch, 0, 1, 0, 1, 1), TRI_PUSH_STALE);
    assert_int_equal(tri__stretch_dropped(stretch), 0); /* it was applied, and only resent */
    assert_float_equal(value_of(stretch, 0), -1, 0);
    tri__push_outcome outcome;
    float gradient[TRI_CHUNK_FLOATS] = {0};
    const tri__push early = {.chunk = 0, .task = 0, .step = 5, .serial = 5, .weight = 1, .rate = 1, .gradient = gradient};
    assert_fails(tri__stretch_push(stretch, &early, &outcome), TRI_BAD_DATA, "has not begun");
    const tri__push heavy = {.chunk = 0, .task = 0, .step = 1, .serial = 1, .weight = NAN, .rate = 1, .gradient = gradient};
    assert_fails(tri__stretch_push(stretch, &heavy, &outcome), TRI_BAD_DATA, "weight");
    tri__stretch_destroy(stretch);
}

static void a_sync_step_does_not_wait_for_workers_that_left(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    uint32_t chunk;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1, 2}, 3));
    push(stretch, 0, 0, 0, 1, 1);
    push(stretch, 0, 2, 0, 3, 1);
    push(stretch, 1, 1, 0, 1, 1); /* its part of this chunk counts */
    assert_false(tri__stretch_settle(stretch, &chunk));
    tri__stretch_leave(stretch, 1, 0);
    assert_true(tri__stretch_settle(stretch, &chunk));
    assert_int_equal(chunk, 0);
    assert_false(tri__stretch_settle(stretch, &chunk));
    assert_float_equal(value_of(stretch, 0), -2, 0);
    push(stretch, 1, 0, 0, 1, 1);
    assert_int_equal(push(stretch, 1, 2, 0, 1, 1), TRI_PUSH_APPLIED);
    tri__stretch_destroy(stretch);
}

static void a_part_whose_turn_comes_by_leaving_is_not_held(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    tri__stretch_leave(stretch, 0, 0);
    assert_int_equal(push(stretch, 0, 1, 0, 1, 1), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 0), -1, 0);
    tri__stretch_destroy(stretch);
}

static void a_new_view_leaves_older_steps_as_they_were(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    push(stretch, 0, 0, 0, 1, 1);
    push(stretch, 0, 1, 0, 1, 1);
    assert_ok(tri__stretch_view(stretch, 1, (const int[]){0, 1, 2}, 3)); /* chunk 1 still gathers step 0 */
    push(stretch, 1, 0, 0, 1, 1);
    assert_int_equal(push(stretch, 1, 1, 0, 1, 1), TRI_PUSH_APPLIED);
    push(stretch, 1, 0, 1, 1, 1);
    push(stretch, 1, 1, 1, 1, 1);
    assert_int_equal(tri__stretch_step(stretch, 1), 1);
    assert_int_equal(push(stretch, 1, 2, 1, 1, 1), TRI_PUSH_APPLIED);
    tri__stretch_destroy(stretch);
}

static void a_gradient_that_is_late_in_every_chunk_is_one_stale_gradient(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(1, 0);
    uint32_t chunk;
    for (uint32_t i = 0; i < 3; i++)
        push(stretch, i, 0, 0, 1, 1);
    push(stretch, 0, 1, 0, 1, 1); /* held, and dropped when others are chosen */
    assert_ok(tri__stretch_choose(stretch, 0, (const int[]){0}, 1));
    while (tri__stretch_settle(stretch, &chunk))
        ;
    assert_int_equal(push(stretch, 1, 1, 0, 1, 1), TRI_PUSH_STALE);
    assert_int_equal(push(stretch, 2, 1, 0, 1, 1), TRI_PUSH_STALE);
    assert_int_equal(tri__stretch_dropped(stretch), 1);
    assert_int_equal(push(stretch, 2, 2, 0, 1, 1), TRI_PUSH_STALE);
    assert_int_equal(tri__stretch_dropped(stretch), 2); /* another worker's is another one */
    tri__stretch_destroy(stretch);
}

static void backup_workers_are_chosen_from(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(1, 0);
    uint32_t chunk;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1, 2}, 3));
    assert_int_equal(push(stretch, 0, 2, 0, 4, 1), TRI_PUSH_HELD);
    assert_int_equal(push(stretch, 0, 1, 0, 100, 1), TRI_PUSH_HELD); /* not chosen: it may have been late elsewhere */
    assert_int_equal(push(stretch, 0, 0, 0, 2, 1), TRI_PUSH_HELD);
    assert_ok(tri__stretch_choose(stretch, 0, (const int[]){0, 2}, 2));
    assert_true(tri__stretch_settle(stretch, &chunk));
    assert_float_equal(value_of(stretch, 0), -3, 0);
    assert_int_equal(tri__stretch_dropped(stretch), 1);
    assert_true(tri__stretch_owes(stretch, 0, 1)); /* it gets the new parameters all the same */
    assert_int_equal(push(stretch, 1, 1, 0, 100, 1), TRI_PUSH_TAKEN);
    assert_int_equal(push(stretch, 1, 0, 0, 2, 1), TRI_PUSH_TAKEN);
    assert_int_equal(push(stretch, 1, 2, 0, 4, 1), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 1), -3, 0);
    tri__stretch_destroy(stretch);
}

/* ps:0 needs one worker's part for a step, and may have made several before the first one's comes here. */
static void choices_are_heard_long_before_their_parts(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(2, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1, 2}, 3));
    for (int step = 0; step < 3; step++)
        assert_ok(tri__stretch_choose(stretch, step, &step, 1));
    for (int step = 0; step < 3; step++)
        for (uint32_t chunk = 0; chunk < 3; chunk++)
            assert_int_equal(push(stretch, chunk, step, step, 1, 1), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 2), -3, 0);
    assert_ok(tri__stretch_choose(stretch, 3, (const int[]){1}, 1));
    assert_int_equal(push(stretch, 0, 1, 3, 1, 1), TRI_PUSH_APPLIED);
    tri__stretch_destroy(stretch);
}

static void views_of_one_step_leave_the_step_before_as_it_was(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0}, 1));
    for (int task = 1; task < 5; task++) /* one after the other joins before the step begins */
        assert_ok(tri__stretch_view(stretch, 1, (const int[]){0, task}, 2));
    assert_int_equal(push(stretch, 0, 0, 0, 1, 1), TRI_PUSH_APPLIED);
    assert_int_equal(push(stretch, 0, 0, 1, 1, 1), TRI_PUSH_TAKEN);
    assert_int_equal(push(stretch, 0, 4, 1, 1, 1), TRI_PUSH_APPLIED); /* the last view counts */
    tri__stretch_destroy(stretch);
}

static void clipping_waits_for_the_whole_norm(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 1);
    double squares;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    for (uint32_t chunk = 0; chunk < 3; chunk++) {
        assert_false(tri__stretch_gathered(stretch, &squares));
        push(stretch, chunk, 0, 0, 1, 1);
        assert_int_equal(push(stretch, chunk, 1, 0, 3, 1), TRI_PUSH_TAKEN);
        assert_float_equal(value_of(stretch, chunk), 0, 0);
    }
    assert_true(tri__stretch_gathered(stretch, &squares));
    assert_true(fabs(squares - 4.0 * FLOATS) < 1e-3 * FLOATS);
    tri__stretch_scale(stretch, (tri__clip_factor){1, 0.5});
    for (uint32_t chunk = 0; chunk < 3; chunk++)
        assert_float_equal(value_of(stretch, chunk), -1, 0);
    assert_int_equal(tri__stretch_lowest(stretch), 1);
    assert_false(tri__stretch_gathered(stretch, &squares));
    tri__stretch_destroy(stretch);
}

/* As a standby that becomes the primary in the midst of a step: ps:0 has told the factor, and one chunk has been updated already. */
static void a_chunk_whose_factor_is_known_waits_for_nobody(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 1);
    double squares;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    push(stretch, 1, 0, 0, 1, 1);
    assert_int_equal(push(stretch, 1, 1, 0, 3, 1), TRI_PUSH_TAKEN);
    tri__stretch_stand(stretch, 0, 1);
    assert_true(tri__stretch_scale(stretch, (tri__clip_factor){1, 0.5}));
    assert_float_equal(value_of(stretch, 1), -1, 0);
    push(stretch, 2, 0, 0, 1, 1);
    assert_int_equal(push(stretch, 2, 1, 0, 3, 1), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 2), -1, 0);
    assert_int_equal(tri__stretch_lowest(stretch), 1);
    assert_false(tri__stretch_scale(stretch, (tri__clip_factor){1, 0.5})); /* told twice */
    for (uint32_t chunk = 0; chunk < 3; chunk++) {                         /* the next step waits for its own */
        push(stretch, chunk, 0, 1, 1, 1);
        assert_int_equal(push(stretch, chunk, 1, 1, 1, 1), TRI_PUSH_TAKEN);
    }
    assert_true(tri__stretch_gathered(stretch, &squares));
    tri__stretch_destroy(stretch);
}

static void going_back_forgets_what_is_under_way(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    push(stretch, 0, 1, 0, 1, 1);
    push(stretch, 1, 0, 0, 1, 1);
    tri__stretch_reset(stretch, 7);
    assert_int_equal(tri__stretch_held(stretch, 1), 0);
    assert_int_equal(tri__stretch_lowest(stretch), 7);
    assert_ok(tri__stretch_view(stretch, 7, (const int[]){1}, 1));
    assert_int_equal(push(stretch, 1, 1, 7, 2, 1), TRI_PUSH_APPLIED);
    assert_float_equal(value_of(stretch, 1), -2, 0);
    tri__stretch_destroy(stretch);
}

/* As a member that is restarted again and again within a step, or only says so. */
static void a_second_part_of_a_task_is_not_taken(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 100);
    double squares;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
    assert_int_equal(push(stretch, 0, 1, 0, 1, 1), TRI_PUSH_HELD);
    tri__stretch_welcome(stretch, 1);
    assert_int_equal(push(stretch, 0, 1, 0, 9, 1), TRI_PUSH_TAKEN); /* the first one is held, and counts */
    for (uint32_t chunk = 0; chunk < 3; chunk++) {
        push(stretch, chunk, 0, 0, 1, 1);
        push(stretch, chunk, 1, 0, 1, 1);
    }
    for (int again = 0; again < 2; again++) { /* all waits for the norm */
        tri__stretch_welcome(stretch, 1);
        assert_int_equal(push(stretch, 0, 1, 0, 9, 1), TRI_PUSH_TAKEN);
    }
    assert_true(tri__stretch_gathered(stretch, &squares));
    tri__stretch_scale(stretch, (tri__clip_factor){1, 1});
    assert_float_equal(value_of(stretch, 0), -1, 0);
    assert_int_equal(tri__stretch_held(stretch, 1), 0);
    tri__stretch_destroy(stretch);
}

static void a_chunk_that_is_several_steps_behind_catches_up_when_a_worker_leaves(void **state)
{
    (void)state;
    tri__stretch *stretch = new_sync(0, 0);
    uint32_t chunk;
    int moved = 0;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0}, 1));
    tri__stretch_leave(stretch, 0, 1);
    while (tri__stretch_settle(stretch, &chunk))
        moved++;
    assert_int_equal(moved, 6);
    assert_int_equal(tri__stretch_lowest(stretch), 2);
    tri__stretch_destroy(stretch);
}

/* One value of a chunk is changed, the last one. The caller frees nothing: what is refused is freed here. */
static tri_status push_with(tri__stretch *stretch, int task, float value)
{
    float *gradient;
    assert_ok(tri__stretch_lend(stretch, &gradient));
    for (int i = 0; i < TRI_CHUNK_FLOATS; i++)
        gradient[i] = 1;
    gradient[99] = value;
    const tri__push made = {.chunk = 2, .task = task, .weight = 1, .rate = 1, .gradient = gradient};
    tri__push_outcome outcome = TRI_PUSH_KNOWN;
    tri_status status = tri__stretch_push(stretch, &made, &outcome);
    if (outcome != TRI_PUSH_HELD)
        free(gradient);
    return status;
}

static void a_gradient_that_would_spoil_the_model_is_refused_and_its_worker_named(void **state)
{
    (void)state;
    const float spoilt[] = {NAN, -NAN, INFINITY, -INFINITY, 2 * TRI_GRADIENT_MOST, -2 * TRI_GRADIENT_MOST};
    const tri__ps_mode modes[] = {TRI_PS_SYNC, TRI_PS_ASYNC, TRI_PS_STALENESS};
    for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        tri__stretch *stretch = new_stretch((tri__ps_settings){.mode = modes[mode], .workers = 2}, (tri_rule){.name = "sgd"});
        assert_ok(tri__stretch_view(stretch, 0, (const int[]){0, 1}, 2));
        for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++)
            assert_fails(push_with(stretch, 1, spoilt[i]), TRI_DIVERGED, "the gradient of worker:1 for step 0 has the value");
        assert_float_equal(value_of(stretch, 2), 0, 0);
        assert_int_equal(tri__stretch_step(stretch, 2), 0);
        tri__stretch_leave(stretch, 1, 0);
        assert_int_equal(push(stretch, 2, 0, 0, 1, 1), TRI_PUSH_APPLIED); /* the others go on */
        assert_float_equal(value_of(stretch, 2), -1, 0);
        tri__stretch_destroy(stretch);
    }
}

static void a_gradient_that_is_large_and_finite_is_taken(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch((tri__ps_settings){.mode = TRI_PS_ASYNC, .workers = 2}, (tri_rule){.name = "sgd"});
    assert_ok(push_with(stretch, 0, -TRI_GRADIENT_MOST));
    assert_int_equal(tri__stretch_step(stretch, 2), 1);
    tri__stretch_destroy(stretch);
}

/* What a primary's stretch tells of its updates is applied to that of its standby at once. */
static void replay(void *standby, const tri__applied *update)
{
    assert_ok(tri__stretch_replay(standby, update));
}

static void expect_the_same_bits(tri__stretch *a, tri__stretch *b)
{
    for (uint32_t chunk = 0; chunk < 3; chunk++) {
        assert_int_equal(tri__stretch_step(a, chunk), tri__stretch_step(b, chunk));
        for (int slot = 0; slot < 3; slot++) {
            size_t count;
            const float *ours = tri__stretch_floats(a, chunk, slot, &count), *theirs = tri__stretch_floats(b, chunk, slot, &count);
            assert_true(!ours == !theirs);
            if (ours)
                assert_memory_equal(ours, theirs, count * sizeof *ours);
        }
    }
}

static void a_standby_that_replays_updates_has_the_same_bits(void **state)
{
    static const char *const rules[] = {"sgd", "momentum", "adam"};
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 2, .servers = 1};
        tri__stretch *primary = new_stretch(settings, (tri_rule){.name = rules[i]}),
                     *standby = new_stretch(settings, (tri_rule){.name = rules[i]});
        tri__stretch_on_applied(primary, replay, standby);
        assert_ok(tri__stretch_view(primary, 0, (const int[]){0, 1}, 2));
        for (int64_t step = 0; step < 3; step++) {
            assert_int_equal(push(primary, 1, 1, step, 0.3F, 3), TRI_PUSH_HELD);
            assert_int_equal(push(primary, 1, 0, step, 0.7F * (float)(step + 1), 4), TRI_PUSH_APPLIED);
        }
        tri__stretch_leave(primary, 0, 0);
        tri__stretch_leave(primary, 1, 0);
        uint32_t chunk;
        while (tri__stretch_settle(primary, &chunk))
            ; /* steps without any part */
        assert_int_equal(tri__stretch_step(primary, 2), 1);
        expect_the_same_bits(primary, standby);
        const tri__applied again = {.chunk = 1, .task = -1, .step = 2};
        assert_fails(tri__stretch_replay(standby, &again), TRI_BAD_DATA, "stands at step 3");
        tri__stretch_destroy(primary);
        tri__stretch_destroy(standby);
    }
}

static void a_push_that_a_standby_has_replayed_is_not_applied_again(void **state)
{
    const tri__ps_settings settings = {.mode = TRI_PS_ASYNC, .workers = 2};
    (void)state;
    tri__stretch *primary = new_stretch(settings, (tri_rule){.name = "momentum"}),
                 *standby = new_stretch(settings, (tri_rule){.name = "momentum"});
    tri__stretch_on_applied(primary, replay, standby);
    push(primary, 0, 0, 5, 0.1F, 3);
    push(primary, 0, 1, 6, 0.2F, 7);
    push(primary, 0, 0, 7, 0.3F, 0); /* without weight */
    expect_the_same_bits(primary, standby);
    assert_int_equal(push(standby, 0, 0, 7, 0.3F, 0), TRI_PUSH_STALE);
    assert_int_equal(push(standby, 0, 1, 6, 0.2F, 7), TRI_PUSH_STALE);
    assert_int_equal(push(standby, 0, 1, 8, 0.2F, 7), TRI_PUSH_APPLIED);
    tri__stretch_destroy(primary);
    tri__stretch_destroy(standby);
}

/* A stretch of one range and one table of 10 rows. */
static tri__stretch *new_stretch_with_table(tri__ps_mode mode, const char *rule)
{
    tri__layout layout;
    tri__stretch *stretch;
    const tri__ps_settings settings = {.mode = mode, .workers = 2, .servers = 1};
    assert_ok(tri__layout_init(&layout, 10, &(tri__table_shapes){.count = 1, .table = {{10, 2}}}, 1));
    assert_ok(tri__stretch_create(&layout, 0, &(tri_rule){.name = rule}, &settings, &stretch));
    return stretch;
}

static tri__push_outcome push_rows(tri__stretch *stretch, int task, int64_t step, int32_t first)
{
    tri__row_part *part;
    tri__push_outcome outcome;
    assert_ok(tri__row_part_create(3, 2, &part));
    for (int i = 0; i < 3; i++) {
        part->rows[i] = first + 2 * i;
        part->values[2 * i] = 0.3F * (float)(step + 1);
        part->values[2 * i + 1] = -0.7F * (float)(task + 1);
    }
    const tri__push push = {.chunk = 1, .task = task, .step = step, .serial = step, .weight = 3, .rate = 0.1F, .rows = part};
    assert_ok(tri__stretch_push(stretch, &push, &outcome));
    if (outcome != TRI_PUSH_HELD)
        free(part);
    return outcome;
}

static void expect_the_same_table(tri__stretch *a, tri__stretch *b)
{
    const tri_table *ours = tri__stretch_table(a, 1), *theirs = tri__stretch_table(b, 1);
    assert_int_equal(tri__stretch_step(a, 1), tri__stretch_step(b, 1));
    assert_false(ours->data[2 * ours->stride] == 0);
    assert_memory_equal(ours->data, theirs->data, (size_t)(ours->rows * ours->stride) * sizeof(float));
}

static void a_standby_that_replays_updates_of_rows_has_the_same_bits(void **state)
{
    static const char *const rules[] = {"sgd", "momentum", "adam"};
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        tri__stretch *primary = new_stretch_with_table(TRI_PS_SYNC, rules[i]), *standby = new_stretch_with_table(TRI_PS_SYNC, rules[i]);
        tri__stretch_on_applied(primary, replay, standby);
        assert_ok(tri__stretch_view(primary, 0, (const int[]){0, 1}, 2));
        for (int64_t step = 0; step < 3; step++) {
            assert_int_equal(push_rows(primary, 1, step, 2), TRI_PUSH_HELD);
            assert_int_equal(push_rows(primary, 0, step, 0), TRI_PUSH_APPLIED);
        }
        expect_the_same_table(primary, standby);
        const tri__applied dense = {.chunk = 1, .task = -1, .step = 3, .scale = 1, .gradient = (const float[]){0}};
        assert_fails(tri__stretch_replay(standby, &dense), TRI_BAD_DATA, "another kind of chunk");
        tri__stretch_destroy(primary);
        tri__stretch_destroy(standby);
    }
}

static void a_push_of_rows_that_a_standby_has_replayed_is_not_applied_again(void **state)
{
    (void)state;
    tri__stretch *primary = new_stretch_with_table(TRI_PS_ASYNC, "momentum"), *standby = new_stretch_with_table(TRI_PS_ASYNC, "momentum");
    tri__stretch_on_applied(primary, replay, standby);
    assert_int_equal(push_rows(primary, 0, 5, 0), TRI_PUSH_APPLIED);
    assert_int_equal(push_rows(primary, 1, 6, 2), TRI_PUSH_APPLIED);
    expect_the_same_table(primary, standby);
    assert_int_equal(push_rows(standby, 1, 6, 2), TRI_PUSH_STALE);
    expect_the_same_table(primary, standby);
    assert_int_equal(push_rows(standby, 1, 7, 2), TRI_PUSH_APPLIED);
    tri__stretch_destroy(primary);
    tri__stretch_destroy(standby);
}

/* With two servers a range, in sync: what a chunk was before its last step can be read. */
static void a_chunk_can_be_read_as_it_was_a_step_ago(void **state)
{
    (void)state;
    const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 1, .replicas = 2};
    tri__stretch *stretch = new_stretch(settings, (tri_rule){.name = "momentum"});
    static float first[2][TRI_CHUNK_FLOATS], read[TRI_CHUNK_FLOATS];
    size_t count;
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0}, 1));
    assert_int_equal(push(stretch, 1, 0, 0, 0.3F, 3), TRI_PUSH_APPLIED);
    for (int slot = 0; slot < 2; slot++)
        assert_true(tri__stretch_read_at(stretch, 1, slot, 1, first[slot]));
    assert_int_equal(push(stretch, 1, 0, 1, 0.7F, 3), TRI_PUSH_APPLIED);
    for (int slot = 0; slot < 2; slot++) {
        const float *now = tri__stretch_floats(stretch, 1, slot, &count);
        assert_true(tri__stretch_read_at(stretch, 1, slot, 1, read));
        assert_memory_equal(read, first[slot], count * sizeof *read);
        assert_true(tri__stretch_read_at(stretch, 1, slot, 2, read));
        assert_memory_equal(read, now, count * sizeof *read);
        assert_memory_not_equal(read, first[slot], count * sizeof *read);
    }
    assert_false(tri__stretch_read_at(stretch, 1, 0, 0, read));
    assert_false(tri__stretch_read_at(stretch, 1, 0, 3, read));
    tri__stretch_reset(stretch, 5);
    assert_false(tri__stretch_read_at(stretch, 1, 0, 4, read));
    tri__stretch_destroy(stretch);
}

/* The ten rows of a table, as they were after `step` steps. */
static tri_status copy_rows(tri__stretch *stretch, int slot, int64_t step, float *out)
{
    TRI_TRY(tri__stretch_begin_copy_at(stretch, 1, step));
    tri__table_shard_read_copy(tri__stretch_shard(stretch, 1), 0, 10, slot, out);
    return NULL;
}

static void rows_can_be_read_as_they_were_a_step_ago(void **state)
{
    (void)state;
    tri__layout layout;
    tri__stretch *stretch;
    const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 1, .replicas = 2};
    assert_ok(tri__layout_init(&layout, 10, &(tri__table_shapes){.count = 1, .table = {{10, 2}}}, 1));
    assert_ok(tri__stretch_create(&layout, 0, &(tri_rule){.name = "momentum"}, &settings, &stretch));
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0}, 1));
    float first[20], read[20], now[20];
    assert_int_equal(push_rows(stretch, 0, 0, 0), TRI_PUSH_APPLIED);
    assert_ok(copy_rows(stretch, 1, 1, first));
    assert_int_equal(push_rows(stretch, 0, 1, 2), TRI_PUSH_APPLIED);
    assert_ok(copy_rows(stretch, 1, 1, read));
    assert_memory_equal(read, first, sizeof read);
    assert_ok(copy_rows(stretch, 1, 2, now));
    assert_memory_not_equal(now, first, sizeof now);
    assert_fails(copy_rows(stretch, 1, 0, read), TRI_NOT_FOUND, "past step 0");
    tri__stretch_destroy(stretch);
}

static void some_rows_can_be_read_as_they_were_a_step_ago(void **state)
{
    (void)state;
    tri__layout layout;
    tri__stretch *stretch;
    const tri__ps_settings settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 1, .replicas = 2};
    assert_ok(tri__layout_init(&layout, 10, &(tri__table_shapes){.count = 1, .table = {{10, 2}}}, 1));
    assert_ok(tri__stretch_create(&layout, 0, &(tri_rule){.name = "sgd"}, &settings, &stretch));
    assert_ok(tri__stretch_view(stretch, 0, (const int[]){0}, 1));
    int32_t rows[] = {0, 1, 2, 3, 5, 9};
    const tri__row_list list = {.rows = rows, .count = 6};
    float all[2][20], read[12];
    assert_int_equal(push_rows(stretch, 0, 0, 0), TRI_PUSH_APPLIED);
    assert_ok(copy_rows(stretch, 0, 1, all[0]));
    assert_int_equal(push_rows(stretch, 0, 1, 2), TRI_PUSH_APPLIED);
    assert_ok(copy_rows(stretch, 0, 2, all[1]));
    assert_memory_not_equal(all[0], all[1], sizeof all[0]);
    for (int64_t step = 1; step <= 2; step++) {
        assert_true(tri__stretch_read_listed_at(stretch, 1, &list, step, read));
        for (int i = 0; i < 6; i++)
            assert_memory_equal(read + 2 * i, all[step - 1] + 2 * rows[i], 2 * sizeof *read);
    }
    assert_false(tri__stretch_read_listed_at(stretch, 1, &list, 0, read));
    tri__stretch_destroy(stretch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(async_applies_each_push_once),
        cmocka_unit_test(sync_waits_for_all_and_takes_the_mean),
        cmocka_unit_test(the_sum_divides_by_one_workers_weight),
        cmocka_unit_test(stale_and_repeated_pushes_change_nothing),
        cmocka_unit_test(a_sync_step_does_not_wait_for_workers_that_left),
        cmocka_unit_test(a_part_whose_turn_comes_by_leaving_is_not_held),
        cmocka_unit_test(a_new_view_leaves_older_steps_as_they_were),
        cmocka_unit_test(a_gradient_that_is_late_in_every_chunk_is_one_stale_gradient),
        cmocka_unit_test(backup_workers_are_chosen_from),
        cmocka_unit_test(choices_are_heard_long_before_their_parts),
        cmocka_unit_test(views_of_one_step_leave_the_step_before_as_it_was),
        cmocka_unit_test(clipping_waits_for_the_whole_norm),
        cmocka_unit_test(a_chunk_whose_factor_is_known_waits_for_nobody),
        cmocka_unit_test(going_back_forgets_what_is_under_way),
        cmocka_unit_test(a_second_part_of_a_task_is_not_taken),
        cmocka_unit_test(a_chunk_that_is_several_steps_behind_catches_up_when_a_worker_leaves),
        cmocka_unit_test(a_gradient_that_would_spoil_the_model_is_refused_and_its_worker_named),
        cmocka_unit_test(a_gradient_that_is_large_and_finite_is_taken),
        cmocka_unit_test(a_standby_that_replays_updates_has_the_same_bits),
        cmocka_unit_test(a_push_that_a_standby_has_replayed_is_not_applied_again),
        cmocka_unit_test(a_standby_that_replays_updates_of_rows_has_the_same_bits),
        cmocka_unit_test(a_push_of_rows_that_a_standby_has_replayed_is_not_applied_again),
        cmocka_unit_test(a_chunk_can_be_read_as_it_was_a_step_ago),
        cmocka_unit_test(rows_can_be_read_as_they_were_a_step_ago),
        cmocka_unit_test(some_rows_can_be_read_as_they_were_a_step_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
