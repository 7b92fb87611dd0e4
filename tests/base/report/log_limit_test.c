/* log_limit_test.c: lines that others cause are limited in rate, and those left out are counted. */
#include "base/report/log_limit.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

#define SECOND INT64_C(1000000000)

typedef struct {
    tri__log log; /* first, so that the sink can be found from it */
    int lines;
    char last[2][256]; /* the line before the last one, and the last one */
} memory_log;

static void remember(tri__log *log, tri__log_level level, const char *line)
{
    memory_log *memory = (memory_log *)(void *)log;
    (void)level;
    memory->lines++;
    memcpy(memory->last[0], memory->last[1], sizeof memory->last[0]);
    snprintf(memory->last[1], sizeof memory->last[1], "%s", line);
}

static void a_flood_of_lines_is_limited_and_what_was_left_out_is_counted(void **state)
{
    (void)state;
    memory_log memory = {.log = {.write = remember}};
    tri__log_limit limit = {0};
    for (int i = 0; i < TRI_LOG_BURST + 1234; i++)
        tri__log_limited(&memory.log, &limit, SECOND, TRI_LOG_INFO, "stranger %d", i);
    assert_int_equal(memory.lines, TRI_LOG_BURST);
    assert_string_equal(memory.last[1], "stranger 99");
    tri__log_limited(&memory.log, &limit, 2 * SECOND, TRI_LOG_INFO, "one more");
    assert_int_equal(memory.lines, TRI_LOG_BURST + 2);
    assert_string_equal(memory.last[0], "… and 1234 more");
    assert_string_equal(memory.last[1], "one more");
    tri__log_limited(&memory.log, &limit, 2 * SECOND, TRI_LOG_INFO, "too soon");
    tri__log_limit_tell(&memory.log, &limit);
    assert_string_equal(memory.last[1], "… and 1 more");
    tri__log_limit_tell(&memory.log, &limit);
    assert_int_equal(memory.lines, TRI_LOG_BURST + 3);
}

static void after_a_quiet_time_a_whole_burst_is_told_again(void **state)
{
    (void)state;
    memory_log memory = {.log = {.write = remember}};
    tri__log_limit limit = {0};
    for (int64_t now = SECOND; now <= 1001 * SECOND; now += 1000 * SECOND)
        for (int i = 0; i < TRI_LOG_BURST; i++)
            tri__log_limited(&memory.log, &limit, now, TRI_LOG_INFO, "stranger %d", i);
    assert_int_equal(memory.lines, 2 * TRI_LOG_BURST);
    tri__log_limited(NULL, &limit, SECOND, TRI_LOG_INFO, "nobody listens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flood_of_lines_is_limited_and_what_was_left_out_is_counted),
        cmocka_unit_test(after_a_quiet_time_a_whole_burst_is_told_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
