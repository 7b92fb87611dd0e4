/* train_test.c: the binary trains, stops, goes on, evaluates and predicts, and says clearly what is wrong. */
#include <stdlib.h>
#include <string.h>

#include "cli/binary_json.h"

#define DATA "digits:300"

static void wrong_calls_of_train_are_refused_before_any_work(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train"), 2, "", "train needs MODEL");
    expect(RUN(here, "train", "softmax"), 2, "", "train needs --data SOURCE");
    expect(RUN(here, "train", "sofmax", "--data", DATA), 1, "", "sofmax");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--batch", "many"), 2, "", "--batch many: expected a whole number");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--batch", "0"), 2, "", "--batch 0: must be from 1");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--features", "-1"), 2, "", "--features -1: must be from 1 to 2147483647");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--rate", "0"), 2, "", "--rate 0: must be above 0");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--steps", "3", "--steps-per-epoch", "2"), 2, "",
           "--steps-per-epoch and --steps: it says how long each of --epochs is");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--rule", "adma"), 2, "", "did you mean adam?");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--epoch", "3"), 2, "", "did you mean --epochs?");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--until", "loss>=3"), 2, "", "loss should fall");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--steps", "3", "--epochs", "3"), 2, "", "both say how long");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--strategy", "mirrored", "--servers", "2"), 2, "",
           "--servers belongs to --strategy ps");
    expect(SHELL(here, "printf 'input()\\ndense(8)\\ndense(classes, place=1)\\nsoftmax_loss()\\n' >placed.model"), 0, "", "");
    expect(RUN(here, "train", "placed.model", "--data", DATA, "--strategy", "ps"), 2, "", "placed.model:3:1: place=1: every worker");
    expect(RUN(here, "train", "placed.model", "--data", DATA, "--strategy", "mirrored"), 2, "", "placed.model:3:1: place=1: every worker");
    expect(SHELL(here, "rm placed.model"), 0, "", "");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--workers", "3"), 2, "", "strategy local has one worker");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--cache-memory", "5"), 2, "", "--cache-memory goes with --cache");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--shard", "files"), 2, "", "has no files that workers could share out");
    expect(RUN(here, "train", "softmax", "--data", DATA, "--out"), 2, "", "--out needs a value: --out DIR");
    expect(RUN(here, "train", "softmax", "--data", "/nowhere/at/all"), 1, "", "/nowhere/at/all");
    expect(RUN(here, "train", "softmax", "--data", "fake:8x8x1:3:50", "--until", "loss<=1", "--resume", "x", "--out", "y"), 2, "",
           "a resumed run stays in its folder");
    expect(SHELL(here, "ls"), 0, "", ""); /* nothing of all that left a run folder */
    test_result listing = SHELL(here, "ls");
    assert_string_equal(listing.out, "");
    test_result_fini(&listing);
}

/* Sparse text under a dense model: the test file has fewer features and still fits; where there are too many, that is said. */
static void a_dense_model_trains_on_sparse_text(void **state)
{
    const char *here = *state;
    static const char *const write =
        "mkdir set; for i in 1 2 3 4 5 6 7 8; do echo '-1 1:1 3:0.5'; echo '+1 2:1 4:-0.5'; done > set/train.libsvm;"
        "echo '-1 1:1' > other.libsvm; echo '+1 2:1' >> other.libsvm";
    expect(SHELL(here, write), 0, "", "");
    expect(RUN(here, "train", "softmax", "--data", "set", "--test", "other.libsvm", "--batch", "8", "--epochs", "20", "--rate", "0.5",
               "--out", "run", "--quiet"),
           0, "", "");
    expect(RUN(here, "eval", "run", "--data", "other.libsvm"), 0, "accuracy    100.00 %", "");
    expect(RUN(here, "eval", "run", "--data", "clicks:200000:10"), 2, "", "examples are sparse, of 200000 features");
    expect(RUN(here, "train", "softmax", "--data", "clicks:200000:10"), 2, "", "examples are sparse, of 200000 features");
}

static void the_json_summary_has_all_documented_keys(void **state)
{
    static const char *const keys[] = {"model",         "data",
                                       "strategy",      "mode",
                                       "workers",       "rule",
                                       "rate",          "servers",
                                       "batch",         "threads",
                                       "seed",          "steps",
                                       "examples",      "examples_before",
                                       "epochs",        "seconds",
                                       "total_seconds", "examples_per_second",
                                       "train_loss",    "test_loss",
                                       "test_accuracy", "stopped_by",
                                       "until_step",    "peak_rss_mb",
                                       "bytes_sent",    "bytes_received",
                                       "dropped_stale", "re_leased",
                                       "lost_updates",  "damaged",
                                       "test_damaged",  "phases",
                                       "verdict",       "worker_stats",
                                       "task_stats",    "hosts",
                                       "checkpoint",    "options"};
    json_t *summary = json_of(RUN(*state, "train", "softmax", "--data", DATA, "--epochs", "2", "--batch", "50", "--json"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(summary, keys[i]));
    assert_int_equal(number(summary, "steps"), 12);
    double sum = 0;
    const char *name;
    json_t *share;
    json_object_foreach(json_object_get(summary, "phases"), name, share) sum += json_number_value(share);
    assert_float_equal(sum, 1, 1e-6);
    json_t *file;
    char *path = test_path(*state, json_string_value(json_object_get(summary, "checkpoint")));
    *strstr(path, "checkpoint/") = 0; /* the run folder */
    char *summary_path = test_path(path, "summary.json");
    assert_ok(tri__json_read(summary_path, &file));
    assert_int_equal(json_object_size(file), sizeof keys / sizeof *keys);
    json_decref(file);
    json_decref(summary);
    free(summary_path);
    free(path);
}

static void eval_gives_the_figures_of_the_summary(void **state)
{
    json_t *summary = json_of(RUN(*state, "train", "softmax", "--data", DATA, "--epochs", "2", "--rate", "0.1", "--out", "run", "--json"));
    json_t *run = json_of(RUN(*state, "eval", "run", "--data", DATA, "--json"));
    json_t *alone = json_of(RUN(*state, "eval", "run/checkpoint/step-00000006.safetensors", "--batch", "7", "--json"));
    assert_true(number(run, "test_loss") == number(summary, "test_loss"));
    assert_true(number(run, "test_accuracy") == number(summary, "test_accuracy"));
    assert_true(number(alone, "test_accuracy") == number(summary, "test_accuracy"));
    assert_float_equal(number(alone, "test_loss"), number(summary, "test_loss"), 1e-5);
    json_decref(summary);
    json_decref(run);
    json_decref(alone);
    expect(RUN(*state, "eval", "run", "--data", "fake:8x8x1:3:50"), 2, "", "the model takes 28x28x1");
    expect(RUN(*state, "eval", "nowhere"), 1, "", "nowhere");
    expect(RUN(*state, "model", "run"), 0, "7,850", "");
    expect(RUN(*state, "model", "run", "--shape", "3x3x3"), 2, "", "--shape: run is a trained model, whose shapes and classes are fixed");
    expect(RUN(*state, "model", "run", "--data", DATA), 2, "", "--data: run is a trained model");
}

/* The diagonal of the matrix is what was right; its rows are the examples of the classes. */
static void eval_tells_which_class_was_taken_for_which(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--epochs", "2", "--out", "classes", "--quiet"), 0, "", "");
    json_t *eval = json_of(RUN(*state, "eval", "classes", "--json")), *matrix = json_object_get(eval, "confusion");
    const double examples = number(eval, "examples");
    double right = 0;
    assert_int_equal(json_array_size(matrix), 10);
    for (size_t label = 0; label < 10; label++) {
        const json_t *row = json_array_get(matrix, label), *score = json_array_get(json_object_get(eval, "per_class"), label);
        json_int_t count = 0;
        for (size_t guess = 0; guess < 10; guess++)
            count += json_integer_value(json_array_get(row, guess));
        assert_int_equal(count, json_integer_value(json_object_get(score, "count")));
        right += (double)json_integer_value(json_array_get(row, label));
    }
    assert_float_equal(right / examples, number(eval, "test_accuracy"), 1e-9);
    assert_true(number(eval, "top5_accuracy") >= number(eval, "test_accuracy"));
    json_decref(eval);
    expect(RUN(*state, "eval", "classes"), 0, "precision    recall        F1 examples   taken for each class", "");
}

static void predict_prints_one_line_for_each_row(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "fake:2x2x1:2:40", "--epochs", "1", "--out", "run", "--quiet"), 0, "softmax", "");
    test_result lines = RUN(*state, "predict", "run", "--data", "fake:2x2x1:2:40", "--part", "train", "--limit", "3");
    int count = 0;
    for (const char *at = lines.out; *at; at++)
        count += *at == '\n';
    assert_int_equal(count, 4);
    assert_memory_equal(lines.out, "class\t", 6);
    test_result_fini(&lines);
    test_result input = SHELL(*state, "printf '0 1 2 3\\n\\n255,255,0,0\\n' | \"$0\" predict run --data - --json");
    json_t *value = json_of(input);
    assert_int_equal(json_array_size(json_object_get(value, "rows")), 2);
    json_t *row = json_object_get(json_array_get(json_object_get(value, "rows"), 1), "probabilities");
    assert_float_equal(json_number_value(json_array_get(row, 0)) + json_number_value(json_array_get(row, 1)), 1, 1e-6);
    json_decref(value);
    expect(SHELL(*state, "echo 1 2 3 | \"$0\" predict run --data -"), 1, "", "line 1: fewer than the 4 numbers");
    expect(SHELL(*state, "echo 1 2 3 4 5 | \"$0\" predict run --data -"), 1, "", "line 1: more than the 4 numbers");
    expect(SHELL(*state, "echo 1 2 3 400 | \"$0\" predict run --data -"), 1, "", "from 0 to 255, found '400'");
    expect(SHELL(*state, "echo 1 2 x 4 | \"$0\" predict run --data -"), 1, "", "number 3: expected a number, found 'x'");
}

/* Started, interrupted as soon as it has a checkpoint, resumed, it must end with the very tensors of a run left alone. */
static void a_run_ended_by_a_signal_and_resumed_equals_an_uninterrupted_one(void **state)
{
    const char *script = "for signal in INT TERM; do rm -rf broken straight\n"
                         "options='--data digits:300 --threads 1 --rule adam --rate 0.01 --checkpoint-every 10steps --quiet'\n"
                         "\"$0\" train softmax $options --steps 100000000 --out broken --json >broken.json & pid=$!\n"
                         "until ls broken/checkpoint/step-* >/dev/null 2>&1; do kill -0 $pid || exit 9; done\n"
                         "kill -$signal $pid; wait $pid; [ $? = $([ $signal = INT ] && echo 130 || echo 143) ] || exit 8\n"
                         "grep -q '\"stopped_by\":\"signal\"' broken.json || exit 7\n"
                         "steps=$(sed 's/.*\"steps\":\\([0-9]*\\).*/\\1/' broken.json); steps=$((steps + 25))\n"
                         "\"$0\" train --resume broken --steps $steps --quiet || exit 6\n"
                         "\"$0\" train softmax $options --steps $steps --out straight || exit 5\n"
                         "name=$(printf 'step-%08d.safetensors' $steps)\n"
                         "size=$((3 * 7850 * 4))\n" /* the tensors stand at the end: parameters and two slots */
                         "tail -c $size broken/checkpoint/$name >a; tail -c $size straight/checkpoint/$name >b; cmp a b || exit 4\n"
                         "done";
    expect(SHELL(*state, script), 0, "", "");
}

static void a_loss_that_is_not_a_number_ends_with_advice(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--rate", "1e38", "--epochs", "50", "--out", "run", "--quiet"), 1, "",
           "smaller --rate (it was 1e+38) or --clip 1 (--find-rate suggests a rate, --rule adam depends less on it)");
    expect(SHELL(*state, "cat run/summary.json"), 0, "\"stopped_by\": \"diverged\"", "");
}

static void a_job_with_parameter_servers_that_diverges_says_so(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--rate", "1e38", "--epochs", "50", "--out", "run", "--quiet", "--strategy",
               "ps", "--workers", "2", "--servers", "2"),
           1, "", "smaller --rate (it was 1e+38) or --clip 1");
    expect(SHELL(*state, "cat run/summary.json"), 0, "\"stopped_by\": \"diverged\"", "");
}

/* In every strategy; a goal that is reached is not warned of. */
static void a_goal_that_was_not_reached_is_told(void **state)
{
    static const char *const strategies[] = {"local", "mirrored --workers 2", "ps --workers 2"};
    char script[256];
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        snprintf(script, sizeof script,
                 "\"$0\" train softmax --data " DATA
                 " --batch 10 --rate 1e-6 --until 'loss<=0.01' --max-steps 4 --strategy %s --out missed-%zu",
                 strategies[i], i);
        expect(SHELL(*state, script), 0, "stopped by max_steps",
               "--until 'loss<=0.01' was not reached: stopped by max_steps after 4 steps");
    }
    test_result reached = RUN(*state, "train", "softmax", "--data", DATA, "--until", "loss<=100", "--max-steps", "4", "--eval-every", "2");
    assert_null(strstr(reached.err, "was not reached"));
    expect(reached, 0, "stopped by until", "");
}

/* One process at batch 20 and two workers at batch 10 train on the same 270 examples, and are evaluated on the same 30. */
static void every_strategy_holds_out_the_same_validation_examples(void **state)
{
    static const char *const strategies[] = {"local", "mirrored", "ps"};
    double loss[3];
    for (int i = 0; i < 3; i++) {
        const char *const words[] = {TEST_BINARY,
                                     "train",
                                     "softmax",
                                     "--data",
                                     "digits:300",
                                     "--validation",
                                     "10%",
                                     "--epochs",
                                     "2",
                                     "--json",
                                     "--quiet",
                                     "--batch",
                                     i ? "10" : "20",
                                     "--strategy",
                                     strategies[i],
                                     i ? "--workers" : NULL,
                                     "2",
                                     i == 2 ? "--sync" : NULL,
                                     NULL};
        json_t *summary = json_of(test_run(*state, words));
        assert_int_equal(number(summary, "examples"), 540);
        loss[i] = number(summary, "test_loss");
        json_decref(summary);
    }
    assert_float_equal(loss[0], loss[1], 1e-4);
    assert_float_equal(loss[0], loss[2], 1e-4);
}

/* A table has no test part: what was held out is drawn again by the run's seed, and the whole of it is called that. */
static void what_was_held_out_can_be_evaluated_again(void **state)
{
    const char *here = *state;
    const char *make = "awk 'BEGIN { print \"a,b,y\"; for (i = 0; i < 60; i++) print i % 7 \",\" i % 5 \",\" 0.5 + i % 7 - i % 5 }' >t.csv;"
                       "printf 'input()\\ndense(outputs)\\nmse_loss()\\n' >line.model";
    expect(SHELL(here, make), 0, "", "");
    json_t *run = json_of(RUN(here, "train", "line.model", "--data", "t.csv", "--validation", "20%", "--seed", "7", "--steps", "20",
                              "--json", "--quiet", "--out", "run"));
    json_t *again = json_of(RUN(here, "eval", "run", "--part", "validation", "--json"));
    assert_int_equal(number(again, "examples"), 12);
    assert_float_equal(number(again, "test_loss"), number(run, "test_loss"), 1e-6);
    assert_string_equal(json_string_value(json_object_get(again, "part")), "validation");
    json_decref(again);
    json_decref(run);
    expect(RUN(here, "eval", "run", "--part", "validation"), 0, "t.csv, 12 examples: held out by --validation 20%", "");
    expect(RUN(here, "eval", "run"), 0, "t.csv, 60 examples: all of them, those it was trained on, too (--part validation:", "");
    expect(RUN(here, "eval", "run", "--part", "train"), 0, "t.csv, 60 examples (train part)", "");
    expect(RUN(here, "predict", "run", "--part", "validation"), 0, "t.csv:", "");
}

static void a_full_disk_does_not_damage_earlier_checkpoints(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--steps", "5", "--out", "run", "--quiet", "--no-events"), 0, "", "");
    expect(SHELL(*state, "trap '' XFSZ; ulimit -f 20; \"$0\" train --resume run --steps 20 --checkpoint-every 4steps"), 1, "",
           "no checkpoint at step 8");
    expect(SHELL(*state, "ls run/checkpoint"), 0, "step-00000005.safetensors\n", "");
    expect(RUN(*state, "eval", "run"), 0, "at step 5", "");
    expect(RUN(*state, "train", "--resume", "run", "--steps", "20", "--quiet"), 0, "20 steps", "");
}

static void an_out_folder_that_cannot_be_made_is_refused(void **state)
{
    expect(SHELL(*state, "echo >file; \"$0\" train softmax --data digits:300 --out file/run"), 1, "", "file/run");
    expect(SHELL(*state, "mkdir there; \"$0\" train softmax --data digits:300 --out there"), 2, "", "a new run needs a new folder");
}

static void eval_takes_the_earlier_checkpoint_if_the_newest_is_damaged(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--steps", "9", "--checkpoint-every", "3steps", "--out", "run", "--quiet"), 0,
           "", "");
    expect(SHELL(*state, "truncate -s 1000 run/checkpoint/step-00000009.safetensors && \"$0\" eval run"), 0, "at step 6",
           "taking the one before it");
    expect(RUN(*state, "train", "--resume", "run", "--steps", "9"), 0, "9 steps", "continuing run at step 6");
    expect(RUN(*state, "eval", "run", "--quiet"), 0, "at step 9", "");
}

static void a_resumed_run_keeps_its_options(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", DATA, "--steps", "3", "--out", "run", "--quiet"), 0, "", "");
    expect(RUN(*state, "train", "--resume", "run", "--steps", "6", "--batch", "7"), 2, "", "--batch 7: the run to be resumed has");
    expect(RUN(*state, "train", "lenet", "--resume", "run", "--steps", "6"), 2, "", "model lenet: the run to be resumed has softmax");
    expect(RUN(*state, "train", "--resume", "run"), 2, "", "give a larger --epochs or --steps");
    expect(RUN(*state, "train", "--resume", "nowhere"), 1, "", "nowhere");
    expect(SHELL(*state, "\"$0\" train --resume run --steps 6 --quiet && cat run/command"), 0,
           "trireme train softmax --data digits:300 --steps 3 --quiet\n# trireme train --resume run --steps 6 --quiet\n", "");
}

/* The folder that was made has the name that --out gave: a repeated run makes another one, with the same parameters in it. */
static void the_command_of_a_run_repeats_it(void **state)
{
    expect(SHELL(*state, "mkdir bin && ln -s \"$0\" bin/trireme && PATH=$PWD/bin:$PATH && export PATH &&"
                         "trireme train softmax --data digits:300 --steps 3 --out=run --quiet >said &&"
                         "trireme train softmax --data digits:300 --steps 3 --quiet --out other >said &&"
                         "trireme train --resume run --steps 6 --quiet >said &&"
                         "sh run/command >said && sh other/command >said && ls runs | wc -l &&"
                         "tail -c 31400 runs/*-1/checkpoint/* >a && tail -c 31400 other/checkpoint/* >b && cmp a b"),
           0, "2\n", "");
}

static void models_and_data_are_described(void **state)
{
    expect(RUN(*state, "model"), 0, "lenet\n", "");
    expect(RUN(*state, "model", "lenet", "--data", DATA), 0, "60,074", "");
    expect(RUN(*state, "model", "alexnet", "--shape", "224x224x3", "--classes", "1000"), 0, "61,100,840", "");
    expect(RUN(*state, "model", "lenet", "--shape", "28by28"), 2, "", "such as 28x28x1");
    expect(RUN(*state, "model", "lenet"), 1, "", "--data SOURCE");
    expect(RUN(*state, "model", "softmax", "--text"), 0, "softmax_loss()", "");
    expect(
        SHELL(*state, "printf 'input()\\ndense(outputs)\\nmse_loss()\\n' >price.model && \"$0\" model price.model --shape 4 --classes 2"),
        0, "dense(outputs)  2                 10", "");
    expect(SHELL(*state, "printf 'a,b,price\\n1,2,3\\n3,4,5\\n5,5,3\\n' >whole.csv && \"$0\" model price.model --data whole.csv"), 0,
           "dense(outputs)  1                  3", ""); /* whole numbers, but the model does not learn classes */
    json_t *model = json_of(RUN(*state, "model", "softmax", "--data", DATA, "--json"));
    assert_int_equal(number(model, "parameters"), 7850);
    json_decref(model);
    expect(RUN(*state, "data", "info", DATA), 0, "300 examples", "");
    json_t *info = json_of(RUN(*state, "data", "info", DATA, "--json"));
    assert_int_equal(number(info, "classes"), 10);
    json_decref(info);
    expect(RUN(*state, "data"), 2, "", "data what? one of: get, info");
    expect(RUN(*state, "data", "gte"), 2, "", "did you mean 'data get'?");
}

#define TEST(name) FOLDER_TEST(name)

static void no_replica_of_a_short_run_used_less_than_no_cpu(void **state)
{
    for (int run = 0; run < 5; run++) {
        json_t *summary = json_of(RUN(*state, "train", "softmax", "--data", DATA, "--strategy", "mirrored", "--workers", "3", "--threads",
                                      "1", "--steps", "1", "--eval-every", "end", "--json"));
        const json_t *workers = json_object_get(summary, "worker_stats");
        assert_int_equal(json_array_size(workers), 3);
        for (size_t i = 0; i < 3; i++)
            assert_true(number(json_array_get(workers, i), "cpu_percent") >= 0);
        json_decref(summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wrong_calls_of_train_are_refused_before_any_work),
        TEST(a_dense_model_trains_on_sparse_text),
        TEST(the_json_summary_has_all_documented_keys),
        TEST(eval_gives_the_figures_of_the_summary),
        TEST(eval_tells_which_class_was_taken_for_which),
        TEST(predict_prints_one_line_for_each_row),
        TEST(a_run_ended_by_a_signal_and_resumed_equals_an_uninterrupted_one),
        TEST(a_loss_that_is_not_a_number_ends_with_advice),
        TEST(a_job_with_parameter_servers_that_diverges_says_so),
        TEST(a_goal_that_was_not_reached_is_told),
        TEST(every_strategy_holds_out_the_same_validation_examples),
        TEST(what_was_held_out_can_be_evaluated_again),
        TEST(a_full_disk_does_not_damage_earlier_checkpoints),
        TEST(an_out_folder_that_cannot_be_made_is_refused),
        TEST(eval_takes_the_earlier_checkpoint_if_the_newest_is_damaged),
        TEST(a_resumed_run_keeps_its_options),
        TEST(the_command_of_a_run_repeats_it),
        TEST(models_and_data_are_described),
        TEST(no_replica_of_a_short_run_used_less_than_no_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
