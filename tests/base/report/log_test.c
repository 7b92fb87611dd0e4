/* Lines reach the sink whole; those below its level are not made. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/report/log.h"

typedef struct {
    tri__log log; /* first, so that the sink can be found from it */
    int lines;
    tri__log_level level;
    char last[4096];
} memory_log;

static void remember(tri__log *log, tri__log_level level, const char *line)
{
    memory_log *memory = (memory_log *)(void *)log;
    memory->lines++;
    memory->level = level;
    snprintf(memory->last, sizeof memory->last, "%s", line);
}

static void a_log_line_is_formatted_and_handed_over(void **state)
{
    (void)state;
    memory_log memory = {.log = {.write = remember, .least = TRI_LOG_INFO}};
    tri__log_line(&memory.log, TRI_LOG_WARNING, "task %d is late", 2);
    assert_int_equal(memory.lines, 1);
    assert_int_equal(memory.level, TRI_LOG_WARNING);
    assert_string_equal(memory.last, "task 2 is late");
}

static void log_lines_below_the_level_are_dropped(void **state)
{
    (void)state;
    memory_log memory = {.log = {.write = remember, .least = TRI_LOG_WARNING}};
    tri__log_line(&memory.log, TRI_LOG_INFO, "quiet");
    assert_int_equal(memory.lines, 0);
    tri__log_line(NULL, TRI_LOG_ERROR, "nobody listens");
}

static void long_log_lines_are_not_cut(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memory_log memory = {.log = {.write = remember}};
    for (size_t cut = 509; cut < 515; cut++) { /* around the small buffer's size */
        tri__log_line(&memory.log, TRI_LOG_ERROR, "%s", text + sizeof text - 1 - cut);
        assert_int_equal(strlen(memory.last), cut);
    }
    tri__log_line(&memory.log, TRI_LOG_ERROR, "%s", text);
    assert_string_equal(memory.last, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_line_is_formatted_and_handed_over),
        cmocka_unit_test(log_lines_below_the_level_are_dropped),
        cmocka_unit_test(long_log_lines_are_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
