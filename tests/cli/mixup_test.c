/* mixup_test.c: --augment mixup under every strategy, resumed, for every kind of label, and what refuses it. */
#include <math.h>
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

/* 60 rows of three classes and five features; the same as numbers and as sets of labels. */
#define FILES                                                                                                                              \
    "awk 'BEGIN { srand(3); for (i = 0; i < 60; i++) { c = i % 3; line = \"\"; for (j = 1; j <= 5; j++) "                                  \
    "line = line \" \" j \":\" rand() + (j == c + 1); print c line >\"few\"; print c + rand() line >\"numbers\"; "                         \
    "print c \",\" (c + 1) % 3 line >\"sets\" } }' && "                                                                                    \
    "printf 'input()\\ndense(6, place=PLACE)\\ntanh\\ndense(classes, place=PLACE)\\nsoftmax_loss\\ntrain(rate=0.5, rule=sgd)\\n' "         \
    ">m.model; sed s/,\\ place=PLACE// m.model >plain.model; sed -i s/PLACE/1/ m.model; "                                                  \
    "sed s/softmax_loss/'softmax_loss(smoothing=0.1)'/ plain.model >smooth.model; "                                                        \
    "sed 's/classes/outputs/; s/softmax_loss/mse_loss/' plain.model >mse.model; sed 's/mse_loss/huber_loss/' mse.model "                   \
    ">huber.model; "                                                                                                                       \
    "sed s/mse/sigmoid/ mse.model >sigmoid.model; sed s/^2/0/ few >two; "                                                                  \
    "sed 's/classes/1/; s/softmax/logistic/' plain.model >logistic.model"

/* Six steps of 16 are one epoch, whose last step is padded, and the beginning of the next. */
#define ANY      "--quiet", "--threads", "1", "--eval-every", "never", "--seed", "5", "--steps", "6", "--global-batch", "16"
#define FEW      "train", "plain.model", "--data", "few", ANY
#define MIXED    FEW, "--augment", "mixup:0.5"
#define TWO      "--workers", "2"
#define MIRRORED "--strategy", "mirrored", TWO

static void every_strategy_mixes_alike(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *local = json_of(RUN(here, MIXED, "--out", "local", "--json"));
    json_t *mirrored = json_of(RUN(here, MIXED, "--out", "mirrored", MIRRORED, "--json"));
    assert_true(ranks_distance(here, "local", "mirrored") < 1e-5);
    assert_float_equal(number(local, "train_loss"), number(mirrored, "train_loss"), 1e-5);
    json_decref(local);
    json_decref(mirrored);
    expect(RUN(here, FEW, "--out", "plain"), 0, "", "");
    assert_true(ranks_distance(here, "local", "plain") > 1e-2);
    expect(RUN(here, MIXED, "--out", "sync", "--strategy", "ps", "--sync", "--servers", "2", TWO), 0, "", "");
    assert_true(ranks_distance(here, "local", "sync") < 1e-5);
    expect(RUN(here, MIXED, "--out", "async", "--strategy", "ps"), 0, "", "");
    assert_true(ranks_distance(here, "local", "async") < 1e-5);
    expect(RUN(here, MIXED, "--out", "workers", "--strategy", "ps", TWO), 0, "", "");
    expect(RUN(here, MIXED, "--out", "parts", "--accumulate", "4"), 0, "", "");
    assert_true(ranks_distance(here, "local", "parts") < 1e-5);
    expect(RUN(here, MIXED, "--out", "evaluated", "--test", "few", "--eval-every", "2"), 0, "", "");
    assert_true(ranks_distance(here, "local", "evaluated") == 0);
}

static void ranks_and_places_mix_alike(void **state)
{
    const char *here = *state;
    if (!ranks_can_run())
        skip();
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, MIXED, "--out", "local"), 0, "", "");
    expect(RUN(here, MIXED, "--out", "ranks", "--strategy", "allreduce", TWO), 0, "", "");
    assert_true(ranks_distance(here, "local", "ranks") < 1e-5);
    expect(RUN(here, "train", "m.model", "--data", "few", "--quiet", "--threads", "1", "--eval-every", "never", "--seed", "5", "--steps",
               "6", "--batch", "16", "--augment", "mixup:0.5", "--out", "placed", "--strategy", "placed", TWO),
           0, "", "");
    assert_true(ranks_distance(here, "local", "placed") < 1e-5);
}

static void neither_threads_nor_resuming_change_a_bit(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, MIXED, "--out", "one", "--deterministic"), 0, "", "");
    expect(RUN(here, MIXED, "--out", "team", "--deterministic", "--threads", "2"), 0, "", "");
    assert_true(ranks_distance(here, "one", "team") == 0);
    expect(RUN(here, MIXED, "--out", "begun", "--deterministic", "--steps", "3"), 0, "", "");
    expect(RUN(here, "train", "--resume", "begun", "--steps", "6", "--quiet"), 0, "", "");
    assert_true(ranks_distance(here, "one", "begun") == 0);
    expect(RUN(here, "train", "--resume", "begun", "--steps", "8", "--augment", "none"), 2, "", "a resumed run keeps it");
}

/* Numbers, sets of labels, smooth labels and class weights, by one worker and by two. */
static void every_kind_of_label_is_mixed(void **state)
{
    const char *here = *state;
    static const struct {
        const char *model, *data, *weights;
    } kinds[] = {{"smooth.model", "few", NULL},  {"plain.model", "few", "1,2,4"},  {"logistic.model", "two", NULL},
                 {"mse.model", "numbers", NULL}, {"huber.model", "numbers", NULL}, {"sigmoid.model", "sets", NULL}};
    expect(SHELL(here, FILES), 0, "", "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *option = kinds[i].weights ? "--class-weights" : "--log-every", *value = kinds[i].weights ? kinds[i].weights : "100";
        char local[64], mirrored[64], plain[64];
        snprintf(local, sizeof local, "%s-local", kinds[i].model);
        snprintf(mirrored, sizeof mirrored, "%s-mirrored", kinds[i].model);
        snprintf(plain, sizeof plain, "%s-plain", kinds[i].model);
#define KIND "train", kinds[i].model, "--data", kinds[i].data, ANY, "--rate", "0.05", option, value
        expect(RUN(here, KIND, "--augment", "mixup:1", "--out", local), 0, "", "");
        expect(RUN(here, KIND, "--augment", "mixup:1", "--out", mirrored, MIRRORED), 0, "", "");
        expect(RUN(here, KIND, "--out", plain), 0, "", "");
        assert_true(ranks_distance(here, local, mirrored) < 1e-5);
        assert_true(ranks_distance(here, local, plain) > 1e-3);
    }
}

static void a_model_learns_from_mixed_pictures(void **state)
{
    json_t *run = json_of(RUN(*state, "train", "softmax", "--data", "digits:1000", "--steps", "300", "--augment", "mixup", "--seed", "1",
                              "--eval-every", "end", "--out", "digits", "--quiet", "--json"));
    assert_true(number(run, "test_accuracy") > 0.8);
    json_decref(run);
}

static void what_cannot_be_mixed_is_refused(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, FEW, "--augment", "mixup:0"), 2, "", "should be mixup: and a number from 0.01 to 100");
    expect(RUN(here, FEW, "--augment", "mixup,flip"), 2, "", "are for pictures of height");
    expect(RUN(here, "train", "sparse-lr", "--data", "few", "--augment", "mixup"), 2, "",
           "sparse-lr: --augment mixup mixes dense examples, and its examples are sparse");
    expect(RUN(here, "train", "sparse-lr", "--data", "few", "--augment", "mixup", "--strategy", "ps"), 2, "", "its examples are sparse");
    expect(SHELL(here, "\"$0\" train sparse-lr --data - --features 10 --augment mixup <few"), 2, "",
           "sparse-lr: --augment mixup mixes dense examples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(every_strategy_mixes_alike),
        FOLDER_TEST(ranks_and_places_mix_alike),
        FOLDER_TEST(neither_threads_nor_resuming_change_a_bit),
        FOLDER_TEST(every_kind_of_label_is_mixed),
        FOLDER_TEST(a_model_learns_from_mixed_pictures),
        FOLDER_TEST(what_cannot_be_mixed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
