/* layers_test.c: models with running statistics in every strategy: workers in step agree whatever joins them, and a run goes on, under
 * another strategy too, with the statistics that its checkpoint has. */
#include <stdlib.h>
#include <string.h>

#include "cli/ranks.h"

static const char model[] = "train(rate=0.05, rule=momentum, batch=16, epochs=1)\ninput(scale=1/255)\n"
                            "conv(8, kernel=3, stride=2, pad=same, bias=no)\nbatch_norm()\nrelu()\n"
                            "conv(8, kernel=3, groups=8, dilation=2, pad=same)\na = batch_norm()\nb = gelu()\nconcat(a, b)\n"
                            "global_avgpool()\ndense(16)\nlayer_norm()\nrelu()\ndense(classes)\nsoftmax_loss()\n";

#define STEPS "train", "bn.model", "--data", "digits:100", "--quiet", "--threads", "1", "--eval-every", "end"
#define TWO   "--workers", "2"

static void write_model(const char *here)
{
    char *path = test_path(here, "bn.model");
    test_write(path, model, strlen(model));
    free(path);
}

static void expect_distance(const char *here, const char *a, const char *b, double most)
{
    const double distance = ranks_distance(here, a, b);
    if (!(distance <= most))
        fail_msg("%s and %s are %g apart, at most %g was expected", a, b, distance, most);
}

/* 100 examples in steps of 32: the last step has 4. With clipping and sums state must stay a mean. */
static void running_statistics_are_the_same_in_every_synchronous_strategy(void **state)
{
    const char *here = *state;
    write_model(here);
    static const char *const clips[] = {"1000", "0.1"};
    for (int i = 0; i < 2; i++) {
        char mirrored[32], ranks[32], servers[32];
        snprintf(mirrored, sizeof mirrored, "mirrored%d", i);
        snprintf(ranks, sizeof ranks, "ranks%d", i);
        snprintf(servers, sizeof servers, "servers%d", i);
        expect(RUN(here, STEPS, TWO, "--clip", clips[i], "--strategy", "mirrored", "--out", mirrored), 0, "", "");
        expect(RUN(here, STEPS, TWO, "--clip", clips[i], "--strategy", "allreduce", "--out", ranks), 0, "", "");
        expect(RUN(here, STEPS, TWO, "--clip", clips[i], "--strategy", "ps", "--sync", "--servers", "2", "--out", servers), 0, "", "");
        expect_distance(here, mirrored, ranks, 1e-5);
        expect_distance(here, mirrored, servers, 1e-5);
    }
}

static void a_run_with_running_statistics_goes_on_exactly(void **state)
{
    const char *here = *state;
    write_model(here);
    expect(RUN(here, STEPS, "--steps", "7", "--out", "whole"), 0, "", "");
    expect(RUN(here, STEPS, "--steps", "3", "--out", "parts"), 0, "", "");
    expect(RUN(here, "train", "--resume", "parts", "--quiet", "--steps", "7"), 0, "", "");
    expect_distance(here, "whole", "parts", 0);
    expect(RUN(here, "train", "--resume", "parts", "--quiet", "--steps", "9", "--strategy", "ps", TWO, "--async"), 0, "", "");
    expect(RUN(here, "train", "--resume", "parts", "--quiet", "--steps", "12", "--strategy", "ps", TWO, "--staleness", "1"), 0, "", "");
    expect(RUN(here, "eval", "parts", "--data", "digits:50", "--quiet"), 0, "accuracy", "");
}

static void joint_statistics_are_refused_in_words(void **state)
{
    const char *here = *state;
    expect(SHELL(here, "printf 'input()\\nbatch_norm(statistics=joint)\\ndense(classes)\\nsoftmax_loss()\\n' > joint.model; "
                       "\"$0\" train joint.model --data digits:20 --steps 1"),
           1, "", "each worker normalises by its own batch");
}

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(running_statistics_are_the_same_in_every_synchronous_strategy),
        FOLDER_TEST(a_run_with_running_statistics_goes_on_exactly),
        FOLDER_TEST(joint_statistics_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
