/* targets_test.c: the binary learns numbers and sets of labels, and says so where data and model do not go together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/binary_json.h"

enum { LINES = 240 };

static void put(const char *folder, const char *name, const char *text)
{
    char *path = test_path(folder, name);
    test_write(path, text, strlen(text));
    free(path);
}

/* y = 2·x1 − x2 + 0.5, in steps of an eighth. */
static void write_numbers(const char *folder)
{
    char text[LINES * 40] = "";
    for (int i = 0, at = 0; i < LINES; i++) {
        const double first = i % 7 / 8.0, second = i % 5 / 4.0;
        at += snprintf(text + at, sizeof text - (size_t)at, "%g 1:%g 2:%g\n", 2 * first - second + 0.5, first, second);
    }
    put(folder, "numbers.svm", text);
    put(folder, "line.model", "train(rate=0.3, batch=24, epochs=40)\ninput()\ndense(outputs)\nmse_loss()\n");
}

static void expect_learnt(test_result result)
{
    json_t *summary = json_of(result);
    assert_true(number(summary, "test_r2") > 0.99);
    assert_true(number(summary, "test_mae") < 0.05 && number(summary, "test_mse") < 0.01);
    assert_true(json_is_null(json_object_get(summary, "test_accuracy")));
    json_decref(summary);
}

static void numbers_are_learnt_and_predicted(void **state)
{
    const char *here = *state;
    write_numbers(here);
    expect(RUN(here, "data", "info", "numbers.svm"), 0, "labels    1 number each, from -0.5 to 2", "");
    expect_learnt(RUN(here, "train", "line.model", "--data", "numbers.svm", "--test", "numbers.svm", "--out", "run", "--json", "--quiet"));
    json_t *figures = json_of(RUN(here, "eval", "run", "--json"));
    assert_true(number(figures, "test_r2") > 0.99);
    json_decref(figures);
    expect(RUN(here, "eval", "run"), 0, "R2          1.0000", "");
    expect(RUN(here, "predict", "run", "--data", "numbers.svm", "--limit", "2"), 0, "prediction\texample\tlabel\n0.5", "");
    expect(RUN(here, "predict", "run", "--data", "numbers.svm", "--limit", "2"), 0, "numbers.svm:1\t0.5\n", "");
    expect(SHELL(here, "echo '0 1:0.5 2:0.5' | \"$0\" predict run --data - --json"), 0, "{\"outputs\":1,\"rows\":[{\"outputs\":[", "");
    expect(RUN(here, "train", "--resume", "run", "--epochs", "41", "--quiet"), 0, "R2 1.0000", "");
    expect(RUN(here, "train", "line.model", "--data", "numbers.svm", "--test", "numbers.svm", "--init", "run", "--out", "second", "--until",
               "r2>=0.9", "--quiet"),
           0, "R2 1.0000", "");
    expect(RUN(here, "export", "run", "--onnx", "line.onnx"), 0, "x in, logits out", "");
}

static void numbers_are_learnt_by_replicas_and_with_servers(void **state)
{
    const char *here = *state;
    write_numbers(here);
    static const char *const strategies[][6] = {
        {"mirrored", "--workers", "2"},
        {"ps", "--workers", "2", "--sync"},
        {"ps", "--workers", "2", "--servers", "2", "--async"},
    };
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        const char *const *s = strategies[i];
        char out[16];
        snprintf(out, sizeof out, "run-%zu", i);
        expect_learnt(RUN(here, "train", "line.model", "--data", "numbers.svm", "--test", "numbers.svm", "--json", "--quiet", "--batch",
                          "12", "--out", out, "--strategy", s[0], s[1], s[2], s[3], s[4], s[5]));
    }
    expect(RUN(here, "runs", "."), 0, "  R2  ", "");
}

static void numbers_survive_their_conversion_to_records(void **state)
{
    const char *here = *state;
    write_numbers(here);
    expect(RUN(here, "data", "convert", "numbers.svm", "--out", "records", "--quiet"), 0, "", "");
    expect(RUN(here, "data", "info", "records"), 0, "labels    1 number each, from -0.5 to 2", "");
    expect_learnt(RUN(here, "train", "line.model", "--data", "records", "--test", "numbers.svm", "--out", "run", "--json", "--quiet"));
}

static void sets_of_labels_are_learnt_and_predicted(void **state)
{
    const char *here = *state;
    char text[LINES * 40] = "";
    for (int i = 0, at = 0; i < LINES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%s 1:%d 2:%d\n", i % 2 ? "1" : "", i % 2 && i % 3 ? "," : "",
                       i % 3 ? "2" : "", i % 2, i % 3 > 0);
    put(here, "sets.svm", text);
    put(here, "sets.model", "train(rate=2, batch=24, epochs=40)\ninput()\ndense(outputs)\nsigmoid_loss()\n");
    expect(RUN(here, "train", "sets.model", "--data", "sets.svm", "--test", "sets.svm", "--out", "run", "--quiet"), 0,
           "accuracy 100.00 %, F1 100.00 %", "");
    expect(RUN(here, "eval", "run"), 0, "\n2                 100.00 %  100.00 %  100.00 %      160\n", "");
    expect(RUN(here, "predict", "run", "--data", "sets.svm", "--limit", "6"), 0, "labels\t1\t2\texample\tlabel\nnone\t", "");
    expect(RUN(here, "predict", "run", "--data", "sets.svm", "--limit", "6"), 0, "\n1,2\t", "");
    expect(RUN(here, "predict", "run", "--data", "sets.svm", "--limit", "6"), 0, "sets.svm:5\t1,2\n", "");
    put(here, "sets.csv", "a,b,red,green\n1,0,1,0\n0,1,0,1\n1,1,1,1\n0,0,0,0\n");
    expect(RUN(here, "train", "sets.model", "--data", "sets.csv", "--test", "sets.csv", "--label", "red,green", "--batch", "4", "--steps",
               "2", "--out", "table", "--quiet"),
           0, "", "");
    expect(RUN(here, "eval", "table", "--data", "sets.csv"), 0, "\nred  ", "");
    expect(RUN(here, "eval", "table", "--data", "sets.csv", "--json"), 0, "\"per_label\":[{\"label\":\"red\",", "");
}

/* price = area + 1 in Rome, area elsewhere; the last file has other places for its columns, and no label. */
static void tables_are_learnt_by_the_names_of_their_columns(void **state)
{
    const char *here = *state;
    char text[LINES * 40] = "name,area,city,price\n";
    for (int i = 0; i < LINES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "n%d,%g,%s,%g\n", i % 4, i % 9 / 8.0, i % 2 ? "Rome" : "\"Bonn, Rhine\"",
                 i % 9 / 8.0 + i % 2);
    put(here, "houses.csv", text);
    put(here, "new.csv", "city;name;area\nRome;n1;0.5\n\"Bonn, Rhine\";n2;0.5\n");
    put(here, "line.model", "train(rate=0.3, batch=24, epochs=60)\ninput()\ndense(outputs)\nmse_loss()\n");
    expect(RUN(here, "data", "info", "houses.csv", "--label", "city"), 0, "\nRome                       120", "");
    expect(RUN(here, "model", "softmax", "--data", "houses.csv", "--label", "city", "--json"), 0, "\"parameters\":14,", ""); /* 2 × 6 + 2 */
    expect(RUN(here, "model", "softmax", "--shape", "6", "--classes", "2", "--label", "city"), 2, "", "--label city: it is a column");
    expect_learnt(RUN(here, "train", "line.model", "--data", "houses.csv", "--label", "price", "--test", "houses.csv", "--out", "run",
                      "--json", "--quiet"));
    expect(RUN(here, "eval", "run"), 0, "R2          ", "");
    expect(RUN(here, "predict", "run", "--data", "new.csv"), 0, "prediction\texample\tlabel\n1.", "");
    expect(RUN(here, "predict", "run", "--data", "new.csv"), 0, "new.csv:1\t-\n", "");
    expect(SHELL(here, "\"$0\" predict run --data - < new.csv"), 0, "-:1\t-\n", "");
    expect(RUN(here, "eval", "run", "--data", "new.csv"), 2, "", "its examples have no labels to judge the model by");
    expect(RUN(here, "train", "--resume", "run", "--epochs", "61", "--quiet"), 0, "R2 ", "");
    expect_learnt(RUN(here, "train", "line.model", "--data", "houses.csv", "--label", "4", "--test", "houses.csv", "--out", "ps", "--json",
                      "--quiet", "--strategy", "ps", "--workers", "2", "--sync", "--batch", "12"));
    expect(RUN(here, "predict", "ps", "--data", "new.csv"), 0, "new.csv:1\t-\n", "");
    expect(RUN(here, "train", "softmax", "--data", "houses.csv", "--label", "city", "--test", "houses.csv", "--out", "city", "--quiet"), 0,
           "accuracy 100.00 %", "");
    expect(RUN(here, "predict", "city", "--data", "houses.csv", "--limit", "1"), 0, "class\tBonn, Rhine\tRome\texample\tlabel\nBonn", "");
    expect(RUN(here, "train", "softmax", "--data", "digits:60", "--label", "y", "--out", "c"), 2, "", "--label is for CSV tables");
    expect(RUN(here, "data", "info", "digits:60", "--label", "y"), 2, "", "--label is for CSV tables, and digits:60 has no columns");
}

/* Nothing that a prediction does not need is asked of a table. */
static void rows_are_predicted_whatever_their_label_is(void **state)
{
    const char *here = *state;
    put(here, "some.csv", "a,kind\n0,no\n1,yes\n0,no\n1,yes\n");
    put(here, "new.csv", "a,kind\n1,yes\n0,?\n1,\n0,perhaps\n");
    put(here, "one.txt", "a\n1\n0\n");
    put(here, "two.csv", "a,b,c\n0,1.5,2\n1,2.5,3\n0,1.5,2\n");
    put(here, "line.model", "train(rate=0.1, batch=3, epochs=1)\ninput()\ndense(outputs)\nmse_loss()\n");
    expect(RUN(here, "train", "softmax", "--data", "some.csv", "--epochs", "1", "--batch", "4", "--eval-every", "never", "--out", "run",
               "--quiet"),
           0, "", "");
    expect(RUN(here, "predict", "run", "--data", "new.csv"), 0, "new.csv:0\tyes\n", "");
    for (int i = 1; i < 4; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "new.csv:%d\t-\n", i);
        expect(RUN(here, "predict", "run", "--data", "new.csv"), 0, expected, "");
    }
    expect(RUN(here, "eval", "run", "--data", "new.csv"), 1, "", "'?' in column kind, the label, which is none of the classes");
    expect(RUN(here, "predict", "run", "--data", "one.txt"), 0, "one.txt:1\t-\n", "");
    expect(SHELL(here, "tail -n 2 one.txt | \"$0\" predict run --data -"), 0, "-:1\t-\n", "");
    expect(SHELL(here, "\"$0\" predict run --data - < two.csv"), 0, "-:2\t-\n", "");
    expect(SHELL(here, "sed s/a/z/ one.txt | \"$0\" predict run --data -"), 1, "", "standard input: has no column 'a', which the model");
    expect(SHELL(here, "\"$0\" predict run --data - < /dev/zero"), 1, "", "standard input: it is no text in UTF-8");
    expect(RUN(here, "train", "line.model", "--data", "two.csv", "--label", "b,c", "--eval-every", "never", "--out", "two", "--quiet"), 0,
           "", "");
    expect(RUN(here, "predict", "two", "--data", "two.csv"), 0, "b\tc\texample\tlabel\n", "");
}

/* Workers tell ps:0 what the columns are. */
static void a_table_of_many_columns_is_learnt_with_servers(void **state)
{
    enum { COLUMNS = 1500, ROWS = 8 };
    const char *here = *state;
    static char text[COLUMNS * (12 + 2 * ROWS)];
    size_t at = 0;
    for (int row = -1; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++) {
            const char end = i + 1 < COLUMNS ? ',' : '\n';
            at += (size_t)(row < 0 ? sprintf(text + at, "column%d%c", i, end) : sprintf(text + at, "%d%c", (row + i) % 3, end));
        }
    put(here, "wide.csv", text);
    put(here, "line.model", "train(rate=0.0001, batch=4, epochs=1)\ninput()\ndense(outputs)\nmse_loss()\n");
    expect(
        RUN(here, "train", "line.model", "--data", "wide.csv", "--strategy", "ps", "--workers", "2", "--sync", "--out", "run", "--quiet"),
        0, "", "");
    expect(RUN(here, "predict", "run", "--data", "wide.csv"), 0, "wide.csv:7\t", "");
}

static void data_and_models_that_do_not_go_together_are_refused(void **state)
{
    const char *here = *state;
    write_numbers(here);
    expect(RUN(here, "train", "softmax", "--data", "numbers.svm", "--out", "a"), 2, "",
           "softmax_loss learns classes, and the data is labelled with numbers");
    expect(RUN(here, "train", "line.model", "--data", "digits:60", "--out", "b"), 2, "",
           "mse_loss learns numbers, and the data is labelled with classes");
    put(here, "one.csv", "a,label\n1,x\n");
    expect(RUN(here, "data", "info", "one.csv"), 0, "train     1 example, ", "");
    put(here, "one-hot.csv", "a,red,green\n1,1,0\n2,0,1\n");
    expect(RUN(here, "train", "softmax", "--data", "one-hot.csv", "--label", "red,green"), 2, "",
           "sets of labels; y.argmax(axis=1) makes classes of one-hot rows)");
    expect(RUN(here, "train", "line.model", "--data", "numbers.svm", "--test", "numbers.svm", "--until", "accuracy>=0.9", "--out", "c"), 2,
           "", "that is no measure of a model of numbers, which has loss, mse, mae, r2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(numbers_are_learnt_and_predicted),
        FOLDER_TEST(numbers_are_learnt_by_replicas_and_with_servers),
        FOLDER_TEST(numbers_survive_their_conversion_to_records),
        FOLDER_TEST(sets_of_labels_are_learnt_and_predicted),
        FOLDER_TEST(tables_are_learnt_by_the_names_of_their_columns),
        FOLDER_TEST(rows_are_predicted_whatever_their_label_is),
        FOLDER_TEST(a_table_of_many_columns_is_learnt_with_servers),
        FOLDER_TEST(data_and_models_that_do_not_go_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
