/* resources_test.c: memory and CPU time of this process. */
#include "watch/host/resources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void peak_memory_grows_and_never_shrinks(void **state)
{
    (void)state;
    enum { BYTES = 64000000 };
    double before = tri__peak_rss_mb();
    assert_true(before > 0.5);
    char *memory = malloc(BYTES);
    assert_non_null(memory);
    memset(memory, 1, BYTES);
    volatile char *keep = memory;
    assert_true(keep[BYTES / 2] == 1);
    double grown = tri__peak_rss_mb();
    free(memory);
    assert_true(grown > before + 32);
    assert_true(tri__peak_rss_mb() >= grown - 1);
}

static void a_percent_is_cpu_time_over_wall_time(void **state)
{
    (void)state;
    tri__usage from = {.wall = 1000000000, .cpu = 1}, to = {.wall = 3000000000, .cpu = 4};
    assert_true(fabs(tri__usage_cpu_percent(&from, &to) - 150) < 1e-9);
    assert_true(tri__usage_cpu_percent(&from, &from) == 0);
}

static void the_cpu_time_of_a_process_is_counted(void **state)
{
    (void)state;
    tri__usage from = tri__usage_now(), to = from;
    while (to.cpu <= from.cpu) /* until the kernel has counted some of this very loop */
        to = tri__usage_now();
    assert_true(to.wall > from.wall);
    assert_true(tri__usage_cpu_percent(&from, &to) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peak_memory_grows_and_never_shrinks),
        cmocka_unit_test(a_percent_is_cpu_time_over_wall_time),
        cmocka_unit_test(the_cpu_time_of_a_process_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
