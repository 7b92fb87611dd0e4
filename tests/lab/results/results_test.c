/* results_test.c: the folder of a study's results, and who may begin it anew. */
#include "lab/results/results.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char text[] = "title: t\ncommand: train softmax\nfactors: {a: 1}\ncolumns: {s: seconds}\n";

static void fresh_removes_nothing_of_a_study_that_runs(void **state)
{
    const char *folder = *state;
    tri__study *study;
    tri__results *running, *other;
    json_t *about = json_object();
    assert_ok(tri__study_parse(&(tri__study_text){.file = "t", .text = text}, TRI_SCALE_USUAL, &study));
    assert_ok(tri__results_open(folder, study, about, false, &running));
    assert_ok(tri__results_append(running, json_pack("{s:i, s:i, s:{}}", "cell", 0, "repeat", 1, "result")));
    tri_status refused = tri__results_open(folder, study, about, true, &other);
    assert_non_null(refused);
    tri_status_free(refused);
    tri__results_destroy(running);

    assert_ok(tri__results_open(folder, study, about, false, &other));
    assert_true(tri__results_has(other, 0, 1));
    tri__results_destroy(other);
    assert_ok(tri__results_open(folder, study, about, true, &other));
    assert_false(tri__results_has(other, 0, 1));
    tri__results_destroy(other);
    tri__study_destroy(study);
    json_decref(about);
}

int main(void)
{
    const struct CMUnitTest tests[] = {FOLDER_TEST(fresh_removes_nothing_of_a_study_that_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
