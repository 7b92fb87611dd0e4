/* numbers_test.c: columns of a result: what a path leads to. */
#include "lab/results/numbers.h"

#include <math.h>

#include "support.h"

static const char text[] = "title: t\n"
                           "command: train softmax\n"
                           "factors: {a: 7}\n"
                           "columns:\n"
                           "  second: hosts.1.sent\n"
                           "  named: hosts.host2.sent\n"
                           "  task: worker_stats.worker1.steps\n"
                           "  all: sum(hosts.sent)\n"
                           "  past: hosts.9.sent\n"
                           "  nobody: hosts.host9.sent\n"
                           "  factor: a + 1\n";

/* The supervisor's machine stands among the hosts, so that the second host is not the second of the list. */
static void a_path_leads_to_the_entry_of_that_number_or_name_or_to_all(void **state)
{
    (void)state;
    static const double expected[] = {100, 20, 6, 130, NAN, NAN, 8};
    tri__study *study;
    json_t *result;
    assert_ok(tri__study_parse(&(tri__study_text){.file = "t", .text = text}, TRI_SCALE_USUAL, &study));
    result = json_pack("{s:[{s:s, s:i}, {s:s, s:i}, {s:s, s:i}], s:[{s:s, s:i}, {s:s, s:i}]}", "hosts", "host", "host1", "sent", 10, "host",
                       "machine", "sent", 100, "host", "host2", "sent", 20, "worker_stats", "task", "worker:0", "steps", 5, "task",
                       "worker:1", "steps", 6);
    assert_non_null(result);
    const tri__measurement one = {.repeat = 1, .result = result};
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
        double number = tri__measured_number(study, &one, i, result);
        if (isnan(expected[i]))
            assert_true(isnan(number));
        else
            assert_float_equal(number, expected[i], 1e-6);
    }
    json_decref(result);
    tri__study_destroy(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_path_leads_to_the_entry_of_that_number_or_name_or_to_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
