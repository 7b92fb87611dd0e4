/* onnx_test.c: a model that is exported and imported again predicts the same; what cannot be either is told by name. That other people's
 * runtimes compute the same is checked by tests/interop/onnx_files.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/binary.h"

/* Every operator that both ways know. */
static const char model[] =
    "train(rate=0.05, batch=16)\ninput(scale=1/255, offset=-0.5)\n"
    "conv(8, kernel=3, stride=2, pad=1, bias=no)\na = batch_norm(epsilon=0.001)\nb = leaky_relu(alpha=0.2)\n"
    "conv(8, kernel=3, groups=4, dilation=2, pad=2)\nlrn()\nc = tanh()\nconcat(b, c)\nmaxpool(2)\ndropout(0.5)\n"
    "d = conv(6, kernel=1)\navgpool(d, 3, stride=1, pad=1)\nadd(d)\nmultiply(scale=2)\nlayer_norm()\nglobal_avgpool()\n"
    "dense(12)\nrelu()\ndense(classes, bias=no)\nsoftmax_loss()\n";

static void write_text(const char *here, const char *name, const char *text)
{
    char *path = test_path(here, name);
    test_write(path, text, strlen(text));
    free(path);
}

/* What predict says of ten digits. */
static char *predictions(const char *here, const char *what)
{
    test_result result = RUN(here, "predict", what, "--data", "digits:10", "--part", "train", "--quiet");
    if (result.status)
        fail_msg("%s: exit %d: %s", what, result.status, result.err);
    char *said = strdup(result.out);
    assert_non_null(said);
    test_result_fini(&result);
    return said;
}

static void a_model_that_went_through_onnx_predicts_the_same(void **state)
{
    const char *here = *state;
    write_text(here, "all.model", model);
    expect(RUN(here, "train", "all.model", "--data", "digits:64", "--steps", "4", "--quiet", "--out", "run"), 0, "", "");
    expect(RUN(here, "export", "run", "--onnx", "all.onnx"), 0, "all.onnx", "");
    expect(RUN(here, "import", "all.onnx", "--out", "again"), 0, "again.model", "");
    char *first = predictions(here, "run"), *second = predictions(here, "again.safetensors");
    assert_string_equal(first, second);
    free(first);
    free(second);
    expect(RUN(here, "train", "again.model", "--init", "again.safetensors", "--data", "digits:32", "--steps", "1", "--quiet"), 0, "", "");
}

static void two_classes_go_through_onnx(void **state)
{
    const char *here = *state;
    write_text(here, "two.model", "input()\ndense(4)\nsigmoid()\ndense(1)\nlogistic_loss()\n");
    write_text(here, "two.libsvm", "-1 1:0.5 2:1\n+1 1:0.25 3:2\n-1 2:0.5 3:1\n+1 1:1 2:0.125\n");
    expect(RUN(here, "train", "two.model", "--data", "two.libsvm", "--test", "two.libsvm", "--batch", "2", "--steps", "3", "--quiet",
               "--out", "run"),
           0, "", "");
    expect(RUN(here, "export", "run", "--onnx", "two.onnx"), 0, "", "");
    expect(RUN(here, "import", "two.onnx", "--out", "again"), 0, "", "");
    expect(RUN(here, "import", "two.onnx", "--out", "again"), 2, "", "again.model exists: give another --out NAME");
    expect(SHELL(here, "touch else.safetensors; \"$0\" import two.onnx --out else"), 2, "", "else.safetensors exists");
    expect(SHELL(here, "grep -q logistic_loss again.model && \"$0\" predict run --data two.libsvm | sed 1d | cut -f 2,3 >a && "
                       "\"$0\" predict again.safetensors --data two.libsvm | sed 1d | cut -f 2,3 >b && cmp a b"),
           0, "", "");
}

/* What a model learns goes with it; a file of another program may not say it. */
static void the_loss_goes_through_onnx(void **state)
{
    const char *here = *state;
    static const char *const losses[] = {"mse_loss()", "huber_loss(delta=2)", "sigmoid_loss()"};
    write_text(here, "t.csv", "a,b,y\n1,2,0\n3,4,1\n2,2,0\n5,1,1\n");
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        char text[128];
        snprintf(text, sizeof text, "input()\ndense(outputs)\n%s\n", losses[i]);
        write_text(here, "m.model", text);
        expect(SHELL(here, "rm -rf run n.*; \"$0\" train m.model --data t.csv --steps 3 --eval-every never --quiet --out run && "
                           "\"$0\" export run --onnx n.onnx && \"$0\" import n.onnx --out n && cat n.model && "
                           "\"$0\" predict run --data t.csv >a && \"$0\" predict n.safetensors --data t.csv >b && cmp a b"),
               0,
               i == 0   ? "\nmse_loss(dense1)\n"
               : i == 1 ? "\nhuber_loss(dense1, delta=2)\n"
                        : "\nsigmoid_loss(dense1)\n",
               "");
    }
    write_text(here, "m.model", "input()\ndense(outputs)\nmse_loss()\n");
    expect(SHELL(here, "\"$0\" train m.model --data t.csv --steps 3 --eval-every never --quiet --out one && "
                       "\"$0\" export one --onnx one.onnx && sed s/trireme.loss/another.loss/ one.onnx >other.onnx"),
           0, "", "");
    expect(RUN(here, "import", "other.onnx", "--out", "o"), 2, "", "the file does not say what that is: give --loss mse");
    expect(SHELL(here, "\"$0\" import other.onnx --loss huber --out o && cat o.model"), 0, "\nhuber_loss(dense1)\n", "");
    expect(SHELL(here, "\"$0\" import one.onnx --loss logistic --out p && cat p.model"), 0, "\nlogistic_loss(dense1)\n", "");
    expect(SHELL(here, "sed s/mse_loss/mse_lost/ one.onnx >bad.onnx; \"$0\" import bad.onnx --out bad"), 1, "",
           "'mse_lost', which is no loss");
}

/* Categories keep their places, and the label is the one that the model was trained with, whatever a later table looks like. */
static void the_columns_of_a_table_go_through_onnx(void **state)
{
    const char *here = *state;
    write_text(here, "t.csv", "price,city,size\n1,rome,2\n3,oslo,4\n2,bern,2\n5,oslo,1\n");
    write_text(here, "later.csv", "price,city,size\n1,oslo,2\n3,paris,4\n2,bern,3\n");
    write_text(here, "m.model", "input()\ndense(outputs)\nmse_loss()\n");
    expect(SHELL(here,
                 "\"$0\" train m.model --data t.csv --label price --steps 30 --eval-every never --quiet --out run && "
                 "\"$0\" export run --onnx m.onnx && \"$0\" import m.onnx --out ours && \"$0\" import m.onnx --loss huber --out other"),
           0, "", "");
    expect(SHELL(here, "for m in run ours.safetensors other.safetensors; do \"$0\" predict $m --data later.csv >$m.txt; done; "
                       "cmp run.txt ours.safetensors.txt && cmp run.txt other.safetensors.txt && wc -l <run.txt"),
           0, "4", "");
}

/* In a file of another program, the sigmoid's result is the output itself, and nothing says the loss. Such a file is made of ours, in which
 * an Identity between them gives the output its name: it becomes a node that nobody reads. */
static void a_last_sigmoid_stays_in_a_model_of_numbers(void **state)
{
    const char *here = *state;
    write_text(here, "t.csv", "a,b,y\n1,2,0\n3,4,1\n2,2,0\n5,1,1\n");
    write_text(here, "m.model", "input()\ndense(outputs)\nlast__ = sigmoid()\nmse_loss()\n");
    expect(SHELL(here, "\"$0\" train m.model --data t.csv --steps 3 --eval-every never --quiet --out run && "
                       "\"$0\" export run --onnx m.onnx && \"$0\" predict run --data t.csv >a"),
           0, "", "");
    expect(SHELL(here, "\"$0\" import m.onnx --out ours && \"$0\" predict ours.safetensors --data t.csv >b && cmp a b"), 0, "", "");
    expect(SHELL(here, "LC_ALL=C sed 's/last__\\x12\\x06logits/dense1\\x12\\x06nobody/; s/logits/last__/; s/trireme.loss/another.loss/' "
                       "m.onnx >other.onnx; \"$0\" import other.onnx --loss mse --out other && cat other.model && "
                       "\"$0\" predict other.safetensors --data t.csv >b && cmp a b"),
           0, "last__ = sigmoid(dense1)\nmse_loss(last__)\n", "");
    expect(SHELL(here, "\"$0\" import other.onnx --out odds && cat odds.model"), 0, "\nlogistic_loss(dense1)\n", "");
}

static void models_that_onnx_cannot_hold_are_refused_by_name(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "sparse-lr", "--data", "clicks:100:50", "--steps", "1", "--quiet", "--out", "sparse"), 0, "", "");
    expect(RUN(here, "export", "sparse", "--onnx", "sparse.onnx"), 1, "", "sparse examples");
    expect(RUN(here, "export", "sparse"), 2, "", "--onnx");
    write_text(here, "noise.onnx", "no such thing");
    expect(RUN(here, "import", "noise.onnx", "--out", "noise"), 1, "", "noise.onnx");
    expect(RUN(here, "import", "noise.onnx"), 2, "", "--out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_model_that_went_through_onnx_predicts_the_same),
        FOLDER_TEST(two_classes_go_through_onnx),
        FOLDER_TEST(the_loss_goes_through_onnx),
        FOLDER_TEST(the_columns_of_a_table_go_through_onnx),
        FOLDER_TEST(a_last_sigmoid_stays_in_a_model_of_numbers),
        FOLDER_TEST(models_that_onnx_cannot_hold_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
