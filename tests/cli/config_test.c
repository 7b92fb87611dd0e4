/* config_test.c: options of train from a file. */
#include <stdlib.h>

#include "cli/binary_json.h"

static void write_file(const char *folder, const char *name, const char *text)
{
    char *path = test_path(folder, name);
    test_write(path, text, strlen(text));
    free(path);
}

#define SETTINGS "model: softmax\ndata: digits:200\nbatch: 20\nsteps: 5\nrate: 0.5\nquiet: yes\nshuffle: 0\ncache: no\n"

static void a_file_says_what_the_command_line_would(void **state)
{
    write_file(*state, "run.yaml", SETTINGS);
    json_t *typed = json_of(RUN(*state, "train", "softmax", "--data", "digits:200", "--batch", "20", "--steps", "5", "--rate", "0.5",
                                "--shuffle", "0", "--json"));
    json_t *file = json_of(RUN(*state, "train", "--config", "run.yaml", "--json", "--out", "filed"));
    assert_true(number(typed, "train_loss") == number(file, "train_loss"));
    assert_int_equal(json_integer_value(json_object_get(file, "batch")), 20);
    json_decref(typed);
    json_decref(file);
    expect(SHELL(*state, "cat filed/command"), 0, "trireme train softmax --data=digits:200 --batch=20 --steps=5 --rate=0.5 --quiet", "");
    expect(SHELL(*state, "rm run.yaml; sed 's|^trireme|\"$0\"|' filed/command >again; sh -c \"$(cat again)\" \"$0\""), 0, "", "");
}

static void the_command_line_has_the_last_word(void **state)
{
    write_file(*state, "run.yaml", SETTINGS);
    json_t *after = json_of(RUN(*state, "train", "--config=run.yaml", "--steps", "7", "--json"));
    json_t *before = json_of(RUN(*state, "train", "--steps", "7", "--json", "--config", "run.yaml"));
    assert_int_equal(json_integer_value(json_object_get(after, "steps")), 7);
    assert_int_equal(json_integer_value(json_object_get(before, "steps")), 7);
    json_decref(after);
    json_decref(before);
    json_t *other = json_of(RUN(*state, "train", "lenet", "--config", "run.yaml", "--json", "--steps", "1"));
    assert_string_equal(json_string_value(json_object_get(other, "model")), "lenet");
    json_decref(other);
}

static void tasks_of_a_job_have_the_options_of_the_file(void **state)
{
    write_file(*state, "ps.yaml", SETTINGS "strategy: ps\nworkers: 2\nsync: yes\n");
    json_t *summary = json_of(RUN(*state, "train", "--config", "ps.yaml", "--json"));
    assert_string_equal(json_string_value(json_object_get(summary, "mode")), "sync");
    assert_int_equal(json_integer_value(json_object_get(summary, "workers")), 2);
    json_decref(summary);
}

static void a_key_of_the_file_may_be_a_negation(void **state)
{
    write_file(*state, "run.yaml", SETTINGS "no-events: yes\n");
    expect(RUN(*state, "train", "--config", "run.yaml", "--out", "without"), 0, "", "");
    expect(SHELL(*state, "test -d without/events && ls without/events/*"), 1, "", "");
    write_file(*state, "run.yaml", SETTINGS "no-events: no\n");
    expect(RUN(*state, "train", "--config", "run.yaml", "--out", "with"), 0, "", "");
    expect(SHELL(*state, "ls with/events/*"), 0, "tfevents", "");
    write_file(*state, "run.yaml", SETTINGS "no-events: perhaps\n");
    expect(RUN(*state, "train", "--config", "run.yaml"), 2, "", "line 9: no-events: perhaps: expected yes or no");
}

static void mistakes_in_the_file_are_told(void **state)
{
    static const char *const files[][2] = {
        {"rat: 1\n", "bad.yaml: line 1: train has no option --rat; did you mean --rate?"},
        {"rate: 0.1\n\nbatch: many\n", "bad.yaml: line 3: --batch many: expected a whole number"},
        {"sync: perhaps\n", "bad.yaml: line 1: sync: perhaps: expected yes or no"},
        {"rate: 1\nbatch: [1, 2]\n", "bad.yaml: line 2: batch: expected one value"},
        {"batch: 10\nrate:\n", "bad.yaml: line 2: rate: has no value (write 'key: value', or leave the line out)"},
        {"test: ''\n", "bad.yaml: line 1: test: has no value"},
        {"config: a.yaml\n", "line 1: config: a file of options cannot name another"},
        {"- a\n", "expected lines such as"},
        {"a: 'b\n", "line "},
        {"", "there is nothing in it"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(*state, "bad.yaml", files[i][0]);
        expect(RUN(*state, "train", "softmax", "--data", "digits:100", "--config", "bad.yaml"), 2, "", files[i][1]);
    }
    expect(RUN(*state, "train", "--config", "nowhere.yaml"), 1, "", "nowhere.yaml");
    expect(RUN(*state, "train", "--config"), 2, "", "--config needs a value");
    expect(RUN(*state, "train", "--config", "a.yaml", "--config=b.yaml"), 2, "", "--config a.yaml and --config b.yaml: give one file");
    expect(RUN(*state, "eval", "x", "--config", "a.yaml"), 2, "", "eval has no option --config");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_file_says_what_the_command_line_would),
        FOLDER_TEST(the_command_line_has_the_last_word),
        FOLDER_TEST(tasks_of_a_job_have_the_options_of_the_file),
        FOLDER_TEST(a_key_of_the_file_may_be_a_negation),
        FOLDER_TEST(mistakes_in_the_file_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
