/* tuning_test.c: threads and queue grow when it helps, and only then. */
#include "data/batch/tuning.h"

#include "support.h"

#define MEGABYTE ((size_t)1 << 20)

static const tri__decode_effort busy = {.wall = 1000, .cpu = 990, .preempted = 1};
static const tri__decode_effort disk = {.wall = 1000, .cpu = 100, .blocked = 5, .preempted = 1};
static const tri__decode_effort crowded = {.wall = 1000, .cpu = 300, .blocked = 1, .preempted = 9};

static int threads_after(int cpus, int threads, tri__decode_effort effort)
{
    tri__tuning tuning;
    tri__tuning_init(&tuning, cpus, threads, 1000, 1000000, false);
    for (int i = 0; i < 100; i++) {
        tri__tuning_worked(&tuning, effort);
        tri__tuning_waiting(&tuning, TRI_TUNING_PATIENCE);
    }
    return tuning.threads;
}

static void reading_threads_grow_to_what_the_cpus_or_the_disk_can_use(void **state)
{
    (void)state;
    assert_int_equal(threads_after(4, 0, busy), 4);
    assert_int_equal(threads_after(4, 0, crowded), 4);
    assert_int_equal(threads_after(4, 0, disk), 16);
    assert_int_equal(threads_after(1000, 0, busy), TRI_MOST_DECODERS);
    assert_int_equal(threads_after(4, 3, busy), 3); /* as told */
    tri__tuning tuning;
    tri__tuning_init(&tuning, 4, 0, 1000, 1000000, false);
    for (int i = 0; i < 100; i++)
        tri__tuning_given(&tuning, false);
    assert_int_equal(tuning.threads, 1); /* nobody waits */
}

static void many_short_waits_count_as_a_long_one(void **state)
{
    (void)state;
    tri__tuning tuning;
    tri__tuning_init(&tuning, 4, 0, 1000, 1000000, false);
    tri__tuning_worked(&tuning, busy);
    for (int i = 0; i < 9; i++)
        tri__tuning_waiting(&tuning, TRI_TUNING_PATIENCE / 10);
    assert_int_equal(tuning.threads, 1);
    tri__tuning_waiting(&tuning, TRI_TUNING_PATIENCE / 10);
    assert_int_equal(tuning.threads, 2);
    tri__tuning_waiting(&tuning, TRI_TUNING_PATIENCE / 10);
    assert_int_equal(tuning.threads, 2);
}

static void the_queue_of_batches_grows_only_where_threads_rest(void **state)
{
    (void)state;
    tri__tuning tuning;
    tri__tuning_init(&tuning, 2, 0, MEGABYTE, 10 * MEGABYTE, false);
    assert_int_equal(tuning.depth, 3);
    for (int i = 0; i < 100; i++)
        tri__tuning_given(&tuning, true); /* waits, but the threads never rested: a longer queue would only hold more waiting */
    assert_int_equal(tuning.depth, 3);
    for (int i = 0; i < 100; i++) {
        tri__tuning_idle(&tuning);
        tri__tuning_given(&tuning, true);
    }
    assert_int_equal(tuning.depth, 10); /* as many as the budget holds */
    for (int i = 0; i < 5000; i++)
        tri__tuning_given(&tuning, false);
    assert_int_equal(tuning.depth, 2);
    tri__tuning_init(&tuning, 2, 0, 1000, 1, false);
    assert_int_equal(tuning.depth, 2);
}

static void a_queue_of_assigned_batches_is_short(void **state)
{
    (void)state;
    tri__tuning tuning;
    tri__tuning_init(&tuning, 2, 0, MEGABYTE / 10, 100 * MEGABYTE, true);
    assert_int_equal(tuning.depth, 3);
}

static void a_queue_of_small_batches_is_long_and_wakes_threads_at_its_half(void **state)
{
    (void)state;
    tri__tuning tuning;
    tri__tuning_init(&tuning, 2, 0, MEGABYTE / 10, 100 * MEGABYTE, false);
    assert_int_equal(tuning.depth, 10);
    for (int i = 0; i < 5000; i++)
        tri__tuning_given(&tuning, false);
    assert_int_equal(tuning.depth, 10);
    assert_false(tri__tuning_is_worth_waking(&tuning, 6));
    assert_true(tri__tuning_is_worth_waking(&tuning, 5));
    tri__tuning_init(&tuning, 2, 0, MEGABYTE, 10 * MEGABYTE, false);
    assert_true(tri__tuning_is_worth_waking(&tuning, 2)); /* of three: large batches take long, and all threads are of use */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_threads_grow_to_what_the_cpus_or_the_disk_can_use), cmocka_unit_test(many_short_waits_count_as_a_long_one),
        cmocka_unit_test(the_queue_of_batches_grows_only_where_threads_rest), cmocka_unit_test(a_queue_of_assigned_batches_is_short),
        cmocka_unit_test(a_queue_of_small_batches_is_long_and_wakes_threads_at_its_half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
