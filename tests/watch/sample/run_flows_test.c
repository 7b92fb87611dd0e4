/* run_flows_test.c: what both ends counted is one flow, and a line has those with the most bytes. */
#include "watch/sample/run_flows.h"

#include <string.h>

#include "support.h"

static void what_both_ends_counted_is_one_flow(void **state)
{
    (void)state;
    const tri__peer_sum of_worker[] = {{"ps:0", 700, 40}, {"ps:1", 0, 0}}, of_server[] = {{"worker:0", 38, 690}, {"worker:10", 0, 9}};
    tri__run_flows flows = {0};
    assert_ok(tri__run_flows_add(&flows, "worker:0", of_worker, 2, 0.5));
    assert_ok(tri__run_flows_add(&flows, "ps:0", of_server, 2, 0.5));
    tri__run_flows_order(&flows);
    assert_int_equal(flows.count, 3);
    assert_string_equal(flows.flow[0].from, "worker:0");
    assert_string_equal(flows.flow[0].to, "ps:0");
    assert_true(flows.flow[0].bytes == 350 && flows.flow[1].bytes == 20 && flows.flow[2].bytes == 4.5);
    assert_string_equal(flows.flow[2].from, "worker:10");
    tri__run_flows_fini(&flows);
}

static void a_line_has_as_many_flows_as_fit(void **state)
{
    (void)state;
    const tri__peer_sum peers[] = {{"ps:0", 1.5e6, 0}, {"ps:1", 2000, 0}};
    tri__run_flows flows = {0};
    char line[128];
    assert_string_equal(tri__run_flows_line(&flows, "most", 80, line, sizeof line), "");
    assert_ok(tri__run_flows_add(&flows, "worker:0", peers, 2, 1));
    tri__run_flows_order(&flows);
    static const char whole[] = "most: worker:0 to ps:0 1.5M, worker:0 to ps:1 2.0k", first[] = "most: worker:0 to ps:0 1.5M";
    assert_string_equal(tri__run_flows_line(&flows, "most", (int)strlen(whole), line, sizeof line), whole);
    assert_string_equal(tri__run_flows_line(&flows, "most", (int)strlen(whole) - 1, line, sizeof line), first);
    assert_string_equal(tri__run_flows_line(&flows, "most", 80, line, strlen(whole)), first);
    assert_string_equal(tri__run_flows_line(&flows, "most", 10, line, sizeof line), "");
    tri__run_flows_fini(&flows);
}

/* A summary may have been written by another version, or changed. */
static void a_summary_has_the_bytes_of_the_whole_run(void **state)
{
    (void)state;
    static const char text[] = "{\"task_stats\": [{\"task\": \"worker:1\", \"peers\": [{\"peer\": \"worker:0\", \"bytes_sent\": 8, "
                               "\"bytes_received\": 6}, {\"peer\": 3}]}, {\"peers\": [{}]}, {\"task\": \"ps:0\"}, 7]}";
    json_t *summary;
    tri__run_flows flows = {0};
    assert_ok(tri__json_parse("summary", text, strlen(text), &summary));
    assert_ok(tri__run_flows_add_summary(&flows, summary));
    tri__run_flows_order(&flows);
    assert_int_equal(flows.count, 2);
    assert_true(!strcmp(flows.flow[0].from, "worker:1") && flows.flow[0].bytes == 8 && flows.flow[1].bytes == 6);
    tri__run_flows_fini(&flows);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_ends_counted_is_one_flow),
        cmocka_unit_test(a_line_has_as_many_flows_as_fit),
        cmocka_unit_test(a_summary_has_the_bytes_of_the_whole_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
