/* partly_test.c: --freeze and --accumulate under every strategy, resumed, and from a file. */
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

#define MODEL                                                                                                                              \
    "printf 'input(scale=1/255)\\nconv(4, 3)\\nrelu\\nmaxpool(2)\\ndense(24, place=PLACE)\\ntanh\\ndense(classes, place=PLACE)\\n"         \
    "softmax_loss\\ntrain(rate=0.01, rule=adam)\\n' >m.model; sed s/,\\ place=PLACE// m.model >plain.model; sed -i s/PLACE/1/ m.model"

#define PLAIN  "train", "plain.model", "--data", "digits:300", "--quiet", "--threads", "1", "--eval-every", "end", "--seed", "5"
#define PLACED "train", "m.model", "--data", "digits:300", "--quiet", "--threads", "1", "--eval-every", "end", "--seed", "5"
#define TWO    "--workers", "2"

static const float *tensor(const tri__checkpoint *checkpoint, const char *name, int64_t *count)
{
    for (size_t i = 0; i < tri__safetensors_count(checkpoint->file); i++) {
        const tri__named_tensor *named = tri__safetensors_at(checkpoint->file, i);
        *count = tri_shape_count(named->tensor.shape);
        if (!strcmp(named->name, name))
            return named->tensor.data;
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Whether both runs have the same bits in the tensor. */
static bool same(const char *here, const char *a, const char *b, const char *name)
{
    tri__checkpoint *one = ranks_newest(here, a), *other = ranks_newest(here, b);
    int64_t count = 0, others = 0;
    const float *p = tensor(one, name, &count), *q = tensor(other, name, &others);
    const bool equal = count == others && !memcmp(p, q, (size_t)count * sizeof *p);
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
    return equal;
}

static void expect_frozen(const char *here, const char *run)
{
    assert_true(same(here, "base", run, "conv1.weight"));
    assert_true(same(here, "base", run, "conv1.bias"));
    assert_true(same(here, "base", run, "dense1.weight"));
    assert_false(same(here, "base", run, "dense1.bias"));
    assert_false(same(here, "base", run, "dense2.weight"));
}

#define SOME   "--init", "base", "--freeze", "conv*,dense1.weight", "--l2", "0.01"
#define FROZEN SOME, "--global-batch", "60"

static void frozen_parameters_stay_under_every_strategy(void **state)
{
    const char *here = *state;
    expect(SHELL(here, MODEL), 0, "", "");
    expect(RUN(here, PLAIN, "--steps", "2", "--out", "base"), 0, "", "");
    expect(RUN(here, PLAIN, FROZEN, "--steps", "6", "--out", "local"), 0, "", "");
    expect_frozen(here, "local");
    expect(RUN(here, PLAIN, FROZEN, "--steps", "6", "--out", "mirrored", "--strategy", "mirrored", TWO), 0, "", "");
    expect_frozen(here, "mirrored");
    assert_true(ranks_distance(here, "local", "mirrored") < 1e-4);
    expect(RUN(here, PLAIN, FROZEN, "--steps", "6", "--out", "sync", "--strategy", "ps", "--sync", "--servers", "2", TWO), 0, "", "");
    expect_frozen(here, "sync");
    assert_true(ranks_distance(here, "local", "sync") < 1e-4);
    expect(RUN(here, PLAIN, FROZEN, "--steps", "6", "--out", "async", "--strategy", "ps", "--servers", "2", TWO), 0, "", "");
    expect_frozen(here, "async");
    expect(RUN(here, PLAIN, FROZEN, "--steps", "3", "--out", "begun"), 0, "", "");
    expect(RUN(here, "train", "--resume", "begun", "--steps", "6", "--quiet"), 0, "", "");
    assert_true(ranks_distance(here, "local", "begun") == 0);
    expect(RUN(here, "train", "--resume", "begun", "--steps", "8", "--freeze", "dense2"), 2, "", "a resumed run keeps it");
    expect(RUN(here, "eval", "sync", "--data", "digits:300"), 0, "accuracy", "");
}

static void ranks_and_places_freeze_and_accumulate(void **state)
{
    const char *here = *state;
    if (!ranks_can_run())
        skip();
    expect(SHELL(here, MODEL), 0, "", "");
    expect(RUN(here, PLAIN, "--steps", "2", "--out", "base"), 0, "", "");
    expect(RUN(here, PLAIN, FROZEN, "--accumulate", "3", "--steps", "6", "--out", "local"), 0, "", "");
    expect(RUN(here, PLAIN, FROZEN, "--accumulate", "3", "--steps", "6", "--out", "ranks", "--strategy", "allreduce", TWO), 0, "", "");
    expect_frozen(here, "ranks");
    assert_true(ranks_distance(here, "local", "ranks") < 1e-4);
    expect(RUN(here, PLACED, SOME, "--batch", "20", "--accumulate", "3", "--steps", "6", "--out", "placed", "--strategy", "placed", TWO), 0,
           "", "");
    expect_frozen(here, "placed");
    assert_true(ranks_distance(here, "local", "placed") < 1e-4);
}

/* 300 examples in steps of 80: the last one of an epoch is short. */
static void accumulated_batches_are_one_batch_under_every_strategy(void **state)
{
    const char *here = *state;
    expect(SHELL(here, MODEL), 0, "", "");
    expect(RUN(here, PLAIN, "--batch", "80", "--epochs", "3", "--out", "one"), 0, "", "");
    json_t *summary = json_of(RUN(here, PLAIN, "--batch", "20", "--accumulate", "4", "--epochs", "3", "--out", "four", "--json"));
    assert_int_equal(number(summary, "batch"), 80);
    assert_int_equal(number(summary, "steps"), 12);
    json_decref(summary);
    assert_true(ranks_distance(here, "one", "four") < 1e-4);
    expect(RUN(here, PLAIN, "--batch", "20", "--accumulate", "2", "--epochs", "3", "--out", "mirrored", "--strategy", "mirrored", TWO), 0,
           "", "");
    assert_true(ranks_distance(here, "one", "mirrored") < 1e-4);
    expect(
        RUN(here, PLAIN, "--global-batch", "80", "--accumulate", "2", "--epochs", "3", "--out", "sync", "--strategy", "ps", "--sync", TWO),
        0, "", "");
    assert_true(ranks_distance(here, "one", "sync") < 1e-4);
    expect(RUN(here, PLAIN, "--batch", "20", "--accumulate", "2", "--epochs", "2", "--out", "async", "--strategy", "ps", TWO), 0, "", "");
    expect(SHELL(here, "printf 'model: plain.model\\ndata: digits:300\\nbatch: 20\\naccumulate: 4\\nepochs: 1\\nseed: 5\\nthreads: 1\\n"
                       "eval-every: end\\n' >a.yaml; \"$0\" train --config a.yaml --out begun --quiet && "
                       "\"$0\" train --resume begun --epochs 3 --quiet"),
           0, "", "");
    assert_true(ranks_distance(here, "four", "begun") == 0);
}

static void accumulate_and_freeze_are_refused_where_they_cannot_work(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--global-batch", "50", "--accumulate", "4"), 2, "", "(52 would)");
    expect(RUN(here, "train", "sparse-lr", "--data", "clicks:100:200", "--accumulate", "4", "--steps", "1"), 2, "",
           "--batch 4 times as large");
    expect(RUN(here, "train", "sparse-lr", "--data", "clicks:100:200", "--freeze", "dense1"), 2, "", "tables cannot be frozen");
    expect(RUN(here, "train", "softmax", "--data", "digits:100", "--freeze", "conv*", "--strategy", "ps"), 2, "",
           "trireme: --freeze: no parameter is called 'conv*': there are dense1.weight, dense1.bias");
    expect(SHELL(here, "ls | grep -c ."), 1, "0", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(frozen_parameters_stay_under_every_strategy),
        FOLDER_TEST(ranks_and_places_freeze_and_accumulate),
        FOLDER_TEST(accumulated_batches_are_one_batch_under_every_strategy),
        FOLDER_TEST(accumulate_and_freeze_are_refused_where_they_cannot_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
