/* average_test.c: --average under every strategy: a run evaluates, saves and exports the averages, and goes on from its weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

/* A model whose dense layers are on two tasks, the same without places, and one with running statistics. */
#define FILES                                                                                                                              \
    "printf 'input(scale=1/255)\\ndense(20)\\ntanh\\ndense(classes, place=1)\\nsoftmax_loss\\ntrain(rate=0.2, rule=momentum)\\n' "         \
    ">placed.model; sed s/,\\ place=1// placed.model >plain.model; "                                                                       \
    "printf 'input(scale=1/255)\\nconv(6, 3, stride=2)\\nbatch_norm\\nrelu\\ndense(classes)\\nsoftmax_loss\\ntrain(rate=0.1)\\n' "         \
    ">bn.model"

#define ANY     "--data", "digits:300", "--threads", "1", "--seed", "5", "--eval-every", "10"
#define AVERAGE "--average", "0.95"
#define PLAIN   "train", "plain.model", ANY, "--steps", "30", "--global-batch", "40", "--json"
#define TWO     "--workers", "2"

static void expect_same(const json_t *a, const json_t *b, const char *key, double most)
{
    const double apart = fabs(number(a, key) - number(b, key));
    if (!(apart <= most))
        fail_msg("%s: %g and %g", key, number(a, key), number(b, key));
}

/* What eval says of a run is what the run said of itself at its end. */
static void expect_judged(const char *here, const char *run, const json_t *summary)
{
    json_t *eval = json_of(RUN(here, "eval", run, "--json"));
    assert_true(fabs(number(eval, "test_loss") - number(summary, "test_loss")) < 1e-6);
    assert_true(fabs(number(eval, "test_accuracy") - number(summary, "test_accuracy")) < 1e-9);
    json_decref(eval);
}

static void the_averages_are_evaluated_saved_and_opened(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *raw = json_of(RUN(here, PLAIN, "--out", "raw")), *averaged = json_of(RUN(here, PLAIN, AVERAGE, "--keep-best", "--out", "a"));
    expect_same(raw, averaged, "train_loss", 0); /* training is the same */
    assert_true(fabs(number(raw, "test_loss") - number(averaged, "test_loss")) > 1e-4);
    expect_judged(here, "a", averaged);
    expect_judged(here, "raw", raw);
    json_t *best = json_of(RUN(here, "eval", "a/checkpoint/best.safetensors", "--data", "digits:300", "--json"));
    assert_true(number(best, "test_loss") <= number(averaged, "test_loss") + 1e-6);
    json_decref(best);
    expect(RUN(here, "export", "a", "--onnx", "a.onnx"), 0, "", "");
    json_decref(raw);
    json_decref(averaged);
    json_t *until = json_of(RUN(here, "train", "plain.model", ANY, AVERAGE, "--until", "loss<=1.8", "--max-steps", "500", "--batch", "40",
                                "--json", "--out", "until"));
    assert_true(number(until, "test_loss") <= 1.8);
    assert_string_equal(text(until, "stopped_by"), "until");
    expect_judged(here, "until", until);
    json_decref(until);
}

static void every_strategy_keeps_the_same_averages(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *local = json_of(RUN(here, PLAIN, AVERAGE, "--out", "local"));
    static const char *const runs[][8] = {
        {"mirrored", "--strategy", "mirrored", TWO},
        {"sync", "--strategy", "ps", TWO, "--sync", "--servers"},
        {"ranks", "--strategy", "allreduce", TWO},
    };
    const bool ranks = ranks_can_run();
    for (size_t i = 0; i < (ranks ? 3 : 2); i++) {
        const char *const *words = runs[i];
        json_t *run = json_of(RUN(here, PLAIN, AVERAGE, "--out", words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                                  words[6] ? "2" : NULL));
        assert_true(ranks_distance(here, "local", words[0]) < 1e-5);
        expect_same(local, run, "test_loss", 1e-5);
        expect_judged(here, words[0], run);
        json_decref(run);
    }
    if (ranks) {
        json_t *placed = json_of(RUN(here, "train", "placed.model", ANY, "--steps", "30", "--batch", "40", "--json", AVERAGE, "--strategy",
                                     "placed", TWO, "--out", "placed"));
        assert_true(ranks_distance(here, "local", "placed") < 1e-5);
        expect_same(local, placed, "test_loss", 1e-5);
        json_decref(placed);
    }
    json_decref(local);
}

static void a_model_file_may_ask_for_averages(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES "; sed 's/rule=momentum/&, average=0.95/' plain.model >asks.model"), 0, "", "");
    json_t *asked = json_of(RUN(here, PLAIN, AVERAGE, "--out", "asked"));
    json_t *model = json_of(RUN(here, "train", "asks.model", ANY, "--steps", "30", "--global-batch", "40", "--json", "--out", "model"));
    assert_true(ranks_distance(here, "asked", "model") == 0);
    expect_same(asked, model, "test_loss", 0);
    expect_judged(here, "model", model);
    json_decref(asked);
    json_decref(model);
    expect(SHELL(here, "\"$0\" train asks.model --data digits:300 --average 0.5 --steps 2 --out other"), 0, "", ", average 0.5, ");
    expect(SHELL(here, "! \"$0\" train asks.model --data digits:300 --average 0 --steps 2 --out off 2>&1 | grep ', average'"), 0, "", "");
    expect(SHELL(here, "sed -i s/0.95/1/ asks.model; \"$0\" train asks.model --data digits:300"), 1, "", "average: 1 is out of range");
    expect(SHELL(here, "(\"$0\" model sparse-lr --text | grep -v ^train; echo 'train(average=0.9)') >sparse.model && "
                       "\"$0\" train sparse.model --data clicks:100:200"),
           2, "", "train(average=0.9): sparse has tables");
}

/* Running statistics, and what is frozen, are in the averaged model as they are. */
static void running_statistics_and_frozen_parameters_are_taken_as_they_are(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *mirrored = json_of(RUN(here, "train", "bn.model", ANY, "--steps", "20", "--batch", "20", "--json", AVERAGE, "--freeze",
                                   "conv1.weight", "--strategy", "mirrored", TWO, "--out", "mirrored"));
    expect_judged(here, "mirrored", mirrored);
    json_t *sync = json_of(RUN(here, "train", "bn.model", ANY, "--steps", "20", "--batch", "20", "--json", AVERAGE, "--freeze",
                               "conv1.weight", "--strategy", "ps", "--sync", "--servers", "2", TWO, "--out", "sync"));
    assert_true(ranks_distance(here, "mirrored", "sync") < 1e-5);
    expect_same(mirrored, sync, "test_loss", 1e-4);
    json_decref(mirrored);
    json_decref(sync);
    tri__checkpoint *checkpoint = ranks_newest(here, "sync");
    static const char *const same[][2] = {{"conv1.weight", "raw/conv1.weight"},
                                          {"batch_norm1.running_mean", "raw/batch_norm1.running_mean"},
                                          {"batch_norm1.running_var", "raw/batch_norm1.running_var"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const tri__named_tensor *found[2] = {NULL, NULL};
        for (size_t k = 0; k < tri__safetensors_count(checkpoint->file); k++)
            for (int part = 0; part < 2; part++)
                if (!strcmp(tri__safetensors_at(checkpoint->file, k)->name, same[i][part]))
                    found[part] = tri__safetensors_at(checkpoint->file, k);
        assert_true(found[0] && found[1]);
        assert_memory_equal(found[0]->tensor.data, found[1]->tensor.data, (size_t)tri_shape_count(found[0]->tensor.shape) * sizeof(float));
    }
    tri__checkpoint_close(checkpoint);
}

static void a_run_with_averages_goes_on_exactly_also_under_another_strategy(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, "train", "bn.model", ANY, AVERAGE, "--quiet", "--steps", "12", "--out", "whole"), 0, "", "");
    expect(RUN(here, "train", "bn.model", ANY, AVERAGE, "--quiet", "--steps", "5", "--out", "parts"), 0, "", "");
    expect(RUN(here, "train", "--resume", "parts", "--quiet", "--steps", "12"), 0, "", "");
    assert_true(ranks_distance(here, "whole", "parts") == 0);
    expect(RUN(here, "train", "--resume", "parts", "--quiet", "--steps", "15", "--strategy", "ps", "--sync"), 0, "", "");
    expect(RUN(here, "train", "--resume", "whole", "--quiet", "--steps", "15"), 0, "", "");
    assert_true(ranks_distance(here, "whole", "parts") < 1e-5);
    json_t *async = json_of(RUN(here, "train", "--resume", "parts", "--steps", "25", "--strategy", "ps", TWO, "--async", "--json"));
    expect_judged(here, "parts", async);
    json_decref(async);
}

static void what_has_no_averages_is_refused_before_anything_is_started(void **state)
{
    const char *here = *state;
    static const char *const strategies[] = {"local", "mirrored", "ps", "allreduce"};
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        expect(
            RUN(here, "train", "sparse-lr", "--data", "clicks:100:200", "--average", "0.9", "--strategy", strategies[i], "--out", "none"),
            2, "", "trireme: --average 0.9: sparse-lr has tables");
    expect(SHELL(here, "test ! -e none"), 0, "", "");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--average", "1"), 2, "", "--average");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--average", "-0.1"), 2, "", "--average");
    expect(RUN(here, "train", "--help"), 0, "--average DECAY", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_averages_are_evaluated_saved_and_opened),
        FOLDER_TEST(every_strategy_keeps_the_same_averages),
        FOLDER_TEST(a_model_file_may_ask_for_averages),
        FOLDER_TEST(running_statistics_and_frozen_parameters_are_taken_as_they_are),
        FOLDER_TEST(a_run_with_averages_goes_on_exactly_also_under_another_strategy),
        FOLDER_TEST(what_has_no_averages_is_refused_before_anything_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
