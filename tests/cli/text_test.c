/* text_test.c: the binary trains on LIBSVM text, and reads other files as it read those it was trained on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/binary.h"

enum { LINES = 300 };

static void write_lines(const char *folder, const char *name, int first, const char *end)
{
    char *path = test_path(folder, name), text[LINES * 16] = "";
    for (int i = 0, at = 0; i < LINES; i++)
        if (i % 3 >= first)
            at += snprintf(text + at, sizeof text - (size_t)at, "%d %d:1\n", i % 3 + 1, i % 3);
    strcat(text, end);
    test_write(path, text, strlen(text));
    free(path);
}

/* Class c has label c + 1 and feature c, and indices begin with 0. The test file shows neither label 1 nor index 0. */
static void other_libsvm_files_are_read_with_the_numbering_of_the_training_files(void **state)
{
    const char *here = *state;
    write_lines(here, "all.libsvm", 0, "");
    write_lines(here, "some.libsvm", 1, "");
    expect(RUN(here, "data", "info", "all.libsvm"), 0, "up to 1 of 3 features, 1.0 on average", "");
    expect(RUN(here, "train", "softmax", "--data", "all.libsvm", "--test", "some.libsvm", "--epochs", "3", "--out", "run", "--json",
               "--quiet"),
           0, "\"test_accuracy\":1.0", "");
    expect(RUN(here, "eval", "run", "--data", "some.libsvm"), 0, "accuracy    100.00 %", "");
    expect(RUN(here, "predict", "run", "--data", "some.libsvm", "--limit", "2"), 0, "\n2\t", "");
    expect(RUN(here, "predict", "run", "--data", "some.libsvm", "--limit", "2"), 0, "some.libsvm:1\t3\n", "");
}

/* Labels −1 and +1, and 2 and 4, in files and on standard input. */
static void labels_are_predicted_as_they_stand_in_the_files(void **state)
{
    const char *here = *state;
    static const char *const pairs[][2] = {{"-1", "+1"}, {"2", "4"}};
    for (size_t i = 0; i < 2; i++) {
        char *path = test_path(here, i ? "b" : "a"), *test = test_path(here, i ? "b.t" : "a.t"), text[LINES * 16] = "", script[256];
        for (int j = 0, at = 0; j < LINES; j++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %d:1\n", pairs[i][j % 2], j % 2 + 1);
        test_write(path, text, strlen(text));
        test_write(test, text, strlen(text));
        expect(RUN(here, "train", "softmax", "--data", i ? "b" : "a", "--test", i ? "b.t" : "a.t", "--epochs", "2", "--out",
                   i ? "second" : "first", "--quiet"),
               0, "accuracy 100.00 %", "");
        expect(RUN(here, "data", "info", i ? "b" : "a"), 0, i ? "\n2          " : "\n-1         ", "");
        expect(RUN(here, "predict", i ? "second" : "first", "--data", i ? "b.t" : "a.t", "--limit", "2"), 0,
               i ? "class\t2\t4\texample\tlabel\n2\t" : "class\t-1\t1\texample\tlabel\n-1\t", "");
        snprintf(script, sizeof script, "echo '%s 2:1' | \"$0\" predict %s --data - --json", pairs[i][1], i ? "second" : "first");
        expect(test_run(here, (const char *[]){"sh", "-c", script, TEST_BINARY, NULL}), 0, i ? "\"class\":4" : "\"class\":1", "");
        expect(RUN(here, "predict", i ? "second" : "first", "--data", "nothing"), 1, "", "nothing");
        free(path);
        free(test);
    }
}

/* The first examples of the file are all of one class. */
static void limits_take_examples_of_all_classes(void **state)
{
    const char *here = *state;
    char *path = test_path(here, "sorted"), text[LINES * 16] = "";
    for (int i = 0, at = 0; i < LINES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d %d:1\n", i >= LINES / 2, 1 + (i >= LINES / 2));
    test_write(path, text, strlen(text));
    expect(RUN(here, "train", "softmax", "--data", "sorted", "--test", "sorted", "--limit-train", "10", "--batch", "2", "--epochs", "5",
               "--out", "run", "--quiet"),
           0, "accuracy 100.00 %", "");
    expect(RUN(here, "eval", "run", "--limit", "9"), 0, "AUC         1.0000", "");
    free(path);
}

static void labels_unknown_to_the_model_count_as_damage(void **state)
{
    const char *here = *state;
    write_lines(here, "all.libsvm", 0, "");
    write_lines(here, "more.libsvm", 0, "7 1:1\n");
    const char *told = "more.libsvm: line 301, column 1 (record 300 at byte 1800): label 7 where classes are 1 to 3";
    expect(RUN(here, "train", "softmax", "--data", "all.libsvm", "--test", "more.libsvm", "--epochs", "1", "--out", "one", "--quiet"), 1,
           "", told);
    expect(RUN(here, "train", "softmax", "--data", "all.libsvm", "--test", "more.libsvm", "--epochs", "1", "--out", "two", "--skip-bad",
               "1", "--quiet"),
           0, "test", "");
    expect(RUN(here, "eval", "two"), 1, "", told);
}

static void files_without_examples_are_refused(void **state)
{
    const char *here = *state;
    char *path = test_path(here, "empty.libsvm");
    test_write(path, "\n\n", 2);
    expect(RUN(here, "data", "info", "empty.libsvm"), 1, "", "empty.libsvm: has no records");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(other_libsvm_files_are_read_with_the_numbering_of_the_training_files),
        FOLDER_TEST(labels_unknown_to_the_model_count_as_damage),
        FOLDER_TEST(files_without_examples_are_refused),
        FOLDER_TEST(labels_are_predicted_as_they_stand_in_the_files),
        FOLDER_TEST(limits_take_examples_of_all_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
