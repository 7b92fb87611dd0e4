/* The loop: turns and their deadlines, timers, wake-ups from other threads, running until stopped. */
#include "support.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "base/thread/clock.h"
#include "net/loop/loop.h"

enum { MILLISECOND = 1000000 };
static const int64_t SECOND = 1000 * MILLISECOND;

typedef struct {
    tri__loop *loop;
    tri__timer *timer;
    int count, stop_at;
} counter;

static void count(void *context)
{
    counter *c = context;
    if (++c->count == c->stop_at)
        tri__loop_stop(c->loop);
}

static void a_turn_without_events_ends_at_its_deadline(void **state)
{
    (void)state;
    tri__loop *loop = NULL;
    assert_ok(tri__loop_create(&loop));
    assert_false(tri__loop_turn(loop, 0));
    int64_t deadline = tri__clock_now() + 20 * MILLISECOND;
    assert_false(tri__loop_turn(loop, deadline));
    assert_true(tri__clock_now() >= deadline);
    assert_false(tri__loop_turn(loop, deadline)); /* long past: looks once, and does not wait */
    tri__loop_destroy(loop);
}

static void a_timer_ends_a_turn_and_repeats(void **state)
{
    (void)state;
    counter c = {0};
    assert_ok(tri__loop_create(&c.loop));
    assert_ok(tri__timer_create(c.loop, count, &c, &c.timer));
    assert_false(tri__loop_turn(c.loop, tri__clock_now() + 5 * MILLISECOND)); /* does nothing until it is started */
    tri__timer_start(c.timer, 2 * MILLISECOND, 0);
    assert_true(tri__loop_turn(c.loop, tri__clock_now() + 60 * SECOND));
    assert_int_equal(c.count, 1);
    assert_false(tri__loop_turn(c.loop, tri__clock_now() + 10 * MILLISECOND));

    c.stop_at = 4;
    tri__timer_start(c.timer, 0, MILLISECOND);
    tri__loop_run(c.loop);
    assert_int_equal(c.count, 4);
    tri__timer_destroy(c.timer);
    assert_false(tri__loop_turn(c.loop, tri__clock_now() + 10 * MILLISECOND));
    assert_int_equal(c.count, 4);
    tri__loop_destroy(c.loop);
}

static int64_t own_cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static void a_loop_that_polls_keeps_its_deadlines_and_sleeps_in_the_end(void **state)
{
    (void)state;
    counter c = {.stop_at = 2};
    assert_ok(tri__loop_create(&c.loop));
    assert_ok(tri__timer_create(c.loop, count, &c, &c.timer));
    tri__loop_set_patience(c.loop, 60 * SECOND);
    int64_t deadline = tri__clock_now() + 5 * MILLISECOND;
    assert_false(tri__loop_turn(c.loop, deadline));
    assert_true(tri__clock_now() >= deadline);
    tri__timer_start(c.timer, MILLISECOND, 0);
    assert_true(tri__loop_turn(c.loop, tri__clock_now() + 60 * SECOND));

    tri__loop_set_patience(c.loop, MILLISECOND);
    tri__timer_start(c.timer, 300 * MILLISECOND, 0);
    int64_t before = own_cpu_time();
    tri__loop_run(c.loop);
    assert_int_equal(c.count, 2);
    assert_in_range(own_cpu_time() - before, 0, 150 * MILLISECOND);
    tri__timer_destroy(c.timer);
    tri__loop_destroy(c.loop);
}

static void *wake(void *context)
{
    tri__loop_wake(context);
    return NULL;
}

static void another_thread_wakes_a_turn(void **state)
{
    (void)state;
    counter c = {0};
    assert_ok(tri__loop_create(&c.loop));
    tri__loop_on_wake(c.loop, count, &c);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake, c.loop), 0);
    assert_true(tri__loop_turn(c.loop, tri__clock_now() + 60 * SECOND));
    pthread_join(thread, NULL);
    assert_int_equal(c.count, 1);
    tri__loop_wake(c.loop);
    tri__loop_wake(c.loop);
    assert_true(tri__loop_turn(c.loop, tri__clock_now() + 60 * SECOND));
    assert_int_equal(c.count, 2); /* two wakes, one call */
    tri__loop_destroy(c.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_without_events_ends_at_its_deadline),
        cmocka_unit_test(a_timer_ends_a_turn_and_repeats),
        cmocka_unit_test(a_loop_that_polls_keeps_its_deadlines_and_sleeps_in_the_end),
        cmocka_unit_test(another_thread_wakes_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
