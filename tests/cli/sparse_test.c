/* sparse_test.c: the binary trains sparse models: what it tells of them, resuming to the example, threads, formats, and hostile data. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/binary_json.h"

#define DATA "clicks:20000:3000"

static void a_sparse_model_learns_and_says_how_well(void **state)
{
    json_t *summary = json_of(RUN(*state, "train", "sparse-lr", "--data", "clicks:20000:20000", "--epochs", "1", "--out", "run", "--json"));
    assert_int_equal(number(summary, "examples"), 20000);
    assert_int_equal(number(summary, "table_rows"), 20000);
    assert_int_equal(number(summary, "table_bytes"), 20000 * 2 * 4); /* a weight and adagrad's sum */
    assert_true(number(summary, "test_auc") > 0.7);
    assert_true(number(summary, "test_logloss") < 0.55 && number(summary, "progressive_logloss") < 0.55);
    assert_true(number(summary, "test_calibration") > 0.8 && number(summary, "test_calibration") < 1.2);
    assert_true(number(summary, "test_logloss") > 0 && number(summary, "test_loss") > 0);
    json_t *eval = json_of(RUN(*state, "eval", "run", "--json"));
    assert_true(number(eval, "test_loss") == number(summary, "test_loss"));
    assert_true(number(eval, "test_auc") == number(summary, "test_auc"));
    json_t *predicted = json_of(RUN(*state, "predict", "run", "--data", "clicks:20000:60", "--json"));
    assert_int_equal(json_array_size(json_object_get(predicted, "rows")), 10);
    expect(SHELL(*state, "echo 1 3:1 17:1 | \"$0\" predict run --data -"), 0, "\t-:0\t1\n", "");
    json_decref(predicted);
    json_decref(eval);
    json_decref(summary);
}

static void every_sparse_model_trains_by_every_rule(void **state)
{
    static const char *const models[] = {"sparse-lr", "fm", "deep-click", "sparse-softmax"};
    static const char *const rules[] = {"sgd", "momentum", "nesterov", "adagrad", "adam", "adamw", "ftrl"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            json_t *summary = json_of(RUN(*state, "train", models[m], "--data", "clicks:5000:600", "--rule", rules[r], "--rate", "0.01",
                                          "--epochs", "2", "--json"));
            if (!(number(summary, "test_loss") < 0.7))
                fail_msg("%s by %s: a test loss of %g", models[m], rules[r], number(summary, "test_loss"));
            json_decref(summary);
        }
}

/* Most features of a click log are rare: AdaGrad's first step of a feature must not be the whole rate. */
static void click_models_learn_clicks_better_than_without_their_epsilon(void **state)
{
    static const char *const settings[][2] = {{"fm", "0.05"}, {"deep-click", "0.02"}};
    for (int m = 0; m < 2; m++) {
        json_t *theirs = json_of(RUN(*state, "train", settings[m][0], "--data", "clicks:100000:20000", "--deterministic", "--json"));
        json_t *plain = json_of(RUN(*state, "train", settings[m][0], "--data", "clicks:100000:20000", "--deterministic", "--rate",
                                    settings[m][1], "--epsilon", "1e-8", "--json"));
        if (!(number(theirs, "test_logloss") < number(plain, "test_logloss") - 0.003))
            fail_msg("%s: a log loss of %g, and %g without its epsilon", settings[m][0], number(theirs, "test_logloss"),
                     number(plain, "test_logloss"));
        json_decref(theirs);
        json_decref(plain);
    }
}

/* A run that was stopped and resumed ends as one that was not, whatever the number of threads. */
static void resuming_is_exact_to_the_example(void **state)
{
    static const char *const models[] = {"sparse-lr", "deep-click"};
    for (int m = 0; m < 2; m++) {
        char whole[24], parts[24];
        snprintf(whole, sizeof whole, "whole%d", m);
        snprintf(parts, sizeof parts, "parts%d", m);
        json_t *straight = json_of(RUN(*state, "train", models[m], "--data", DATA, "--rule", "ftrl", "--l1", "0.001", "--steps", "50",
                                       "--batch", "70", "--deterministic", "--threads", "1", "--out", whole, "--json"));
        expect(RUN(*state, "train", models[m], "--data", DATA, "--rule", "ftrl", "--l1", "0.001", "--steps", "17", "--batch", "70",
                   "--deterministic", "--threads", "3", "--out", parts, "--quiet"),
               0, "", "");
        json_t *resumed = json_of(RUN(*state, "train", "--resume", parts, "--steps", "50", "--threads", "2", "--json"));
        assert_true(number(straight, "test_loss") == number(resumed, "test_loss"));
        assert_true(number(straight, "test_auc") == number(resumed, "test_auc"));
        assert_true(number(straight, "progressive_logloss") == number(resumed, "progressive_logloss"));
        json_decref(straight);
        json_decref(resumed);
    }
}

#define GROW(out, ...)                                                                                                                     \
    RUN(here, "train", "fm", "--data", DATA, "--rule", "adam", "--batch", "70", "--deterministic", "--out", out, __VA_ARGS__)

/* With room for all keys, a table that grows learns what one learns that has all rows from the start. */
static void growing_tables_learn_the_same(void **state)
{
    const char *here = *state;
    json_t *fixed = json_of(GROW("fixed", "--steps", "40", "--json"));
    json_t *grown = json_of(GROW("grown", "--steps", "40", "--table-memory", "50", "--json"));
    assert_true(number(fixed, "train_loss") == number(grown, "train_loss"));
    assert_true(number(grown, "table_rows") < number(fixed, "table_rows"));
    assert_true(number(grown, "left_out_rare") == 0 && number(grown, "left_out_full") == 0);
    json_t *eval = json_of(RUN(here, "eval", "grown", "--json"));
    assert_true(number(eval, "test_loss") == number(grown, "test_loss"));
    json_decref(eval);
    json_decref(grown);
    json_decref(fixed);
}

/* A run whose tables grow and that was stopped ends as one that was not, with the same keys left out. */
static void growing_tables_resume_exactly(void **state)
{
    const char *here = *state;
    json_t *straight = json_of(GROW("straight", "--steps", "40", "--min-count", "3", "--table-memory", "1", "--json"));
    expect(GROW("parts", "--steps", "17", "--min-count", "3", "--table-memory", "1", "--quiet"), 0, "seen too seldom", "");
    json_t *resumed = json_of(RUN(here, "train", "--resume", "parts", "--steps", "40", "--json"));
    static const char *const figures[] = {"test_loss", "progressive_logloss", "table_rows", "left_out_rare", "left_out_full"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_true(number(straight, figures[i]) == number(resumed, figures[i]));
    assert_true(number(straight, "left_out_rare") > 0);
    expect(RUN(here, "train", "--resume", "parts", "--steps", "50", "--strategy", "placed", "--workers", "2"), 2, "",
           "belongs to --strategy local, mirrored");
    expect(RUN(here, "train", "--resume", "parts", "--steps", "50", "--min-count", "2"), 2, "", "a resumed run keeps it");
    json_decref(straight);
    json_decref(resumed);
}

/* A table of 2^31 rows of which a few are met: memory for those alone. */
static void a_growing_table_has_room_for_any_key(void **state)
{
    json_t *summary = json_of(RUN(*state, "train", "sparse-lr", "--data", "clicks:2147483647:20000", "--table-memory", "1", "--epochs", "1",
                                  "--out", "run", "--json"));
    assert_true(number(summary, "left_out_full") > 0);
    assert_true(number(summary, "table_bytes") < 1000000);
    json_t *eval = json_of(RUN(*state, "eval", "run", "--json"));
    assert_true(number(eval, "test_loss") == number(summary, "test_loss"));
    json_decref(eval);
    json_decref(summary);
}

/* Any index is a key where keys are hashed; the same one is the same key in training and in evaluation. */
static void any_number_is_a_key_where_keys_are_hashed(void **state)
{
    const char *here = *state;
    static const char *const write =
        "for i in $(seq 40); do echo '-1 7:1 2147483647:0.5'; echo '+1 1000000007:1 19:-0.5'; done > wide.libsvm";
    expect(SHELL(here, write), 0, "", "");
    expect(RUN(here, "train", "sparse-lr", "--data", "wide.libsvm", "--features", "1000", "--quiet"), 1, "", "feature index 2147483647");
    expect(RUN(here, "train", "sparse-lr", "--data", "wide.libsvm", "--hash-keys", "--quiet"), 2, "", "--hash-keys goes with --features N");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--features", "7", "--hash-keys"), 2, "", "are dense and have no keys");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--features", "7"), 2, "", "the examples of digits:100 are dense");
    json_t *summary = json_of(RUN(here, "train", "sparse-lr", "--data", "wide.libsvm", "--test", "wide.libsvm", "--features", "1000",
                                  "--hash-keys", "--batch", "8", "--epochs", "20", "--out", "hashed", "--json"));
    json_t *eval = json_of(RUN(here, "eval", "hashed", "--json"));
    assert_true(number(summary, "test_accuracy") == 1);
    assert_true(number(eval, "test_loss") == number(summary, "test_loss"));
    json_decref(eval);
    json_decref(summary);
}

/* Rows that are 0 may be left out of checkpoints: the model is the same, and so is the run that goes on from it. */
static void checkpoints_of_nonzero_rows_are_whole(void **state)
{
    const char *here = *state;
    static const char *const models[] = {"sparse-lr", "fm"};
    for (int m = 0; m < 2; m++) {
        char all[16], some[16];
        snprintf(all, sizeof all, "all%d", m);
        snprintf(some, sizeof some, "some%d", m);
#define FEW(out, ...) RUN(here, "train", models[m], "--data", DATA, "--batch", "50", "--deterministic", "--out", out, __VA_ARGS__)
        json_t *whole = json_of(FEW(all, "--steps", "12", "--json"));
        expect(FEW(some, "--steps", "5", "--nonzero-rows", "--quiet"), 0, "", "");
        json_t *eval = json_of(RUN(here, "eval", some, "--json"));
        json_t *resumed = json_of(RUN(here, "train", "--resume", some, "--steps", "12", "--json"));
        json_t *last = json_of(RUN(here, "eval", some, "--json"));
        assert_true(number(whole, "test_loss") == number(resumed, "test_loss"));
        assert_true(number(whole, "test_loss") == number(last, "test_loss"));
        assert_true(number(eval, "test_loss") > 0);
        expect(RUN(here, "train", models[m], "--data", DATA, "--init", some, "--steps", "1", "--quiet"), 0, "", "");
        expect(RUN(here, "train", models[m], "--data", DATA, "--init", all, "--min-count", "2", "--steps", "1", "--quiet"), 2, "",
               "tables that grow begin with none");
        expect(RUN(here, "train", models[m], "--data", DATA, "--init", some, "--min-count", "2", "--steps", "1", "--quiet"), 0, "", "");
        json_decref(whole);
        json_decref(eval);
        json_decref(resumed);
        json_decref(last);
    }
    struct stat small, large;
    char *a = test_path(here, "all0/checkpoint/step-00000012.safetensors"),
         *b = test_path(here, "some0/checkpoint/step-00000012.safetensors");
    assert_int_equal(stat(a, &large) | stat(b, &small), 0);
    assert_true(small.st_size < large.st_size / 2);
    free(a);
    free(b);
}

/* The steps that follow change the tables while a checkpoint is written: it is of its own step all the same. */
static void checkpoints_written_while_training_goes_on_are_of_one_step(void **state)
{
    static const char *const models[] = {"sparse-lr --rule sgd --rate 0.1", "fm --rule adam --rate 0.001 --clip 0.5",
                                         "deep-click --nonzero-rows"};
    for (int m = 0; m < 3; m++) {
        char script[1024];
        snprintf(
            script, sizeof script,
            "train() { \"$0\" train %s --data clicks:300000:4000 --batch 20 --deterministic --no-events --eval-every end --quiet \"$@\"; };"
            "figures() { \"$0\" eval \"$1\" --json | sed 's/.*\"test_loss\"/\"test_loss\"/; s/\"confusion.*//'; };"
            "train --steps 130 --checkpoint-every 40steps --keep 9 --out moving >/dev/null || exit 1;"
            "for k in 040 080 120; do train --steps ${k#0} --out still-$k >/dev/null || exit 1; figures still-$k >a;"
            "figures moving/checkpoint/step-00000$k.safetensors >b; cmp a b && grep -q test_loss a || { cat a b; exit 1; };"
            "tail -c 300000 moving/checkpoint/*$k.safetensors >a; tail -c 300000 still-$k/checkpoint/*$k.safetensors | cmp - a || exit 1;"
            "done; rm -r moving still-*",
            models[m]);
        test_result result = SHELL(*state, script);
        if (result.status)
            fail_msg("%s: %s%s", models[m], result.out, result.err);
        test_result_fini(&result);
    }
}

/* The same examples as records and as text give the same model. */
static void sparse_models_learn_the_same_from_every_format(void **state)
{
    expect(RUN(*state, "data", "make", "clicks", "--features", "20000", "--count", "2000", "--format", "tfrecord", "--out", "records"), 0,
           "", "");
    expect(RUN(*state, "data", "make", "clicks", "--features", "20000", "--count", "2000", "--format", "criteo", "--out", "text"), 0, "",
           "");
    json_t *records = json_of(RUN(*state, "train", "sparse-lr", "--data", "records", "--features", "20000", "--deterministic", "--json"));
    json_t *text = json_of(RUN(*state, "train", "sparse-lr", "--data", "text", "--features", "20000", "--deterministic", "--json"));
    json_t *made = json_of(RUN(*state, "train", "sparse-lr", "--data", "clicks:20000:2000", "--deterministic", "--json"));
    assert_true(number(records, "train_loss") == number(made, "train_loss"));
    assert_true(number(text, "train_loss") == number(made, "train_loss"));
    json_decref(records);
    json_decref(text);
    json_decref(made);
}

static void several_classes_have_a_weight_each(void **state)
{
    expect(SHELL(*state, "for i in 1 2 3 4 5 6 7 8 9; do echo '0 1:1'; echo '1 2:1 4:1'; echo '2 3:1'; done > three.libsvm"), 0, "", "");
    json_t *summary = json_of(RUN(*state, "train", "sparse-softmax", "--data", "three.libsvm", "--test", "three.libsvm", "--batch", "9",
                                  "--rate", "0.5", "--epochs", "20", "--json"));
    assert_true(number(summary, "test_accuracy") == 1);
    assert_int_equal(number(summary, "table_rows"), 4);
    assert_null(json_object_get(summary, "test_auc"));
    json_decref(summary);
}

/* Rows like a9a's: 14 answers each, a quarter of class 1. What a first run learns is within a point of what 40 epochs do. */
static void a_first_run_over_small_data_learns_what_there_is(void **state)
{
    static const char *const write =
        "awk 'BEGIN { srand(1); for (k = 1; k <= 140; k++) w[k] = 2.4 * (rand() - 0.5);"
        "for (r = 0; r < 12000; r++) { z = -2; row = \"\"; for (g = 0; g < 14; g++) { k = 1 + g * 10 + int(10 * rand() * rand());"
        "z += w[k]; row = row \" \" k \":1\" } print (rand() < 1 / (1 + exp(-z)) ? \"+1\" : \"-1\") row > (r < 8000 ? \"small.libsvm\" :"
        " \"test.libsvm\") } }'";
    static const char *const models[] = {"sparse-lr", "sparse-softmax"};
    expect(SHELL(*state, write), 0, "", "");
    for (int i = 0; i < 2; i++) {
        json_t *first = json_of(RUN(*state, "train", models[i], "--data", "small.libsvm", "--test", "test.libsvm", "--json"));
        json_t *long_run = json_of(RUN(*state, "train", models[i], "--data", "small.libsvm", "--test", "test.libsvm", "--epochs", "40",
                                       "--eval-every", "end", "--json"));
        if (!(number(first, "test_accuracy") > number(long_run, "test_accuracy") - 0.01))
            fail_msg("%s: accuracy %g, %g after 40 epochs", models[i], number(first, "test_accuracy"), number(long_run, "test_accuracy"));
        assert_true(number(first, "test_accuracy") > 0.77);
        json_decref(first);
        json_decref(long_run);
    }
}

/* Each is told by file and record; --skip-bad leaves it out and counts it. */
static void hostile_examples_are_told_or_left_out(void **state)
{
    const char *here = *state;
    static const char *const write = "for i in 1 2 3 4 5; do echo '-1 1:1 3:0.5'; echo '+1 2:1 4:-0.5'; done > good;"
                                     "(cat good; echo '+1 99:1') > beyond.libsvm; (cat good; echo '+1 1:nan') > nan.libsvm;"
                                     "(cat good; echo '+1 1:1 -3:1') > negative.libsvm; (cat good; echo '0.5 1:1') > label.libsvm;"
                                     "(cat good; echo '+1 1:inf') > infinite.libsvm";
    expect(SHELL(here, write), 0, "", "");
    static const char *const files[][2] = {
        {"beyond.libsvm", "beyond.libsvm: line 11, column 4 (record 10 at byte 138): feature index 99 where indices are 1 to 4"},
        {"nan.libsvm", "nan.libsvm: line 11, column 6 (record 10 at byte "},
        {"negative.libsvm", "negative.libsvm: line 11, column 8 (record 10 at byte "},
        {"label.libsvm", "label.libsvm: line 11, column 1 (record 10 at byte 135): label 0.5 where labels are -1 and +1"},
        {"infinite.libsvm", "infinite.libsvm: line 11, column 6 (record 10 at byte "}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        expect(RUN(here, "train", "sparse-lr", "--data", files[i][0], "--features", "4", "--epochs", "1", "--quiet"), 1, "", files[i][1]);
        json_t *summary = json_of(
            RUN(here, "train", "sparse-lr", "--data", files[i][0], "--features", "4", "--epochs", "1", "--skip-bad", "1", "--json"));
        assert_int_equal(number(summary, "damaged"), 1);
        json_decref(summary);
    }
}

/* Text of Criteo's and records, by one worker, by replicas and by parameter servers: told by file and place, or left out and counted. */
static void hostile_examples_of_every_format_are_told_by_every_strategy(void **state)
{
    const char *here = *state;
    static const char *const write =
        "make() { \"$0\" data make clicks --features 50 --count 300 --partitions 1 --format $1 --out $1 --quiet >/dev/null; };"
        "make criteo && make tfrecord && cp criteo/train* number.criteo && cp criteo/train* label.criteo && cp tfrecord/train* "
        "damaged.tfrecord &&"
        "head -n 1 criteo/train* | sed 's/^.\t[^\t]*/0\tnan/' >>number.criteo && head -n 1 criteo/train* | sed 's/^./7/' >>label.criteo &&"
        "printf '\\377' | dd of=damaged.tfrecord bs=1 seek=2000 conv=notrunc 2>/dev/null";
    static const char *const files[][2] = {{"number.criteo", "number.criteo: line 301, column 3 (record 300 at byte "},
                                           {"label.criteo", "label.criteo: line 301, column 1 (record 300 at byte "},
                                           {"damaged.tfrecord", "damaged.tfrecord: record 7 at byte "}};
    static const char *const strategies[] = {"local", "mirrored", "ps"};
    expect(SHELL(here, write), 0, "", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
#define HOSTILE(...)                                                                                                                       \
    RUN(here, "train", "sparse-lr", "--data", files[i][0], "--features", "50", "--epochs", "1", "--strategy", strategies[k], __VA_ARGS__)
            expect(HOSTILE("--quiet"), 1, "", files[i][1]);
            json_t *summary = json_of(HOSTILE("--skip-bad", "1", "--json"));
            assert_int_equal(number(summary, "damaged"), 1);
            json_decref(summary);
        }
}

/* Features of LIBSVM text are indices, those of Criteo text are hashes: one means nothing to a model that was trained on the other. */
static void a_model_refuses_features_that_are_numbered_otherwise(void **state)
{
    const char *here = *state;
    static const char *const write =
        "make() { \"$0\" data make clicks --features 500 --count 300 --format $1 --out $1 --quiet >/dev/null; };"
        "make libsvm && make criteo && make tfrecord";
    static const char *const formats[] = {"libsvm", "criteo"};
    static const char *const said[] = {"its features are numbered by index, as in LIBSVM text; the model was trained on ",
                                       "its features are numbered by hashes of columns and categories, as in Criteo text; the model was "};
    expect(SHELL(here, write), 0, "", "");
    for (int i = 0; i < 2; i++) {
        const char *own = formats[i], *run = own + 2, *other = formats[1 - i], *refusal = said[1 - i];
        expect(RUN(here, "train", "sparse-lr", "--data", own, "--features", "500", "--epochs", "1", "--quiet", "--out", run), 0, "", "");
        expect(RUN(here, "eval", run, "--data", own), 0, "accuracy", "");
        expect(RUN(here, "eval", run, "--data", "tfrecord"), 0, "accuracy", "");
        expect(RUN(here, "eval", run, "--data", other), 2, "", refusal);
        expect(RUN(here, "predict", run, "--data", other), 2, "", refusal);
        expect(RUN(here, "train", "sparse-lr", "--data", other, "--features", "500", "--init", run, "--quiet"), 2, "", refusal);
        expect(RUN(here, "train", "--resume", run, "--test", other, "--epochs", "2", "--quiet"), 2, "", refusal);
        expect(RUN(here, "train", "sparse-lr", "--data", own, "--test", other, "--features", "500", "--quiet"), 2, "", refusal);
    }
    expect(SHELL(here, "cat criteo/test* | \"$0\" predict bsvm --data - --quiet"), 2, "", said[1]);
    expect(RUN(here, "train", "sparse-lr", "--data", "libsvm", "--features", "500", "--hash-keys", "--init", "bsvm", "--quiet"), 2, "",
           "its features are numbered by hashes of indices, by --hash-keys; the model was trained on libsvm, whose features");
    expect(SHELL(here, "cat criteo/test* | \"$0\" train sparse-lr --data - --features 500 --quiet --out stream"), 0, "", "");
    expect(SHELL(here, "cat libsvm/test* | \"$0\" train --resume stream --quiet"), 2, "", said[0]);
}

/* One row of a million features among short ones: it trains, and takes no memory from the others. */
static void a_row_of_a_million_features_is_one_row(void **state)
{
    static const char *const write = "awk 'BEGIN { for (r = 0; r < 2000; r++) { printf \"%d\", r % 2; n = r == 1000 ? 1000000 : 5;"
                                     "for (i = 1; i <= n; i++) printf \" %d:1\", i; printf \"\\n\" } }' > long.libsvm";
    expect(SHELL(*state, write), 0, "", "");
    json_t *summary = json_of(RUN(*state, "train", "sparse-lr", "--data", "long.libsvm", "--batch", "500", "--epochs", "1", "--json"));
    assert_int_equal(number(summary, "examples"), 2000);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    assert_true(number(summary, "peak_rss_mb") < 400); /* 500 rows as wide as that one would take 4,000; sanitizers take their own memory */
#endif
    json_decref(summary);
}

/* A table with its rule's state is in memory once, also while a checkpoint is written. */
static void no_second_copy_of_a_table_is_made(void **state)
{
    json_t *summary = json_of(RUN(*state, "train", "fm", "--data", "clicks:3200000:2000", "--batch", "100", "--epochs", "1",
                                  "--checkpoint-every", "10steps", "--keep", "1", "--eval-every", "end", "--out", "run", "--json"));
    const double table = number(summary, "table_bytes") / 1e6;
    assert_true(table > 220);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    if (!(number(summary, "peak_rss_mb") < table + 200))
        fail_msg("%g MB at most, and the tables take %g", number(summary, "peak_rss_mb"), table);
#endif
    json_decref(summary);
}

static void options_that_sparse_models_do_not_have_are_refused(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "sparse-lr", "--data", "digits:100"), 2, "", "its examples are dense, and sparse-lr takes sparse ones");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--min-count", "2"), 2, "", "it concerns sparse models");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--nonzero-rows"), 2, "", "it concerns sparse models");
    expect(RUN(here, "train", "sparse-lr", "--data", DATA, "--table-memory", "5", "--strategy", "placed", "--workers", "2"), 2, "",
           "--table-memory belongs to --strategy local, mirrored");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--until", "auc>=0.5"), 2, "",
           "no measure of a model of more than two classes, which has loss, accuracy");
    expect(RUN(here, "train", "sparse-lr", "--data", DATA, "--accumulate", "2"), 2, "", "give a --batch 2 times as large instead");
    expect(RUN(here, "train", "sparse-lr", "--data", DATA, "--accumulate", "2", "--strategy", "ps", "--workers", "2"), 2, "",
           "--accumulate 2: a step of the sparse model sparse-lr");
    expect(RUN(here, "train", "sparse-lr", "--data", DATA, "--until", "auc<=0.5"), 2, "", "auc should rise");
    json_t *summary = json_of(
        RUN(here, "train", "sparse-lr", "--data", DATA, "--until", "logloss<=0.69", "--eval-every", "5", "--max-steps", "50", "--json"));
    assert_string_equal(json_string_value(json_object_get(summary, "stopped_by")), "until");
    json_decref(summary);
}

#define TEST(name) FOLDER_TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sparse_model_learns_and_says_how_well),
        TEST(every_sparse_model_trains_by_every_rule),
        TEST(click_models_learn_clicks_better_than_without_their_epsilon),
        TEST(resuming_is_exact_to_the_example),
        TEST(growing_tables_learn_the_same),
        TEST(growing_tables_resume_exactly),
        TEST(a_growing_table_has_room_for_any_key),
        TEST(checkpoints_of_nonzero_rows_are_whole),
        TEST(any_number_is_a_key_where_keys_are_hashed),
        TEST(checkpoints_written_while_training_goes_on_are_of_one_step),
        TEST(sparse_models_learn_the_same_from_every_format),
        TEST(several_classes_have_a_weight_each),
        TEST(a_first_run_over_small_data_learns_what_there_is),
        TEST(hostile_examples_are_told_or_left_out),
        TEST(hostile_examples_of_every_format_are_told_by_every_strategy),
        TEST(a_model_refuses_features_that_are_numbered_otherwise),
        TEST(a_row_of_a_million_features_is_one_row),
        TEST(no_second_copy_of_a_table_is_made),
        TEST(options_that_sparse_models_do_not_have_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
