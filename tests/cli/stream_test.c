/* stream_test.c: the binary trains on standard input and predicts it: as files, to the end or to Ctrl-C, in bounded memory. */
#include <stdlib.h>
#include <string.h>

#include "cli/binary_json.h"

#define MAKE(format, count)                                                                                                                \
    "$0 data make clicks --features 5000 --count " count " --partitions 1 --format " format " --out " format " --quiet >made"

static void a_stream_gives_the_model_that_its_file_gives(void **state)
{
    static const char *const formats[] = {"criteo", "libsvm", "tfrecord"};
    for (int i = 0; i < 3; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "$0 data make clicks --features 5000 --count 2500 --partitions 1 --format %s --out %s --quiet >made || exit;"
                 "cat %s/train* | $0 train sparse-lr --rate 0.05 --data - --features 5000 --deterministic --out stream-%s --json",
                 formats[i], formats[i], formats[i], formats[i]);
        json_t *stream = json_of(SHELL(*state, script));
        snprintf(script, sizeof script,
                 "$0 train sparse-lr --rate 0.05 --data %s/train* --features 5000 --epochs 1 --shuffle 0 --deterministic --json",
                 formats[i]);
        json_t *file = json_of(SHELL(*state, script));
        assert_int_equal(number(stream, "examples"), 2500);
        assert_string_equal(text(stream, "stopped_by"), "input");
        assert_true(number(stream, "train_loss") == number(file, "train_loss"));
        assert_true(number(stream, "progressive_logloss") == number(file, "progressive_logloss"));
        assert_true(number(stream, "progressive_auc") > 0.6);
        assert_true(number(stream, "progressive_accuracy") > 0.7);
        assert_true(number(stream, "progressive_calibration") > 0.9 && number(stream, "progressive_calibration") < 1.1);
        snprintf(script, sizeof script,
                 "$0 predict stream-%s --data %s/train* >a && cat %s/train* | $0 predict stream-%s --data - >b && cut -f 1-3,5 a >c &&"
                 "cut -f 1-3,5 b | cmp - c && grep -c -e '-:2499' b && wc -l <a",
                 formats[i], formats[i], formats[i], formats[i]);
        expect(SHELL(*state, script), 0, "1\n2501", "");
        json_decref(stream);
        json_decref(file);
    }
}

static void progressive_validation_is_told_as_it_goes(void **state)
{
    expect(SHELL(*state, MAKE("criteo", "2300") "; cat criteo/train* | $0 train sparse-lr --data - --out run"), 0,
           "progressive  log loss 0.", "\n2,000 examples   log loss 0.");
    expect(SHELL(*state, "cat run/log/*"), 0, "2,300 examples   log loss 0.", "");
    expect(SHELL(*state, "cat run/log/*"), 0, "in 2 classes, no examples to test", "");
    expect(SHELL(*state, "$0 eval run --data criteo/train*"), 0, "AUC", "");
}

/* An answer comes before the next line is written. */
static void predictions_come_line_by_line(void **state)
{
    static const char script[] =
        MAKE("criteo", "300") "; $0 train sparse-lr --data criteo --out run --quiet >trained || exit;"
                              "mkfifo in out; $0 predict run --data - --skip-bad 5 <in >out & exec 3>in 4<out;"
                              "head -n 3 criteo/train* >three; header=missing;"
                              "while read -r line; do printf '%s\\n' \"$line\" >&3; test $header = read || read -r names <&4; header=read;"
                              "read -r answer <&4; echo \"answer $answer\"; done <three;"
                              "echo nonsense >&3; read -r answer <&4; echo \"answer $answer\"; exec 3>&-; wait $!; echo status $?";
    test_result result = SHELL(*state, script);
    const char *at = result.out;
    int answers = 0;
    while ((at = strstr(at, "answer ")) && ++answers)
        at++;
    assert_int_equal(answers, 4);
    expect(result, 0, "answer -\t-\t-\t-:3\t-\nstatus 0", "");
}

/* The run has told that it learnt a thousand examples, and waits for more: then it is asked to end. */
static void ctrl_c_leaves_a_usable_checkpoint(void **state)
{
    static const char script[] =
        MAKE("criteo", "1040") "; mkfifo in; $0 train sparse-lr --data - --out run <in >told 2>&1 & exec 3>in; cat criteo/train* >&3;"
                               "until grep -q '1,000 examples' told; do sleep 0.02; done; kill -INT $!; wait $!; echo status $?; exec 3>&-;"
                               "$0 predict run --data criteo/test* --limit 1; cat run/summary.json";
    test_result result = SHELL(*state, script);
    assert_non_null(strstr(result.out, "status 130"));
    assert_non_null(strstr(result.out, "\"stopped_by\": \"signal\""));
    expect(result, 0, "\"examples\": 1040", "");
    json_t *resumed = json_of(SHELL(*state, "head -n 60 criteo/train* | $0 train --resume run --json"));
    assert_int_equal(number(resumed, "examples"), 1100);
    assert_string_equal(text(resumed, "stopped_by"), "input");
    json_decref(resumed);
}

static void a_long_stream_takes_no_more_memory_than_a_short_one(void **state)
{
    expect(SHELL(*state, MAKE("criteo", "2000")), 0, "", "");
    json_t *little = json_of(SHELL(*state, "cat criteo/train* | $0 train sparse-lr --data - --json"));
    json_t *much = json_of(SHELL(*state, "for i in $(seq 60); do cat criteo/train*; done | $0 train sparse-lr --data - --json"));
    assert_int_equal(number(much, "examples"), 120000);
    assert_true(number(much, "peak_rss_mb") < number(little, "peak_rss_mb") + 12); /* a third of what 120,000 examples take */
    json_decref(little);
    json_decref(much);
}

static void hostile_lines_are_told_or_left_out(void **state)
{
    static const char bad[] = "for i in 1 2 3 4 5 6 7 8; do echo '-1 1:1 3:0.5'; echo '+1 2:1 4:-0.5'; done >good; (cat good; echo;"
                              "echo '+1 1:1 99:1'; echo '7 1:1'; echo '1 1:nan'; echo '1 -2:1'; cat good) >bad";
    expect(SHELL(*state, bad), 0, "", "");
    expect(SHELL(*state, "cat bad | $0 train sparse-lr --data - --features 4"), 1, "",
           "standard input: line 18, column 8 (record 16 at byte 224): feature index 99 where indices are 1 to 4");
    json_t *summary = json_of(SHELL(*state, "cat bad | $0 train sparse-lr --data - --features 4 --skip-bad 4 --json"));
    assert_int_equal(number(summary, "damaged"), 4);
    assert_int_equal(number(summary, "examples"), 36);
    json_decref(summary);
    expect(SHELL(*state, "cat bad | $0 train sparse-lr --data - --features 4 --skip-bad 3"), 1, "", "more than --skip-bad 3 allows");
    expect(SHELL(*state, "echo '1 1:1 2:1 3:1' | $0 train deep-click --data - --features 4 --steps 1"), 0, "", "");
    static const char wide[] = "awk 'BEGIN { printf \"1\"; for (i = 1; i <= 40; i++) printf \" %d:1\", i; print \"\" }' >wide; "
                               "cat wide | $0 train deep-click --data - --features 50";
    expect(SHELL(*state, wide), 1, "", "line 1, column 1 (record 0 at byte 0): 40 features where the model puts 39 side by side at most");
    expect(SHELL(*state, "cat good wide >some.libsvm; $0 train deep-click --data some.libsvm --features 50"), 1, "",
           "some.libsvm: line 17, column 1");
    expect(SHELL(*state, "(cat good; echo '7 1:1') >seven.libsvm; $0 train sparse-lr --data seven.libsvm"), 1, "",
           "seven.libsvm: line 17, column 1 (record 16 at byte 216): label 7 where labels are -1 and +1");
}

/* Every figure of progressive validation can be aimed at, without test examples; elsewhere there are none. */
static void a_stream_ends_when_its_own_figures_are_good_enough(void **state)
{
    static const char *const targets[] = {"progressive_logloss<=0.6", "progressive_accuracy>=70%", "progressive_auc>=0.6",
                                          "progressive_calibration>=0.9", "progressive_calibration<=1.5"};
    expect(SHELL(*state, "$0 data make clicks --features 5000 --count 6000 --format criteo --out text"), 0, "", "");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char script[256];
        snprintf(script, sizeof script,
                 "cat text/train-* | $0 train sparse-lr --data - --features 5000 --batch 20 --eval-every 7 --until '%s' --json",
                 targets[i]);
        expect(SHELL(*state, script), 0, "\"stopped_by\":\"until\"", "");
    }
    expect(SHELL(*state, "$0 train sparse-lr --data text --features 5000 --until 'progressive_auc>=0.6'"), 2, "",
           "progressive figures are of a stream");
    expect(SHELL(*state, "$0 train sparse-lr --data text --features 5000 --strategy ps --until 'progressive_auc>=0.6'"), 2, "",
           "progressive figures are of a stream");
}

static void what_a_stream_cannot_be_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"sparse-lr --epochs 2", "--epochs above 1"},
        {"sparse-lr --shuffle 10", "--shuffle"},
        {"sparse-lr --cache", "--cache"},
        {"sparse-lr --shard files", "--shard files"},
        {"sparse-lr --steps-per-epoch 5", "--steps-per-epoch"},
        {"sparse-lr --schedule step:2epochs:0.5", "a --schedule in epochs"},
        {"sparse-lr --schedule cosine", "--schedule cosine needs to know the last step"},
        {"sparse-lr --test -", "--test -"},
        {"sparse-lr --until 'auc>=0.9'", "--until needs test examples"},
        {"sparse-lr --until 'progressive_auc>=0.9' --eval-every epoch", "--eval-every epoch"},
        {"sparse-lr --strategy mirrored --workers 2", "is for --strategy local, not mirrored"},
        {"sparse-lr --strategy ps --workers 2", "is for --strategy local, not ps"},
        {"sparse-lr --strategy allreduce --workers 2", "is for --strategy local, not allreduce"},
        {"softmax", "standard input is for sparse models"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[256];
        snprintf(script, sizeof script, "echo '1 1:1' | $0 train %s --data - --features 4", cases[i][0]);
        expect(SHELL(*state, script), 2, "", cases[i][1]);
    }
    expect(SHELL(*state, "echo '1 1:1' | $0 data info -"), 2, "", "everything else needs files");
    expect(SHELL(*state, "echo '1 1:1' | $0 train sparse-lr --data -"), 2, "", "give --features N");
    expect(SHELL(*state, "$0 train sparse-lr --data - </dev/null"), 1, "", "standard input: there are no examples in it");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_folder_set_up, test_folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stream_gives_the_model_that_its_file_gives),
        TEST(progressive_validation_is_told_as_it_goes),
        TEST(predictions_come_line_by_line),
        TEST(ctrl_c_leaves_a_usable_checkpoint),
        TEST(a_long_stream_takes_no_more_memory_than_a_short_one),
        TEST(hostile_lines_are_told_or_left_out),
        TEST(a_stream_ends_when_its_own_figures_are_good_enough),
        TEST(what_a_stream_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
