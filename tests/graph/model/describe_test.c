/* describe_test.c: the table of a model, as people see it. */
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trireme/model.h"

static void the_description_of_lenet_is_a_table(void **state)
{
    (void)state;
    tri_model *model = NULL;
    tri_graph *graph = NULL;
    char *text = NULL;
    assert_ok(tri_model_open("lenet", &model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_U8, .shape = {3, {28, 28, 1}}, .classes = 10}, 64, &graph));
    assert_ok(tri_model_describe(model, graph, &text));
    assert_string_equal(text, "layer          operator                     output      parameters\n"
                              "input          input(scale=1/255)           28x28x1\n"
                              "conv1          conv(6, kernel=3)            26x26x6             60\n"
                              "relu1          relu()                       26x26x6\n"
                              "avgpool1       avgpool(2)                   13x13x6\n"
                              "conv2          conv(16, kernel=3)           11x11x16           880\n"
                              "relu2          relu()                       11x11x16\n"
                              "avgpool2       avgpool(2)                   5x5x16\n"
                              "dense1         dense(120)                   120             48,120\n"
                              "relu3          relu()                       120\n"
                              "dense2         dense(84)                    84              10,164\n"
                              "relu4          relu()                       84\n"
                              "dense3         dense(classes, init=xavier)  10                 850\n"
                              "softmax_loss1  softmax_loss()               scalar\n"
                              "total                                                       60,074  (240 kB)\n");
    free(text);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void a_models_own_parameters_are_described_and_counted(void **state)
{
    (void)state;
    const char *source = "input(20)\nw = parameter(20x1)\ny = matmul(w)\nc = constant(1x1)\nmatmul(y, c)\nlogistic_loss()\n";
    tri_model *model = NULL, *other = NULL;
    tri_graph *graph = NULL;
    char *text = NULL;
    assert_ok(tri_model_parse("own.model", source, strlen(source), &model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_F32}, 8, &graph));
    assert_ok(tri_model_describe(model, graph, &text));
    assert_string_equal(text, "layer           operator         output    parameters\n"
                              "input           input(20)        20\n"
                              "w               parameter(20x1)  20x1              20\n"
                              "y               matmul(w)        1\n"
                              "c               constant(1x1)    1x1\n"
                              "matmul2         matmul(y, c)     1\n"
                              "logistic_loss1  logistic_loss()  scalar\n"
                              "total                                              20  (80 B)\n");
    free(text);
    assert_ok(tri_model_open("softmax", &other));
    assert_fails(tri_model_describe(other, graph, &text), TRI_BAD_CALL, "the graph was not built from the model 'softmax'");
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    tri_model_destroy(other);
}

static void sparse_input_has_features_as_its_output(void **state)
{
    (void)state;
    tri_model *model = NULL;
    tri_graph *graph = NULL;
    char *text = NULL;
    assert_ok(tri_model_open("sparse-lr", &model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = {1, {1000}}, .classes = 2}, 8, &graph));
    assert_ok(tri_model_describe(model, graph, &text));
    assert_non_null(strstr(text, "\nsparse          sparse()             features\n"));
    free(text);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_of_lenet_is_a_table),
        cmocka_unit_test(a_models_own_parameters_are_described_and_counted),
        cmocka_unit_test(sparse_input_has_features_as_its_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
