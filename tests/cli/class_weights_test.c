/* class_weights_test.c: --class-weights under every strategy, resumed, and from a file. */
#include <math.h>
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

/* 30 rows of class 0, 20 of class 1 and 10 of class 2, in a mixed order; in `more`, each as often as 1,2,3 weighs its class. */
#define FILES                                                                                                                              \
    "awk 'BEGIN { srand(3); for (i = 0; i < 60; i++) { c = i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2; line = c; for (j = 1; j <= 5; j++) "         \
    "line = line \" \" j \":\" rand() + (j == c + 1); print line >\"few\"; for (k = 0; k <= c; k++) print line >\"more\" } }' && "         \
    "printf 'input()\\ndense(6, place=PLACE)\\ntanh\\ndense(classes, place=PLACE)\\nsoftmax_loss\\ntrain(rate=0.5, rule=sgd)\\n' "         \
    ">m.model; sed s/,\\ place=PLACE// m.model >plain.model; sed -i s/PLACE/1/ m.model"

#define ANY      "--quiet", "--threads", "1", "--eval-every", "never", "--seed", "5", "--steps", "6"
#define FEW      "train", "plain.model", "--data", "few", ANY
#define WEIGHTED FEW, "--global-batch", "60", "--class-weights", "1,2,3"
#define TWO      "--workers", "2"

static double near(const json_t *a, const json_t *b, const char *key)
{
    return fabs(number(a, key) - number(b, key));
}

static void a_weight_is_so_many_examples(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *weighted = json_of(RUN(here, WEIGHTED, "--out", "weighted", "--json"));
    json_t *more = json_of(RUN(here, "train", "plain.model", "--data", "more", ANY, "--batch", "100", "--out", "more_run", "--json"));
    assert_true(ranks_distance_of_steps(here, "weighted", "more_run") < 1e-5);
    assert_true(near(weighted, more, "train_loss") < 1e-5);
    assert_int_equal(number(weighted, "examples"), 360);
    json_decref(weighted);
    json_decref(more);
    expect(RUN(here, FEW, "--batch", "60", "--out", "plain"), 0, "", "");
    assert_true(ranks_distance(here, "plain", "weighted") > 1e-2);
    expect(RUN(here, FEW, "--batch", "60", "--class-weights", "7,7,7", "--out", "sevens"), 0, "", "");
    assert_true(ranks_distance(here, "plain", "sevens") < 1e-5);
}

static void balanced_counts_the_training_examples(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, "train", "plain.model", "--data", "few", "--eval-every", "never", "--seed", "5", "--steps", "6", "--batch", "60",
               "--class-weights", "balanced", "--out", "balanced"),
           0, "", "classes weigh 0 0.6667, 1 1, 2 2\n");
    expect(RUN(here, FEW, "--batch", "60", "--class-weights", "0.66666667,1,2", "--threads", "1", "--out", "listed"), 0, "", "");
    assert_true(ranks_distance(here, "balanced", "listed") < 1e-5);
    expect(SHELL(here, "grep -v ^2 few >two; printf '2 1:1\\n' >>two; \"$0\" train plain.model --data two --limit-train 10 --steps 1 "
                       "--seed 2 --batch 10 --class-weights balanced --eval-every never --out limited"),
           0, "", "classes weigh");
    expect(SHELL(here, "\"$0\" train sparse-lr --data clicks:50:400 --class-weights balanced --steps 2 --eval-every never --out sparse"), 0,
           "", "classes weigh 0 ");
    expect(SHELL(here, "\"$0\" train softmax --data digits:200 --validation 10% --class-weights balanced --steps 2 --out held"), 0, "",
           "classes weigh 0 ");
}

/* Weighted, mixed or smoothed, the training loss is no log loss. */
static void the_progressive_log_loss_is_shown_only_where_it_is_one(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES " && grep -v ^2 few >two && sed s/softmax_loss/'&(smoothing=0.1)'/ plain.model >smooth.model"), 0, "", "");
    static const char *const runs[][4] = {{"plain.model", NULL},
                                          {"plain.model", "--class-weights", "1,2", NULL},
                                          {"plain.model", "--augment", "mixup", NULL},
                                          {"smooth.model", NULL},
                                          {"smooth.model", "--strategy", "mirrored", NULL}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        test_result run = RUN(here, "train", runs[i][0], "--data", "two", ANY, "--batch", "10", runs[i][1], runs[i][2]);
        assert_true((strstr(run.out, "progressive  log loss") != NULL) == (i == 0));
        expect(run, 0, "training     loss", "");
    }
    json_t *summary = json_of(RUN(here, "train", "smooth.model", "--data", "two", ANY, "--json"));
    assert_true(json_is_null(json_object_get(summary, "progressive_logloss"))); /* a key once published stays */
    json_decref(summary);
    expect(RUN(here, "train", "plain.model", "--data", "two", ANY, "--out", "local"), 0, "progressive  log loss", "");
    summary = json_of(RUN(here, "train", "--resume", "local", "--strategy", "ps", "--epochs", "9", "--quiet", "--json"));
    assert_true(json_is_null(json_object_get(summary, "progressive_logloss"))); /* servers do not hear of all losses */
    json_decref(summary);
}

static void every_strategy_weighs_alike(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    json_t *local = json_of(RUN(here, WEIGHTED, "--out", "local", "--json"));
    json_t *mirrored = json_of(RUN(here, WEIGHTED, "--out", "mirrored", "--strategy", "mirrored", TWO, "--json"));
    assert_true(ranks_distance(here, "local", "mirrored") < 1e-5);
    assert_true(near(local, mirrored, "train_loss") < 1e-5);
    json_decref(local);
    json_decref(mirrored);
    expect(RUN(here, WEIGHTED, "--out", "sync", "--strategy", "ps", "--sync", "--servers", "2", TWO), 0, "", "");
    assert_true(ranks_distance(here, "local", "sync") < 1e-5);
    expect(RUN(here, WEIGHTED, "--out", "async", "--strategy", "ps"), 0, "", "");
    assert_true(ranks_distance(here, "local", "async") < 1e-5);
    expect(RUN(here, WEIGHTED, "--out", "workers", "--strategy", "ps", TWO), 0, "", "");
    expect(RUN(here, WEIGHTED, "--out", "parts", "--accumulate", "3"), 0, "", "");
    assert_true(ranks_distance(here, "local", "parts") < 1e-5);
    expect(SHELL(here, "printf 'model: plain.model\\ndata: few\\nbatch: 60\\nclass-weights: 1,2,3\\nsteps: 3\\nseed: 5\\nthreads: 1\\n"
                       "eval-every: never\\n' >a.yaml; \"$0\" train --config a.yaml --out begun --quiet && "
                       "\"$0\" train --resume begun --steps 6 --quiet"),
           0, "", "");
    assert_true(ranks_distance(here, "local", "begun") == 0);
    expect(RUN(here, "train", "--resume", "begun", "--steps", "8", "--class-weights", "balanced"), 2, "", "a resumed run keeps it");
}

/* A damaged record of one rank is counted by all, whatever examples weigh. */
static void ranks_and_places_weigh_alike(void **state)
{
    const char *here = *state;
    if (!ranks_can_run())
        skip();
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, WEIGHTED, "--out", "local"), 0, "", "");
    expect(RUN(here, WEIGHTED, "--out", "ranks", "--strategy", "allreduce", TWO), 0, "", "");
    assert_true(ranks_distance(here, "local", "ranks") < 1e-5);
    expect(RUN(here, "train", "m.model", "--data", "few", ANY, "--batch", "60", "--class-weights", "1,2,3", "--out", "placed", "--strategy",
               "placed", TWO),
           0, "", "");
    assert_true(ranks_distance(here, "local", "placed") < 1e-5);
    expect(SHELL(here, "sed '7s/.*/0 1:x/' few >bad"), 0, "", "");
    expect(RUN(here, "train", "plain.model", "--data", "bad", ANY, "--batch", "15", "--skip-bad", "1", "--class-weights", "1,2,3", "--out",
               "one_bad", "--strategy", "allreduce", TWO),
           0, "", "");
    expect(SHELL(here, "sed -i '8,9s/.*/0 1:x/' bad"), 0, "", "");
    expect(RUN(here, "train", "plain.model", "--data", "bad", ANY, "--batch", "15", "--skip-bad", "1", "--class-weights", "1,2,3", "--out",
               "three_bad", "--strategy", "allreduce", TWO),
           1, "", "damaged");
}

static void class_weights_that_do_not_fit_are_refused(void **state)
{
    const char *here = *state;
    expect(SHELL(here, FILES), 0, "", "");
    expect(RUN(here, FEW, "--class-weights", "1,2"), 2, "", "trireme: --class-weights 1,2: 2 weights, and few has 3 classes");
    expect(RUN(here, FEW, "--class-weights", "1,2", "--strategy", "ps"), 2, "", "2 weights, and few has 3 classes");
    expect(RUN(here, FEW, "--class-weights", "1,0,2"), 2, "", "'0' is no weight");
    expect(RUN(here, FEW, "--class-weights", "1,,2"), 2, "", "'' is no weight");
    expect(RUN(here, FEW, "--class-weights", "even"), 2, "", "give 'balanced'");
    expect(SHELL(here, "sed 's/classes/1/; s/softmax_loss/mse_loss/' plain.model >r.model; "
                       "\"$0\" train r.model --data few --class-weights 1,2,3"),
           2, "", "the model learns numbers");
    expect(SHELL(here, "\"$0\" train sparse-lr --data - --features 10 --class-weights balanced <few"), 2, "",
           "standard input does not go with --class-weights");
    expect(SHELL(here, "cp few few2; \"$0\" train plain.model --data 'few*' --strategy ps --workers 2 --shard files "
                       "--class-weights balanced"),
           2, "", "each worker would count its own files only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_weight_is_so_many_examples),
        FOLDER_TEST(balanced_counts_the_training_examples),
        FOLDER_TEST(the_progressive_log_loss_is_shown_only_where_it_is_one),
        FOLDER_TEST(every_strategy_weighs_alike),
        FOLDER_TEST(ranks_and_places_weigh_alike),
        FOLDER_TEST(class_weights_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
