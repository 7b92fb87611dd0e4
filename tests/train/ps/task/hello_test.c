/* hello_test.c: what a worker tells of its source fits into a message, or is refused. */
#include "train/ps/task/hello.h"

#include <stdlib.h>
#include <string.h>

#include "store/ps/protocol/settings.h"
#include "support.h"

static json_t *make(size_t columns)
{
    char *text = malloc(columns + 1);
    assert_non_null(text);
    memset(text, 'x', columns);
    text[columns] = 0;
    const tri_source_info source = {.type = TRI_F32, .shape = TRI_SHAPE(3), .examples = 7, .outputs = 2, .columns = text};
    json_t *hello = tri__hello_json(&source, 7, 4, "digest", "data", "terms");
    assert_non_null(hello);
    free(text);
    return hello;
}

static void a_source_is_read_back_from_its_hello(void **state)
{
    (void)state;
    tri_source_info source;
    const char **names = NULL;
    json_t *hello = make(100);
    assert_ok(tri__hello_read(hello, &source, &names));
    assert_true(source.examples == 7 && source.outputs == 2 && tri_shape_equal(source.shape, TRI_SHAPE(3)));
    assert_int_equal(strlen(source.columns), 100);
    free(names);
    json_decref(hello);
}

static void a_hello_that_no_message_holds_is_refused(void **state)
{
    (void)state;
    json_t *wide = make(500000), *too_wide = make(1 << 20);
    assert_ok(tri__hello_check(wide, "wide.csv"));
    assert_fails(tri__hello_check(too_wide, "wide.csv"), TRI_BAD_CALL, "wide.csv: its columns, categories and classes take 1048");
    json_decref(wide);
    json_decref(too_wide);
}

static void expect_other_terms(const tri__train_settings *settings, const char *named)
{
    static char schedule[] = "given";
    const tri__train_options options = {.schedule = schedule};
    tri__train_settings plain = {.rule = {.name = "sgd"}, .schedule = settings->schedule, .accumulate = 1, .steps = 7};
    char ours[TRI_TERMS], job[TRI_TERMS];
    tri__hello_terms(&options, settings, ours, sizeof ours);
    tri__hello_terms(&options, &plain, job, sizeof job);
    assert_string_not_equal(ours, job);
    assert_non_null(strstr(ours, named));
}

/* What changes a gradient or its rate is in the terms. */
static void terms_tell_what_changes_an_update(void **state)
{
    (void)state;
    const tri__train_settings plain = {.rule = {.name = "sgd"}, .accumulate = 1, .steps = 7};
    tri__train_settings s = plain;
    s.accumulate = 4;
    expect_other_terms(&s, " --accumulate 4");
    s = plain;
    s.class_weights = "balanced";
    expect_other_terms(&s, " --class-weights balanced");
    s = plain;
    s.schedule = (tri__schedule){.kind = TRI_SCHEDULE_SWEEP};
    s.steps = 9;
    expect_other_terms(&s, " --steps 9");
    s = plain;
    s.schedule = (tri__schedule){.kind = TRI_SCHEDULE_STEP, .in_epochs = true};
    s.steps_per_epoch = 5;
    expect_other_terms(&s, " --steps-per-epoch 5");
}

static void long_lists_of_weights_differ_by_their_digest(void **state)
{
    (void)state;
    char weights[2][1000], terms[2][TRI_TERMS];
    for (int i = 0; i < 2; i++) {
        memset(weights[i], '1', sizeof weights[i] - 1);
        weights[i][sizeof weights[i] - 1] = 0;
    }
    weights[1][900] = '2';
    for (int i = 0; i < 2; i++) {
        const tri__train_settings settings = {.rule = {.name = "sgd"}, .accumulate = 1, .class_weights = weights[i]};
        tri__hello_terms(&(tri__train_options){0}, &settings, terms[i], sizeof terms[i]);
    }
    assert_string_not_equal(terms[0], terms[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_read_back_from_its_hello),
        cmocka_unit_test(a_hello_that_no_message_holds_is_refused),
        cmocka_unit_test(terms_tell_what_changes_an_update),
        cmocka_unit_test(long_lists_of_weights_differ_by_their_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
