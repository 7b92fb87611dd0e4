/* runs_test.c: trireme runs puts real runs side by side. */
#include <stdlib.h>

#include "cli/binary_json.h"

#define TRAIN "train", "softmax", "--data", "digits:200", "--batch", "20", "--quiet"

static void runs_are_listed_with_their_figures(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--steps", "2", "--out", "runs/short"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "3", "--out", "runs/long"), 0, "", "");
    expect(RUN(here, TRAIN, "--steps", "4", "--strategy", "ps", "--workers", "2", "--out", "runs/servers"), 0, "", "");
    test_result table = RUN(here, "runs");
    const char *header = strstr(table.out, "run ");
    assert_true(header == table.out);
    assert_non_null(strstr(table.out, "runs/servers  softmax  digits:200  ps        async"));
    assert_true(strstr(table.out, "runs/long") < strstr(table.out, "runs/short"));
    assert_null(strstr(table.out, "AUC")); /* nothing stands there */
    test_result_fini(&table);
    expect(RUN(here, "runs", "runs/long"), 0, "runs/long", "");
}

static void runs_that_differ_by_an_option_are_told_apart(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "softmax", "--data", "digits:200", "--steps", "2", "--average", "0.9", "--augment", "flip,crop", "--clip",
               "1", "--out", "some/a"),
           0, "", ", clip 1, average 0.9, augment flip,crop, ");
    expect(RUN(here, "train", "softmax", "--data", "digits:200", "--steps", "2", "--average", "0.8", "--strategy", "ps", "--out", "some/b"),
           0, "", ", average 0.8, ");
    expect(RUN(here, "runs", "some"), 0, "  batch  rule     rate  clip  average  augment  ", "");
    expect(RUN(here, "runs", "some"), 0, "adagrad  0.05     1      0.9  flip,crop", "");
    expect(SHELL(here, "\"$0\" runs some --sort average --csv some.csv && grep 0.8000 some.csv"), 0, "", "");
    expect(SHELL(here, "\"$0\" runs some --sort average | sed -n 2p"), 0, "some/b", "");
    json_t *runs = json_of(RUN(here, "runs", "some/a", "--json"));
    const json_t *summary = json_object_get(json_array_get(json_object_get(runs, "runs"), 0), "summary");
    assert_string_equal(json_string_value(json_object_get(json_object_get(summary, "options"), "augment")), "flip,crop");
    json_decref(runs);
}

static void the_average_that_a_model_asks_for_is_shown(void **state)
{
    const char *here = *state;
    expect(SHELL(here, "\"$0\" model softmax --text | sed 's/train(/train(average=0.95, /' >own.model; grep -q average own.model"), 0, "",
           "");
    for (int ps = 0; ps < 2; ps++)
        expect(RUN(here, "train", "own.model", "--data", "digits:200", "--steps", "2", "--strategy", ps ? "ps" : "local", "--out",
                   ps ? "own/ps" : "own/local"),
               0, "", ", average 0.95, ");
    expect(SHELL(here, "\"$0\" runs own | grep -c ' 0.95 '"), 0, "2\n", "");
    expect(SHELL(here, "\"$0\" runs own --json | grep -c '\"average\":0.95[,}]'"), 0, "", "");
}

static void runs_are_sorted_by_any_figure(void **state)
{
    json_t *runs = json_of(RUN(*state, "runs", "--sort", "steps", "--json")), *list = json_object_get(runs, "runs");
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "run")), "runs/short");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "run")), "runs/long");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "state")), "ended");
    json_decref(runs);
    runs = json_of(RUN(*state, "runs", "--sort", "steps", "--reverse", "--json"));
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(runs, "runs"), 0), "run")), "runs/long");
    json_decref(runs);
    expect(RUN(*state, "runs", "--reverse"), 2, "", "--reverse goes with --sort");
    expect(RUN(*state, "runs", "--sort", "beauty"), 2, "", "no summary here has a figure 'beauty'");
}

static void runs_are_written_as_csv_with_their_commands(void **state)
{
    expect(RUN(*state, "runs", "--csv", "runs.csv", "--quiet"), 0, "", "");
    expect(SHELL(*state, "head -n 1 runs.csv; grep -c . runs.csv; grep '^runs/short,ended,softmax' runs.csv"), 0,
           "trireme train softmax --data digits:200 --batch 20", "");
}

static void a_run_that_was_killed_is_marked(void **state)
{
    expect(SHELL(*state, "mkdir -p broken && cp -r runs/short broken/killed && rm broken/killed/summary.json && \"$0\" runs broken"), 0,
           "broken/killed", "");
    expect(RUN(*state, "runs", "broken"), 0, "no summary: --resume goes on", "");
    expect(SHELL(*state, "echo '{' >broken/killed/summary.json && \"$0\" runs broken"), 0, "no summary: --resume goes on", "");
}

static void a_run_without_a_checkpoint_is_not_promised_a_resumption(void **state)
{
    expect(SHELL(*state,
                 "mkdir -p gone && cp -r runs/short gone/lost && rm -r gone/lost/summary.json gone/lost/checkpoint/* && \"$0\" runs gone"),
           0, "no summary and no checkpoint: start it again", "");
}

static void folders_without_runs_are_refused(void **state)
{
    expect(SHELL(*state, "mkdir empty; \"$0\" runs empty"), 1, "", "empty: there is no run in it");
    expect(RUN(*state, "runs", "nowhere"), 1, "", "nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_listed_with_their_figures),
        cmocka_unit_test(runs_that_differ_by_an_option_are_told_apart),
        cmocka_unit_test(the_average_that_a_model_asks_for_is_shown),
        cmocka_unit_test(runs_are_sorted_by_any_figure),
        cmocka_unit_test(runs_are_written_as_csv_with_their_commands),
        cmocka_unit_test(a_run_that_was_killed_is_marked),
        cmocka_unit_test(a_run_without_a_checkpoint_is_not_promised_a_resumption),
        cmocka_unit_test(folders_without_runs_are_refused),
    };
    return cmocka_run_group_tests(tests, test_folder_set_up, test_folder_tear_down);
}
