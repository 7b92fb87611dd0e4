/* study_test.c: files of studies: their cells and commands, and what is wrong with them, told with its place. */
#include "lab/study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/study/builtin_studies.h"
#include "lab/study/reported.h"
#include "support.h"

static const char good[] = "title: a study\n"
                           "command: train softmax --rate {rate} {options} --batch {batch} --note 'two words'\n"
                           "settings: {rate: 0.1}\n"
                           "rows:\n"
                           "  - {mode: sync, options: --strategy ps --sync}\n"
                           "  - {mode: none, options: ''}\n"
                           "factors: {batch: [1, 20]}\n"
                           "repeats: 3\n"
                           "quick: {repeats: 1, factors: {batch: [20]}}\n"
                           "columns: {accuracy: 100 * test_accuracy}\n"
                           "findings:\n"
                           "  it learns: min(accuracy) at mode=sync > 50\n";

static tri_status parse(const char *text, tri__scale scale, tri__study **out)
{
    return tri__study_parse(&(tri__study_text){.file = "folder/mine.yaml", .text = text}, scale, out);
}

static void assert_command(const tri__study *study, int cell, const char *expected)
{
    const tri__study_names names = {.data = "d", .repeat = 1};
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    char text[400] = "";
    assert_ok(tri__study_command(study, cell, &names, &line));
    for (int i = 0; i < line.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s|", line.words[i]);
    assert_string_equal(text, expected);
    tri__command_line_fini(&line);
}

static void cells_are_rows_crossed_with_factors(void **state)
{
    tri__study *study;
    char text[80];
    (void)state;
    assert_ok(parse(good, TRI_SCALE_USUAL, &study));
    assert_string_equal(study->name, "mine");
    assert_int_equal(study->cell_count, 4);
    assert_int_equal(study->repeats, 3);
    assert_string_equal(tri__study_cell_text(study, 3, text, sizeof text), "mode=none options= batch=20");
    assert_command(study, 0, "train|softmax|--rate|0.1|--strategy|ps|--sync|--batch|1|--note|two words|");
    assert_command(study, 3, "train|softmax|--rate|0.1|--batch|20|--note|two words|");
    tri__study_destroy(study);
}

/* A result that names its cell is JSON, which takes whole characters only. */
static void long_name_of_a_cell_is_cut_between_characters(void **state)
{
    tri__study *study;
    char text[12]; /* "colour=" and four bytes; with one less, the second ü would be cut in half */
    (void)state;
    assert_ok(
        parse("title: a study\ncommand: train {colour}\nfactors: {colour: [üüü]}\ncolumns: {loss: train_loss}\n", TRI_SCALE_USUAL, &study));
    assert_string_equal(tri__study_cell_text(study, 0, text, sizeof text), "colour=üü");
    assert_string_equal(tri__study_cell_text(study, 0, text, sizeof text - 1), "colour=ü");
    tri__study_destroy(study);
}

static void quick_replaces_parts_and_changes_the_digest(void **state)
{
    tri__study *study, *quick;
    (void)state;
    assert_ok(parse(good, TRI_SCALE_USUAL, &study));
    assert_ok(parse(good, TRI_SCALE_QUICK, &quick));
    assert_int_equal(quick->cell_count, 2);
    assert_int_equal(quick->repeats, 1);
    assert_string_not_equal(study->digest, quick->digest);
    tri__study_destroy(study);
    tri__study_destroy(quick);
}

/* good with `from` replaced by `to` cannot be read, and message says why. */
static void assert_wrong(const char *from, const char *to, const char *message)
{
    char text[2000];
    const char *at = strstr(good, from);
    tri__study *study;
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    assert_fails(parse(text, TRI_SCALE_USUAL, &study), TRI_BAD_DATA, message);
    assert_null(study);
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    assert_wrong("repeats: 3", "repeats: many", "folder/mine.yaml: line 8, column 10: repeats: expected a whole number");
    assert_wrong("repeats: 3", "repeat: 3", "line 8, column 1: a study has no 'repeat' (did you mean 'repeats'?)");
    assert_wrong("> 50", "> > 50", "line 12, column 43: expected a number");
    assert_wrong("min(accuracy)", "min(acuracy)", "column 18: no column or factor is called acuracy (did you mean 'accuracy'?)");
    assert_wrong("mode=sync >", "mood=sync >", "no factor is called mood (did you mean 'mode'?)");
    assert_wrong("{rate}", "{size}", "{size}, and there is no factor or setting of that name");
    assert_wrong("[1, 20]", "[]", "line 7, column 11: the factor batch has no values");
    assert_wrong("columns: {accuracy: 100 * test_accuracy}", "columns: {}", "a study needs columns");
    assert_wrong("{mode: none, options: ''}", "{mode: none}", "row 2 has no options");
    assert_wrong("two words'", "two words", "' without its end");
    assert_wrong("title: a study\n", "", "a study needs a title");
}

/* good with more lines behind it cannot be read. */
static void assert_wrong_with(const char *more, const char *message)
{
    char with[400];
    snprintf(with, sizeof with, "repeats: 3\n%s", more);
    assert_wrong("repeats: 3\n", with, message);
}

static void values_of_another_kind_are_refused(void **state)
{
    (void)state;
    assert_wrong("findings:\n  it", "findings:\n  - it", "line 11, column 1: findings: expected a mapping");
    assert_wrong("settings: {rate: 0.1}", "settings: [rate]", "line 3, column 1: settings: expected a mapping of names to plain values");
    assert_wrong_with("about: [a, b]\n", "line 9, column 1: about: expected a plain value");
    assert_wrong_with("timeout: {a: 1}\n", "timeout: expected a plain value");
    assert_wrong_with("files: a\n", "files: expected a mapping");
    assert_wrong_with("curves: [cpu, discs]\n",
                      "line 9, column 1: curves: no curve is called discs; there are cpu, memory, sent, received, disk");
    assert_wrong_with("curves: {of: [cpu], when: 3}\n", "curves: expected `of`, a list of curves, and `at`");
    assert_wrong_with("curves: {of: [cpu], at: {mood: sync}}\n", "curves: at: no factor is called mood");
    assert_wrong_with("prepare: data make\n", "prepare: expected a list of plain values");
    assert_wrong_with("prepare: [data make, [a], data make]\n", "prepare: expected a list of plain values");
    assert_wrong_with("prepare: [data make, '', data make]\n", "prepare: command 2 is empty");
    assert_wrong_with("tables: [{rows: [[batch]], columns: [accuracy]}]\n", "tables: rows: expected a list of plain values");
    assert_wrong_with("plots: [{x: batch, y: [[a]]}]\n", "plots: y: expected a plain value or a list of them");
    assert_wrong_with("fits: [{y: accuracy, x: [{a: b}]}]\n", "fits: x: expected a list of plain values");
    assert_wrong_with("reported: {file: t, where: {x: [1]}}\n", "reported: where: expected a mapping of names to plain values");
    assert_wrong_with("reported: {file: t, hosts: [a]}\n", "reported: hosts: expected a mapping of names to plain values");
}

static void seed_that_no_repeat_can_be_added_to_is_refused(void **state)
{
    (void)state;
    assert_wrong_with("seed: 9223372036854775807\n", "seed: expected a whole number from 1 to");
    assert_wrong_with("seed: 99999999999999999999999\n", "seed: expected a whole number from 1 to");
}

static void preparation_has_no_run_and_no_cluster(void **state)
{
    (void)state;
    assert_wrong_with("prepare: ['data make digits --out {run}']\n", "{run}, and there is no factor or setting of that name");
    assert_wrong_with("prepare: ['data make digits --out {cluster}']\ncluster: {hosts: 2}\n", "{cluster}, and there is no factor");
}

static void what_a_report_shows_is_looked_for_before_the_first_run(void **state)
{
    (void)state;
    assert_wrong_with("tables: [{rows: [bach], columns: [accuracy]}]\n", "tables: rows: no factor is called bach");
    assert_wrong_with("tables: [{rows: [batch], columns: [nothing]}]\n", "tables: columns: no column is called nothing");
    assert_wrong_with("tables: [{by: host, rows: [batch], columns: [accuracy]}]\n", "tables: columns: no host_column is called accuracy");
    assert_wrong_with("plots: [{x: accuracy, y: accuracy}]\n", "plots: x: no factor is called accuracy");
    assert_wrong_with("plots: [{y: accuracy}]\n", "plots: each needs x: the name of a factor");
    assert_wrong_with("fits: [{y: accuracy, x: [batch, items]}]\n", "fits: x: no factor is called items");
    assert_wrong_with("fits: [{y: accuracy, x: [batch], at: {mood: sync}}]\n", "fits: at: no factor is called mood");
}

static void a_study_that_is_not_there_is_told_with_its_nearest_name(void **state)
{
    tri__study *study;
    (void)state;
    assert_fails(tri__study_load("no-such-study", TRI_SCALE_USUAL, &study), TRI_NOT_FOUND, "no study of that name is built in");
}

static void every_built_in_study_can_be_read_at_every_scale(void **state)
{
    (void)state;
    for (const tri__builtin_text *row = tri__builtin_studies; row->name; row++)
        for (tri__scale scale = TRI_SCALE_USUAL; scale <= TRI_SCALE_FULL; scale++) {
            tri__study *study;
            assert_ok(tri__study_load(row->name, scale, &study));
            assert_true(study->finding_count > 0);
            assert_int_equal(strncmp(study->title, row->name, strlen(row->name)), 0);
            tri__study_destroy(study);
        }
}

static void published_figures_stand_beside_their_cells(void **state)
{
    tri__study *study;
    (void)state;
    assert_ok(tri__study_load("a1", TRI_SCALE_USUAL, &study));
    int accuracy = tri__study_column_find(study, TRI_SCOPE_RUN, "accuracy");
    assert_true(tri__study_reported(study, 0, accuracy, "") == 92.12);
    assert_true(tri__study_reported(study, 4, accuracy, "") == 87);
    tri__study_destroy(study);
    assert_ok(tri__study_load("e3", TRI_SCALE_QUICK, &study));
    int sends = tri__study_column_find(study, TRI_SCOPE_RUN, "server_sends");
    assert_true(tri__study_reported(study, 0, sends, "") == 156.1833);
    assert_true(tri__study_reported(study, 1, sends, "") == 288.1872);
    int received = tri__study_column_find(study, TRI_SCOPE_HOST, "received");
    assert_true(tri__study_reported(study, 0, received, "host1") == 1.39);
    assert_true(tri__study_reported(study, 1, received, "host5") == 71.0476);
    tri__study_destroy(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_rows_crossed_with_factors),
        cmocka_unit_test(long_name_of_a_cell_is_cut_between_characters),
        cmocka_unit_test(quick_replaces_parts_and_changes_the_digest),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(values_of_another_kind_are_refused),
        cmocka_unit_test(seed_that_no_repeat_can_be_added_to_is_refused),
        cmocka_unit_test(preparation_has_no_run_and_no_cluster),
        cmocka_unit_test(what_a_report_shows_is_looked_for_before_the_first_run),
        cmocka_unit_test(a_study_that_is_not_there_is_told_with_its_nearest_name),
        cmocka_unit_test(every_built_in_study_can_be_read_at_every_scale),
        cmocka_unit_test(published_figures_stand_beside_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
