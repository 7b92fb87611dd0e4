/* lab_test.c: whole studies: one that runs to its end, one that is interrupted and goes on, one whose runs fail. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/binary_json.h"

static const char study[] = "title: digits by batch\n"
                            "command: train softmax --data digits:300 --steps 5 --batch {batch} --seed {seed} --threads 1\n"
                            "factors: {batch: [10, 20, 40]}\n"
                            "repeats: 2\n"
                            "columns: {accuracy: 100 * test_accuracy, steps: steps, examples: examples}\n"
                            "worker_columns: {steps: steps}\n"
                            "findings:\n"
                            "  five steps each: steps == 5\n"
                            "  more examples: rises(examples)\n"
                            "  all by worker 0: worker0.steps at batch=10 == 5\n"
                            "  not so: examples at batch=10 > 1000\n";

static void write_study(const char *folder, const char *text)
{
    char *path = test_path(folder, "s.yaml");
    test_write(path, text, strlen(text));
    free(path);
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found++;
    return found;
}

static char *read_in(const char *folder, const char *name)
{
    char *path = test_path(folder, name), *text = test_read(path, NULL);
    free(path);
    return text;
}

static void study_runs_to_its_end_and_checks_its_findings(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    json_t *said = json_of(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--json"));
    assert_int_equal((int)number(said, "cells"), 3);
    assert_int_equal((int)number(said, "failed"), 0);
    json_t *findings = json_object_get(said, "findings");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(json_is_true(json_object_get(json_array_get(findings, i), "confirmed")), i < 3);
    json_decref(said);
    char *table = read_in(folder, "o/results.csv");
    assert_int_equal(count(table, "\n"), 1 + 6);
    assert_int_equal(count(table, "worker:0"), 6);
    assert_non_null(strstr(table, "train softmax --data digits:300 --steps 5 --batch 40 --seed 2 --threads 1 --out o/runs/"));
    free(table);
}

static int times(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void report_has_findings_tables_and_plots(void **state)
{
    const char *folder = *state;
    char more[2000];
    snprintf(
        more, sizeof more,
        "%ssettings: {why: tried}\ntables: [{title: Steps, rows: [batch], columns: [steps, examples]}, {by: worker, rows: [batch], "
        "columns: [steps]}, {title: Wide, rows: [batch], columns: [steps, examples, accuracy, steps, steps]}]\n"
        "plots: [{title: A picture, x: batch, y: examples, second: accuracy, log: x, fit: yes}, "
        "{title: Few, x: batch, y: examples}, {title: Many, x: batch, y: steps}]\n"
        "fits: [{y: examples, x: [batch]}, {y: steps, x: [batch], at: {batch: 40}}]\ncurves: yes\nnotes: ['3 < 4 is said to be false']\n"
        "reported: {file: theirs.csv, columns: {examples: seen, steps: updates}}\n",
        study);
    write_study(folder, more);
    char *theirs = test_path(folder, "theirs.csv");
    test_write(theirs, "batch,seen,updates\n10,77,900\n", 29);
    free(theirs);
    expect(RUN(folder, "lab", "run", "./s.yaml", "--out", "o", "--quiet"), 0, "confirmed", "");
    expect(RUN(folder, "lab", "report", "o", "--out", "d/o", "--append", "d.md"), 0, "d/o/report.html", "");
    char *list = read_in(folder, "d.md");
    assert_non_null(strstr(list, "## [digits by batch](d/o/report.md)\n\n|  | finding | measured |\n"));
    free(list);
    expect(RUN(folder, "lab", "report", "o"), 0, "o/report.html\no/report.md\n", "");
    char *page = read_in(folder, "o/report.html"), *text = read_in(folder, "o/report.md"), *plot = read_in(folder, "o/plot-1.svg");
    assert_non_null(strstr(page, "<td class=\"good\">confirmed</td><td>more examples</td><td>50, 100, 200</td>"));
    assert_non_null(strstr(page, "<p>Settings: why tried</p>"));
    assert_non_null(strstr(page, "<svg "));
    assert_non_null(strstr(page, "batch=10; marked: ")); /* what the vertical lines of the curves are */
    assert_non_null(strstr(page, "<ul>\n<li>3 &lt; 4 is said to be false</li>\n</ul>"));
    assert_null(strstr(page, "http://localhost"));
    assert_non_null(strstr(page, "<h2>Wide</h2>\n<table class=\"wide\">"));
    assert_non_null(strstr(page, "<h2>Steps</h2>\n<table>"));
    assert_non_null(strstr(text, "| batch | steps | spread | published | examples | spread | published |"));
    assert_non_null(strstr(text, "| 10 | 5 | 5 … 5 | 900 | 50 | 50 … 50 | 77 |"));
    assert_non_null(strstr(text, "| 40 | worker:0 | 5 | 5 … 5 |"));
    assert_non_null(strstr(text, "| alone | batch | 5 |"));
    assert_non_null(strstr(text, "## Regression of examples\n"));
    assert_non_null(strstr(text, "## Regression of steps, batch=40\n"));
    assert_non_null(strstr(plot, "A picture"));
    char *few = read_in(folder, "o/plot-2.svg"), *many = read_in(folder, "o/plot-3.svg");
    assert_int_equal(times(few, "published examples"), 1); /* in the legend */
    assert_int_equal(times(many, "published steps"), 2);   /* and at the right axis: 900 is far more than 5 */
    free(few);
    free(many);
    free(page);
    free(text);
    free(plot);
    expect(RUN(folder, "lab", "report", "nowhere"), 1, "", "there are no results of a study");
}

static void compare_tells_what_changed_and_what_did_not(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "a", "--quiet"), 0, "", "");
    char other[2000], *steps;
    snprintf(other, sizeof other, "%s", study);
    steps = strstr(other, "--steps 5");
    steps[8] = '6';
    write_study(folder, other);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "b", "--quiet"), 0, "", "");
    expect(RUN(folder, "lab", "compare", "a", "a"), 0, "0 of 9 changed by more than noise", "");
    expect(RUN(folder, "lab", "compare", "a", "b"), 0, "changed  steps                       5            6    +20.0 %", "");
    expect(RUN(folder, "lab", "compare", "a", "b"), 0, "the finding 'five steps each' was confirmed (5 == 5) and is not confirmed (6 == 5)",
           "");
    json_t *said = json_of(RUN(folder, "lab", "compare", "a", "b", "--json"));
    assert_true(number(said, "changed") >= 6);
    json_decref(said);
}

static void compare_refuses_two_studies_and_two_scales_and_says_what_one_repeat_cannot_tell(void **state)
{
    const char *folder = *state;
    static const char one[] = "title: one\ncommand: train softmax --data digits:100 --steps {n} --seed {seed}\nfactors: {n: 2}\n"
                              "quick: {repeats: 1}\ncolumns: {steps: steps}\n";
    static const char two[] =
        "title: two\ncommand: train softmax --data digits:100 --steps {n}\nfactors: {n: 2}\ncolumns: {steps: steps}\n";
    char *other = test_path(folder, "t.yaml");
    write_study(folder, one);
    test_write(other, two, sizeof two - 1);
    free(other);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "a", "--quiet"), 0, "", "");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "quick", "--quick", "--quiet"), 0, "", "");
    expect(RUN(folder, "lab", "run", "t.yaml", "--out", "b", "--quiet"), 0, "", "");
    expect(RUN(folder, "lab", "compare", "a", "b"), 2, "", "results of two studies, s (one) and t (two)");
    expect(RUN(folder, "lab", "compare", "a", "quick"), 2, "", "at two scales, usual and quick");
    expect(
        SHELL(folder,
              "sed 's/n: 2/n: 3/' s.yaml >s3 && mv s3 s.yaml && \"$0\" lab run s.yaml --out later --quiet && \"$0\" lab compare a later"),
        2, "", "one: the two have no cell in common: its factors or their values were changed between them");
    expect(RUN(folder, "lab", "compare", "a", "a"), 0, "1 unknown: noise is seen only where both sides have two repeats", "");
}

static void study_that_is_complete_runs_nothing_again(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--quiet"), 0, "confirmed      five steps each  (5 == 5)", "");
    char *before = read_in(folder, "o/cells.jsonl");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 0, "not confirmed  not so  (50 > 1000)", "o/results.csv");
    char *after = read_in(folder, "o/cells.jsonl");
    assert_string_equal(before, after);
    free(before);
    free(after);
    test_result_fini(&(test_result[]){SHELL(folder, "touch o/mine; mkdir -p other/data; touch other/data/mine")}[0]);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--fresh", "--quiet"), 0, "confirmed", "");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "other", "--fresh", "--quiet"), 0, "confirmed", "");
    expect(SHELL(folder, "ls o/mine other/data/mine && grep -c '\"result\"' o/cells.jsonl"), 0, "o/mine\nother/data/mine\n6\n", "");
    write_study(folder, "title: another\ncommand: train softmax\nfactors: {a: 1}\ncolumns: {s: seconds}\n");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 2, "", "give another --out");
}

/* SIGINT, or SIGKILL, when the first run has ended; the signal may come too late on a machine that sleeps, so there are five tries. */
static const char interrupted[] = "for try in 1 2 3 4 5; do rm -rf o; \"$0\" lab run s.yaml --out o --quiet & pid=$!\n"
                                  "until grep -q '\"result\"' o/cells.jsonl 2>/dev/null; do kill -0 $pid || break; done\n"
                                  "kill -$1 $pid; wait $pid; ended=$?; [ $ended -ne 0 ] && exit $ended; done; exit 99";

static void study_that_was_interrupted_goes_on_where_it_was(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(SHELL(folder, interrupted, "INT"), 130, "", "");
    char *before = read_in(folder, "o/cells.jsonl");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 0, "confirmed      more examples", "");
    char *after = read_in(folder, "o/cells.jsonl");
    assert_true(count(before, "\"result\"") < 6);
    assert_int_equal(strncmp(before, after, strlen(before)), 0);
    assert_int_equal(count(after, "\"result\""), 6);
    free(before);
    free(after);
}

static void study_that_was_killed_goes_on_after_half_a_line(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(SHELL(folder, interrupted, "KILL"), 137, "", "");
    expect(SHELL(folder, "printf '{\"cell\": 1, \"rep' >>o/cells.jsonl; \"$0\" lab run s.yaml --out o"), 0, "confirmed      more examples",
           "");
    char *table = read_in(folder, "o/results.csv");
    assert_int_equal(count(table, "\n"), 1 + 6);
    free(table);
}

/* What a killed study had started may be about to make its folder. */
static void run_that_an_earlier_study_began_keeps_its_folder(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(SHELL(folder, "mkdir -p o/runs; touch o/runs/001-01.begun; \"$0\" lab run s.yaml --out o --quiet; ls o/runs"), 0, "001-01-2\n",
           "");
    expect(SHELL(folder, "ls o/runs/*.begun; ls -d o/runs/001-01"), 2, "o/runs/001-01.begun\n", "");
}

static void runs_that_fail_are_tried_once_more_and_told(void **state)
{
    const char *folder = *state;
    write_study(folder, "title: failing\ncommand: train softmax --data digits:300 --steps {steps}\nfactors: {steps: [2, none]}\n"
                        "columns: {s: steps}\nfindings: {two: s == 2, known: s at steps=2 == 2}\n");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 1, "unknown        two", "steps=none, repeat 1: it failed: ");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "other", "--quiet"), 1, "", "1 run failed twice: other/results.csv says why");
    char *journal = read_in(folder, "o/cells.jsonl");
    assert_int_equal(count(journal, "\"failure\""), 2);
    assert_int_equal(count(journal, "\"result\""), 1);
    free(journal);
    expect(RUN(folder, "lab", "report", "o"), 0, "", "");
    expect(SHELL(folder, "grep -c '^| steps=none | 1 |' o/report.md; grep -c '^| steps=none | 1 | 2 times |' o/report.md"), 0, "1\n1\n",
           "");
}

/* The least of the cells that have results says nothing about the others. */
static void findings_about_a_cell_without_a_result_are_unknown(void **state)
{
    const char *folder = *state;
    write_study(folder, "title: failing\ncommand: train softmax --data digits:300 --steps {steps}\nfactors: {steps: [2, none]}\n"
                        "columns: {s: steps}\nfindings: {known: min(s at steps=2) == 2, least: min(s) == 2}\n");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--quiet"), 1,
           "confirmed      known  (2 == 2)\nunknown        least  (2 == 2)\n", "");
}

static void runs_that_failed_are_tried_again_by_the_next_call(void **state)
{
    const char *folder = *state;
    write_study(folder, "title: mended\ncommand: train {model} --data digits:300 --steps 2\nfactors: {model: [softmax, ./later.model]}\n"
                        "columns: {s: steps}\nfindings: {two: s == 2}\n");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 1, "unknown        two", "later.model");
    expect(SHELL(folder, "printf 'input(scale=1/255)\\ndense(classes)\\nsoftmax_loss()\\n' >later.model; \"$0\" lab run s.yaml --out o"), 0,
           "confirmed      two", "");
    expect(RUN(folder, "lab", "report", "o"), 0, "", "");
    expect(SHELL(folder, "grep -c '| 2 times, then it ended well |' o/report.md"), 0, "1\n", "");
}

/* Nothing is known of how long a run takes before the first has ended. */
static void time_left_is_unknown_in_the_first_run(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o"), 0, "", "0 of 6 runs  ? left  ");
}

static void list_of_a_study_has_its_commands_and_runs_nothing(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(RUN(folder, "lab", "run", "s.yaml", "--list"), 0,
           "trireme train softmax --data digits:300 --steps 5 --batch 40 --seed 1 --threads 1\n", "3 cells, 2 repeats of each: 6 runs");
    json_t *said = json_of(RUN(folder, "lab", "run", "s.yaml", "--list", "--json"));
    assert_int_equal((int)number(said, "runs"), 6);
    assert_int_equal(json_array_size(json_object_get(said, "cells")), 3);
    json_decref(said);
    expect(SHELL(folder, "ls"), 0, "s.yaml\n", "");
    char *left = test_path(folder, "studies");
    assert_int_not_equal(access(left, F_OK), 0);
    free(left);
}

/* Runs of a data command have samples where the study asks for them. Memory and disk are drawn, for one of the two cells. */
static void curves_of_a_data_command_are_drawn_for_the_cells_asked_for(void **state)
{
    const char *folder = *state;
    write_study(folder,
                "title: written\n"
                "command: data convert digits:300 --out {run}/records --partitions {files} --samples {run}/samples --sample-every 10ms\n"
                "factors: {files: [1, 2], shown: [a_value_of_the_command]}\ncolumns: {r: records}\n"
                "tables: [{rows: [files], columns: [r]}]\ncurves: {of: [memory, disk, sent], at: {files: 2}}\n");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--quiet"), 0, "", "");
    expect(RUN(folder, "lab", "report", "o"), 0, "o/report.html", "");
    char *page = read_in(folder, "o/report.html");
    assert_int_equal(count(page, "disk operations"), 1);
    assert_int_equal(count(page, "memory of each host"), 1);
    assert_int_equal(count(page, "sent by each host"), 1);
    assert_int_equal(count(page, "CPU of each host"), 0);
    assert_int_equal(count(page, ">files=1</text>"), 0);
    assert_int_equal(count(page, ">files=2</text>"), 2); /* the title has only what tables show */
    free(page);
}

static int warnings_of_report(const char *folder)
{
    test_result result = RUN(folder, "lab", "report", "o");
    int warnings = count(result.err, "results.csv");
    test_result_fini(&result);
    return warnings;
}

static void report_warns_of_a_table_that_was_damaged(void **state)
{
    const char *folder = *state;
    write_study(folder, study);
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--quiet"), 0, "confirmed", "");
    assert_int_equal(warnings_of_report(folder), 0);
    expect(SHELL(folder, "head -c 200 o/results.csv >cut && mv cut o/results.csv && \"$0\" lab report o"), 0, "o/report.html",
           "o/results.csv is not the table of these results");
    expect(RUN(folder, "lab", "run", "s.yaml", "--out", "o", "--quiet"), 0, "confirmed", "");
    assert_int_equal(warnings_of_report(folder), 0);
}

static void list_has_the_built_in_studies(void **state)
{
    (void)state;
    json_t *said = json_of(RUN(NULL, "lab", "list", "--json"));
    const json_t *first = json_array_get(json_object_get(said, "studies"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "A1");
    assert_int_equal((int)number(first, "cells"), 5);
    json_decref(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(study_runs_to_its_end_and_checks_its_findings),
        FOLDER_TEST(compare_tells_what_changed_and_what_did_not),
        FOLDER_TEST(compare_refuses_two_studies_and_two_scales_and_says_what_one_repeat_cannot_tell),
        FOLDER_TEST(report_has_findings_tables_and_plots),
        FOLDER_TEST(study_that_is_complete_runs_nothing_again),
        FOLDER_TEST(study_that_was_interrupted_goes_on_where_it_was),
        FOLDER_TEST(study_that_was_killed_goes_on_after_half_a_line),
        FOLDER_TEST(run_that_an_earlier_study_began_keeps_its_folder),
        FOLDER_TEST(runs_that_fail_are_tried_once_more_and_told),
        FOLDER_TEST(findings_about_a_cell_without_a_result_are_unknown),
        FOLDER_TEST(runs_that_failed_are_tried_again_by_the_next_call),
        FOLDER_TEST(time_left_is_unknown_in_the_first_run),
        FOLDER_TEST(list_of_a_study_has_its_commands_and_runs_nothing),
        FOLDER_TEST(report_warns_of_a_table_that_was_damaged),
        FOLDER_TEST(curves_of_a_data_command_are_drawn_for_the_cells_asked_for),
        cmocka_unit_test(list_has_the_built_in_studies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
