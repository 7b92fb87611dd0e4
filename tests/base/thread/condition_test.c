/* condition_test.c: a deadline ends a wait, and not before its time. */
#include "base/thread/condition.h"

#include <errno.h>

#include "base/thread/clock.h"
#include "support.h"

static void a_condition_wait_ends_at_its_deadline(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    tri__condition_init(&condition);
    pthread_mutex_lock(&lock);
    const int64_t deadline = tri__clock_now() + 5000000;
    int result;
    do /* a wait may end for no reason */
        result = tri__condition_wait(&condition, &lock, deadline);
    while (result == 0);
    assert_int_equal(result, ETIMEDOUT);
    assert_true(tri__clock_now() >= deadline);
    assert_int_equal(tri__condition_wait(&condition, &lock, 0), ETIMEDOUT); /* long past */
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&condition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_condition_wait_ends_at_its_deadline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
