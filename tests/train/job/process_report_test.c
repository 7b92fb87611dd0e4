/* process_report_test.c: which lines are reports, what they report, and what all other lines are. */
#include "train/job/process_report.h"

#include <stdlib.h>

#include "support.h"

static void expect_kind(const char *line, tri__report_kind kind)
{
    json_t *value;
    assert_int_equal(tri__process_report_read(line, &value), kind);
    assert_true((value != NULL) == (kind != TRI_REPORT_NONE));
    json_decref(value);
}

static void every_kind_of_report_is_recognised(void **state)
{
    (void)state;
    expect_kind("{\"started\": true}", TRI_REPORT_STARTED);
    expect_kind("{\"began\": true}", TRI_REPORT_BEGAN);
    expect_kind("{\"progress\": {\"step\": 3}}", TRI_REPORT_PROGRESS);
    expect_kind("{\"result\": {\"summary\": {}}}", TRI_REPORT_RESULT);
    expect_kind("{\"failure\": \"the disk is full\"}", TRI_REPORT_FAILURE);
    expect_kind("{\"damage\": \"record 3 does not decode\"}", TRI_REPORT_DAMAGE);
}

static void lines_that_are_not_reports_are_recognised_as_such(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "", "step 3", "{", "{}", "[1]", "{\"failure\": 3}", "{\"damage\": 3}", "{\"steps\": 3}", "{\"progress\": {}} and more"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect_kind(lines[i], TRI_REPORT_NONE);
}

static void a_report_that_was_made_can_be_read(void **state)
{
    (void)state;
    json_t *report = tri__process_report_make(TRI_REPORT_FAILURE, json_string("a \"quoted\"\nreason")), *value;
    assert_non_null(report);
    char *line = json_dumps(report, JSON_COMPACT);
    assert_int_equal(tri__process_report_read(line, &value), TRI_REPORT_FAILURE);
    assert_string_equal(json_string_value(value), "a \"quoted\"\nreason");
    json_decref(value);
    json_decref(report);
    free(line);
    assert_null(tri__process_report_make(TRI_REPORT_RESULT, NULL));
}

static void a_line_that_begins_with_the_programs_name_is_a_warning(void **state)
{
    (void)state;
    tri__log_level level;
    assert_string_equal(tri__process_line_read("trireme: the disk is nearly full", &level), "the disk is nearly full");
    assert_int_equal(level, TRI_LOG_WARNING);
    assert_string_equal(tri__process_line_read("step 3", &level), "step 3");
    assert_int_equal(level, TRI_LOG_INFO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_report_is_recognised),
        cmocka_unit_test(lines_that_are_not_reports_are_recognised_as_such),
        cmocka_unit_test(a_report_that_was_made_can_be_read),
        cmocka_unit_test(a_line_that_begins_with_the_programs_name_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
