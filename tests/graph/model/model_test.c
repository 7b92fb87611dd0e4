/* model_test.c: models as text: what may be left out, what is refused and where, what is built, and what a model's digest sees. */
#include "trireme/model.h"

#include <stdlib.h>
#include <string.h>

#include "graph/model/model_setting.h"
#include "graph/model/model_verb.h"
#include "graph/nodes/operator.h"
#include "support.h"

static const tri_model_input mnist = {.type = TRI_U8, .shape = {3, {28, 28, 1}}, .classes = 10};

static tri_model *parse(const char *text)
{
    tri_model *model = NULL;
    assert_ok(tri_model_parse("my.model", text, strlen(text), &model));
    return model;
}

static tri_graph *build(const tri_model *model, const tri_model_input *input, int64_t batch)
{
    tri_graph *graph = NULL;
    assert_ok(tri_model_build(model, input, batch, &graph));
    return graph;
}

static tri_graph *build_text(const char *text, const tri_model_input *input, int64_t batch)
{
    tri_model *model = parse(text);
    tri_graph *graph = build(model, input, batch);
    tri_model_destroy(model);
    return graph;
}

static tri_node *find(const tri_graph *graph, const char *name)
{
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (strcmp(tri_node_name(tri_graph_node(graph, i)), name) == 0)
            return tri_graph_node(graph, i);
    fail_msg("the graph has no node '%s'", name);
    return NULL;
}

static void assert_shape(const tri_graph *graph, const char *name, const char *expected)
{
    char text[128];
    assert_string_equal(tri_shape_text(tri_node_shape(find(graph, name)), text, sizeof text), expected);
}

static int64_t count_parameters(const tri_graph *graph)
{
    int64_t count = 0;
    for (int i = 0; i < tri_graph_count(graph); i++)
        count += (int64_t)tri_node_range(tri_graph_node(graph, i)).count;
    return count;
}

/* Built-in models */

static void the_softmax_model_has_its_parameters_and_defaults(void **state)
{
    (void)state;
    tri_model *model = NULL;
    assert_ok(tri_model_open("softmax", &model));
    assert_string_equal(tri_model_name(model), "softmax");
    const tri_model_defaults *train = tri_model_default(model);
    assert_float_equal(train->rate, 0.05, 1e-9);
    assert_string_equal(train->rule.name, "adagrad");
    assert_int_equal(train->batch, 100);
    assert_int_equal(train->epochs, 10);
    tri_graph *graph = build(model, &mnist, 100);
    assert_int_equal(count_parameters(graph), 7850);
    assert_shape(graph, "dense1.weight", "10x784");
    assert_int_equal(tri_node_attributes(find(graph, "dense1.weight"))->init, TRI_INIT_ZERO);
    assert_float_equal(tri_node_attributes(find(graph, "image"))->scale, 1.0 / 255, 1e-9);
    assert_ptr_equal(tri_graph_find_output(graph, "logits"), find(graph, "dense1"));
    assert_ptr_equal(tri_graph_find_output(graph, "loss"), find(graph, "softmax_loss1"));
    assert_shape(graph, "softmax_loss1", "scalar");
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void lenet_has_its_parameters_and_shapes(void **state)
{
    (void)state;
    tri_model *model = NULL;
    assert_ok(tri_model_open("lenet", &model));
    tri_graph *graph = build(model, &mnist, 64);
    assert_int_equal(count_parameters(graph), 60074);
    assert_shape(graph, "x", "64x28x28x1");
    assert_shape(graph, "image", "64x1x28x28");
    assert_shape(graph, "conv1.weight", "6x1x3x3");
    assert_shape(graph, "conv1", "64x6x26x26");
    assert_shape(graph, "avgpool1", "64x6x13x13");
    assert_shape(graph, "conv2.weight", "16x6x3x3");
    assert_shape(graph, "avgpool2", "64x16x5x5");
    assert_shape(graph, "dense1.weight", "120x400");
    assert_shape(graph, "dense3.bias", "10");
    assert_shape(graph, "dense3", "64x10");
    tri_graph_destroy(graph);
    graph = build(model, &(tri_model_input){.type = TRI_U8, .shape = {3, {32, 32, 3}}, .classes = 100}, 8);
    assert_shape(graph, "dense3", "8x100");
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void alexnet_has_its_parameters_and_shapes(void **state)
{
    (void)state;
    tri_model *model = NULL;
    assert_ok(tri_model_open("alexnet", &model));
    tri_graph *graph = build(model, &(tri_model_input){.type = TRI_U8, .shape = {3, {224, 224, 3}}, .classes = 1000}, 2);
    assert_int_equal(count_parameters(graph), 61100840);
    assert_shape(graph, "conv1", "2x64x55x55");
    assert_shape(graph, "maxpool1", "2x64x27x27");
    assert_shape(graph, "conv2", "2x192x27x27");
    assert_shape(graph, "maxpool2", "2x192x13x13");
    assert_shape(graph, "maxpool3", "2x256x6x6");
    assert_shape(graph, "dense1.weight", "4096x9216");
    assert_shape(graph, "dense3", "2x1000");
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void the_input_shape_of_a_model_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tri_shape shape;
    } cases[] = {{"input(20x30x3)\ndense(classes)\nsoftmax_loss()", {3, {20, 30, 3}}},
                 {"input(20x30)\ndense(classes)\nsoftmax_loss()", {3, {20, 30, 1}}},
                 {"input(scale=1/255)\ndense(classes)\nsoftmax_loss()", {0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri_model *model = NULL;
        assert_ok(tri_model_parse("test", cases[i].text, strlen(cases[i].text), &model));
        assert_true(tri_shape_equal(tri_model_input_shape(model), cases[i].shape));
        tri_model_destroy(model);
    }
}

static void built_in_models_are_listed(void **state)
{
    (void)state;
    assert_string_equal(tri_model_builtin(0), "alexnet");
    static const char *const others[] = {"deep-click", "flowers", "fm",        "lenet",         "mobilenet",
                                         "resnet20",   "softmax", "sparse-lr", "sparse-softmax"};
    int count = 0;
    for (int i = 0; i < (int)(sizeof others / sizeof *others); i++)
        assert_string_equal(tri_model_builtin(i + 1), others[i]);
    while (tri_model_builtin(count))
        count++;
    assert_null(tri_model_builtin(count + 5));
    tri_model *model = NULL;
    assert_fails(tri_model_open("lnet", &model), TRI_NOT_FOUND,
                 "there is no model 'lnet' (did you mean 'lenet'?); built in are alexnet, deep-click, flowers, fm, lenet, mobilenet, "
                 "resnet20, softmax, sparse-lr, sparse-softmax");
}

static void a_model_file_of_the_user_is_read_by_its_path(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "mine.model");
    const char *text = "input\ndense(classes)\nsoftmax_loss\n";
    test_write(path, text, strlen(text));
    tri_model *model = NULL;
    assert_ok(tri_model_open(path, &model));
    assert_string_equal(tri_model_name(model), "mine");
    assert_string_equal(tri_model_text(model), text);
    tri_model_destroy(model);
    char *missing = test_path(folder, "other.model");
    assert_fails(tri_model_open(missing, &model), TRI_NOT_FOUND, "other.model");
    free(missing);
    free(path);
    test_folder_remove(folder);
}

/* What is built */

static void branches_of_a_model_can_join(void **state)
{
    (void)state;
    tri_graph *graph = build_text("x = input(scale=1/255)\n"
                                  "stem = conv(8, kernel=3, pad=1)\n"
                                  "relu()\n"
                                  "conv(8, kernel=3, pad=1)\n"
                                  "add(stem)          # the line above, and stem\n"
                                  "left = relu()\n"
                                  "right = tanh(stem)\n"
                                  "multiply(left, right)\n"
                                  "dense(classes)\n"
                                  "softmax_loss()\n",
                                  &mnist, 4);
    const tri_node *sum = find(graph, "add1");
    assert_string_equal(tri_node_name(tri_node_input(sum, 0)), "conv2");
    assert_string_equal(tri_node_name(tri_node_input(sum, 1)), "stem");
    assert_shape(graph, "multiply1", "4x8x28x28");
    assert_shape(graph, "dense1.flatten", "4x6272");
    tri_graph_destroy(graph);
}

static void settings_reach_the_layers_of_a_model(void **state)
{
    (void)state;
    tri_graph *graph = build_text("input(28x28, offset=-1/2)\n"
                                  "conv(5, kernel=3x5, stride=2x1, pad=1x2, bias=no, init=normal(0.01))\n"
                                  "maxpool(3, 2)\n"
                                  "dropout(1/4)\n"
                                  "reshape(6x13x5)\n"
                                  "dense(out=10, bias=yes, init=uniform(0.5))\n"
                                  "softmax_loss()\n",
                                  &mnist, 2);
    assert_shape(graph, "conv1.weight", "5x1x3x5");
    assert_shape(graph, "conv1", "2x5x14x28");
    assert_string_equal(tri_node_operator(find(graph, "conv1")), "convolution");
    assert_shape(graph, "maxpool1", "2x5x6x13");
    assert_shape(graph, "reshape1", "2x5x6x13");
    assert_float_equal(tri_node_attributes(find(graph, "dropout1"))->rate, 0.25, 0);
    assert_float_equal(tri_node_attributes(find(graph, "image"))->offset, -0.5, 0);
    const tri_attributes *weight = tri_node_attributes(find(graph, "dense1.weight"));
    assert_int_equal(weight->init, TRI_INIT_UNIFORM);
    assert_float_equal(weight->value, 0.5, 0);
    assert_string_equal(tri_node_operator(find(graph, "dense1")), "bias");
    tri_graph_destroy(graph);
}

static void the_input_scale_of_a_model_is_for_bytes_only(void **state)
{
    (void)state;
    tri_model *model = parse("input(scale=1/255, offset=3)\ndense(classes)\nsoftmax_loss()\n");
    tri_graph *graph = build(model, &(tri_model_input){.type = TRI_F32, .shape = {1, {20}}, .classes = 2}, 3);
    assert_float_equal(tri_node_attributes(find(graph, "image"))->scale, 1, 0);
    assert_float_equal(tri_node_attributes(find(graph, "image"))->offset, 0, 0);
    tri_graph_destroy(graph);
    graph = build(model, &(tri_model_input){.type = TRI_U8, .shape = {1, {20}}, .classes = 2}, 3);
    assert_float_equal(tri_node_attributes(find(graph, "image"))->offset, 3, 0);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void a_model_may_declare_its_own_parameters(void **state)
{
    (void)state;
    tri_graph *graph = build_text("input()\n"
                                  "w = parameter(20x1, init=constant(0.5))\n"
                                  "matmul(w)\n"
                                  "logistic_loss()\n",
                                  &(tri_model_input){.type = TRI_F32, .shape = {1, {20}}, .classes = 2}, 3);
    assert_shape(graph, "image", "3x20");
    assert_shape(graph, "matmul1", "3x1");
    assert_int_equal(count_parameters(graph), 20);
    tri_graph_destroy(graph);
}

static void the_train_line_of_a_model_gives_defaults(void **state)
{
    (void)state;
    tri_model *model = parse("input()\ndense(10)\nsoftmax_loss()\ntrain(rate=1e-3, rule=adam, beta1=0.5, l2=5e-4, batch=32, epochs=3)\n");
    const tri_model_defaults *train = tri_model_default(model);
    assert_float_equal(train->rate, 1e-3, 1e-9);
    assert_string_equal(train->rule.name, "adam");
    assert_float_equal(tri_rule_value(&train->rule, "beta1"), 0.5, 0);
    assert_float_equal(tri_rule_value(&train->rule, "beta2"), 0.999, 1e-9);
    assert_float_equal(tri_rule_value(&train->rule, "l2"), 5e-4, 1e-9);
    assert_int_equal(train->batch, 32);
    assert_int_equal(train->epochs, 3);
    tri_model_destroy(model);
    model = parse("input()\ndense(10)\nsoftmax_loss()");
    assert_int_equal(tri_model_default(model)->batch, 0);
    tri_model_destroy(model);
}

static void every_key_of_the_operator_table_is_a_setting_of_model_files(void **state)
{
    (void)state;
    const tri_operator *row;
    const tri__value bad = {.kind = TRI_VALUE_WORD, .word = "?", .text = "?", .length = 1};
    for (int i = 0; (row = tri__operator_at(i)); i++) {
        tri__verb verb;
        if (!tri__verb_find(row->name, &verb))
            continue;
        char key[TRI_MODEL_NAME];
        tri__model_settings settings;
        for (int j = 0; tri__verb_key(&verb, j, key); j++)
            assert_fails(tri__model_settings_read(verb.form, key, &bad, &settings), TRI_BAD_DATA, key);
    }
}

static void every_operator_of_model_files_is_in_the_reference(void **state)
{
    (void)state;
    const tri_operator *row;
    char *reference = test_read(TEST_SOURCE "/docs/models.md", NULL);
    for (int i = 0; (row = tri__operator_at(i)); i++) {
        tri__verb verb;
        char word[TRI_MODEL_NAME + 2];
        snprintf(word, sizeof word, "`%s`", row->name);
        if (tri__verb_find(row->name, &verb) && !strstr(reference, word))
            fail_msg("docs/models.md says nothing of the operator %s", row->name);
    }
    free(reference);
}

/* What is refused, and where */

typedef struct {
    const char *text, *message; /* message: the whole of it */
} refusal;

static void errors_in_model_files_name_line_and_column(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {"", "my.model:1:1: the model is empty, expected input(), layers and a loss such as softmax_loss()"},
        {"# nothing\n\n", "my.model:2:1: the model is empty, expected input(), layers and a loss such as softmax_loss()"},
        {"input()\n\n  x1 =   cnov(6)", "my.model:3:10: unknown operator 'cnov' (did you mean 'conv'?)"},
        {"input()\nrelu_grad()", "my.model:2:1: unknown operator 'relu_grad'; there are train, input, dense, conv, batch_norm,"},
        {"conv(6, kernel=3)", "my.model:1:1: expected the input before 'conv': input(), input(scale=1/255) or sparse()"},
        {"input()\ninput()", "my.model:2:1: a second input; line 1 has the first"},
        {"input()\nrelu()\n", "my.model:2:1: the model ends here, expected a loss as its last line: softmax_loss() or logistic_loss()"},
        {"input()\nsoftmax_loss()\nrelu()", "my.model:3:1: nothing may follow the loss in line 2"},
        {"train()\ntrain()", "my.model:2:1: a second train(); line 1 has the first"},
        {"t = train()", "my.model:1:1: train gives no result that 't' could name"},
        {"input()\nconv(6, kernal=3)", "my.model:2:9: unknown key 'kernal': conv takes out, kernel, stride, pad, bias, init"},
        {"input()\nrelu(rate=3)", "my.model:2:6: unknown key 'rate': relu takes none"},
        {"input()\nrelu(3)", "my.model:2:6: relu takes no value"},
        {"input()\ndropout(0.5, 3)", "my.model:2:14: dropout takes no more values than that"},
        {"input()\nconv(6)", "my.model:2:1: conv needs 'kernel'"},
        {"input()\ndense()", "my.model:2:1: dense needs 'out'"},
        {"input()\nconv(6, kernel=3, kernel=5)", "my.model:2:19: 'kernel' is given twice"},
        {"input()\nconv(6, kernel=big)", "my.model:2:16: kernel: expected a size such as 3, or 3x5 (height, width), found 'big'"},
        {"input()\nconv(6, kernel=3x3x3)", "my.model:2:16: kernel: expected a size such as 3, or 3x5 (height, width), found '3x3x3'"},
        {"input()\nconv(6, kernel=0)", "my.model:2:16: kernel: 0 is out of range, expected 1 to 16777216"},
        {"input()\nconv(6.5, kernel=3)", "my.model:2:6: out: expected a whole number, 'classes' or 'outputs', found '6.5'"},
        {"input()\ndense(99999999)", "my.model:2:7: out: 99999999 is out of range, expected 1 to 16777216"},
        {"input()\ndense(-1)", "my.model:2:7: out: -1 is out of range, expected 1 to 16777216"},
        {"input()\ndense(10, bias=maybe)", "my.model:2:16: bias: expected no or yes, found 'maybe'"},
        {"input()\ndense(10, init=1)", "my.model:2:16: init: expected zero, constant, normal, uniform, xavier or he, found '1'"},
        {"input()\ndense(10, init=normal(-1))", "my.model:2:16: init: normal(-1): its spread cannot be negative"},
        {"input()\ndense(10, init=uniform(-0.5))", "my.model:2:16: init: uniform(-0.5): its spread cannot be negative"},
        {"input()\ndense(10, init=normal)", "my.model:2:16: init: normal needs a number, as in normal(0.01)"},
        {"input()\ndense(10, init=he(2))", "my.model:2:16: init: he takes no number"},
        {"input()\ndropout(1)", "my.model:2:9: rate: 1 is out of range, expected 0 or more and less than 1"},
        {"input()\nsum(axis=up)", "my.model:2:10: axis: expected the number of an axis, from 0, or 'all', found 'up'"},
        {"input(shape=wide)", "my.model:1:13: shape: expected a shape such as 28x28x1 (height, width, channels), found 'wide'"},
        {"input(28x0x1)", "my.model:1:7: shape: 0 is out of range, expected 1 to 16777216"},
        {"input(1x2x3x4x5x6)", "my.model:1:7: a shape has more than 5 dimensions"},
        {"input(28x)", "my.model:1:10: expected the next size of a shape such as 28x28x1, found ')'"},
        {"input(99999999x1)", "my.model:1:7: a size of this shape is above 16777216"},
        {"input(scale=1/0)", "my.model:1:13: the fraction '1/0' divides by zero"},
        {"input(scale=0)", "my.model:1:13: scale: expected a number other than 0, found '0'"},
        {"input(scale=1e999)", "my.model:1:13: the number '1e999' is out of range"},
        {"input(scale=1e99)", "my.model:1:13: scale: 1e+99 is too large"},
        {"input(scale=1e)", "my.model:1:15: expected the digits of an exponent, found ')'"},
        {"input(scale=)", "my.model:1:13: expected a value, found ')'"},
        {"input(scale=28x28)", "my.model:1:13: scale: expected a number such as 0.5 or 1/255, found '28x28'"},
        {"train(rate=0)", "my.model:1:12: rate: 0 is out of range, expected more than 0"},
        {"input()\ndense(outputs)\nhuber_loss(delta=0)", "my.model:3:18: delta: 0 is out of range, expected more than 0"},
        {"train(l2=-1)", "my.model:1:10: l2: -1 is out of range, expected 0 or more"},
        {"train(momentum=0)", "my.model:1:16: momentum: expected a number above 0 and below 1 (rule sgd is without momentum), found '0'"},
        {"train(momentum=1)", "my.model:1:16: momentum: expected a number above 0 and below 1 (rule sgd is without momentum), found '1'"},
        {"train(beta2=1, rule=adam)", "my.model:1:13: beta2: expected a number at least 0 and below 1, found '1'"},
        {"train(rule=sgd, beta1=0.5)", "my.model:1:1: beta1 is for rule=adam or adamw, and the rule is sgd"},
        {"train(epsilon=0.5)", "my.model:1:1: epsilon is for rule=adagrad, adam or adamw, and the rule is sgd"},
        {"train(rule=sdg)", "my.model:1:12: rule: expected sgd, momentum, nesterov, adagrad, adam, adamw or ftrl, found 'sdg'"},
        {"train(batch=all)", "my.model:1:13: batch: expected a whole number, found 'all'"},
        {"input()\nrelu(inputt)", "my.model:2:6: no line above is called 'inputt' (did you mean 'input'?)"},
        {"input()\nrelu(q)", "my.model:2:6: no line above is called 'q'"},
        {"input()\nrelu(input, input)", "my.model:2:13: relu takes 1 input, 'input' is one too many"},
        {"sparse()\nembedding(8)", "my.model:2:1: embedding needs 'fields'"},
        {"sparse()\nsparse()", "my.model:2:1: a second input; line 1 has the first"},
        {"sparse()\nkeys = dense(1)", "my.model:2:1: the name 'keys' has a meaning of its own; choose another"},
        {"input()\na = relu()\na = relu()", "my.model:3:1: the name 'a' is taken by line 2"},
        {"input()\nrelu2 = relu()\nrelu()", "my.model:3:1: without a name this would be 'relu2', which line 2 is called; give it a name"},
        {"input()\nlabels = relu()", "my.model:2:1: the name 'labels' has a meaning of its own; choose another"},
        {"input()\nx = relu()", "my.model:2:1: the name 'x' has a meaning of its own; choose another"},
        {"input()\na = relu()\nrelu(input)\ndense(10)\nsoftmax_loss()", "my.model:2:5: no line uses 'a'"},
        {"input()\nrelu(", "my.model:2:6: expected an input, a value or key=value, found the end of the line"},
        {"input(-)", "my.model:1:8: expected a number, found ')'"},
        {"input()\nconv(6, kernel=3,)", "my.model:2:18: expected an input, a value or key=value, found ')'"},
        {"input()\nrelu(input", "my.model:2:11: expected ',' or ')', found the end of the line"},
        {"input()\nrelu() relu()", "my.model:2:8: expected the end of the line, found 'r'"},
        {"input()\n= relu()", "my.model:2:1: expected an operator, found '='"},
        {"input()\n\a", "my.model:2:1: expected an operator, found the byte 0x07"},
        {"input()\n# caf\xc3\xa9, caf\xe9", "my.model:2:13: the byte 0xe9 is not UTF-8 text (remove it, or save the file as UTF-8)"},
        {"input()\na = # relu", "my.model:2:4: expected an operator, found the end of the line"},
        {"input()\ndense(10, init=normal(1)", "my.model:2:25: expected ',' or ')', found the end of the line"},
        {"input()\ndense(10, init=normal(1", "my.model:2:24: expected ')', found the end of the line"},
        {"a_name_of_more_than_sixty_three_characters_is_more_than_anybody_wants()",
         "my.model:1:1: a name of 69 characters is too long, expected at most 63"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tri_model *model = NULL;
        tri_status status = tri_model_parse("my.model", refusals[i].text, strlen(refusals[i].text), &model);
        assert_non_null(status);
        const char *said = tri_status_message(status), *expected = refusals[i].message;
        if (strncmp(said, expected, strlen(expected)) != 0)
            fail_msg("for '%s'\n  expected: %s\n  said:     %s", refusals[i].text, expected, said);
        assert_int_equal(tri_status_code(status), TRI_BAD_DATA);
        tri_status_free(status);
    }
}

static void shape_errors_of_model_files_name_line_and_column(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {"input(32x32x3)\ndense(10)\nsoftmax_loss()",
         "my.model:1:1: the model is for examples of 32x32x3, the data has 28x28x1 (leave the shape out to follow the data)"},
        {"input()\ndense(5)\nsoftmax_loss()",
         "my.model:3:1: 'dense1' has 5 outputs, the data has 10 classes (dense(classes) follows the data)"},
        {"input()\ndense(1)\nlogistic_loss()", "my.model:3:1: logistic_loss is for two classes, the data has 10"},
        {"input()\nsoftmax_loss()", "my.model:2:1: softmax_loss needs one row of numbers an example, 'image' is 4x1x28x28"},
        {"input()\ndense(10)\nconv(3, kernel=3)\nsoftmax_loss()", "my.model:3:1: conv needs images, 'dense1' is 4x10 (the batch first)"},
        {"input()\na = sum(axis=all)\ndense(10)\nsoftmax_loss()",
         "my.model:3:1: dense needs a row of values for each example, 'a' gives none"},
        {"input()\n y = conv(3, kernel=50)\ndense(10)\nsoftmax_loss()", "my.model:2:6: "},
        {"input()\nreshape()\ndense(10)\nsoftmax_loss()", "my.model:2:1: reshape needs 'shape'"},
        {"input()\nreshape(1x2x3x4x5)\ndense(10)\nsoftmax_loss()", "my.model:2:1: reshape gives at most 4 dimensions beside the batch"},
        {"input()\nreshape(5x5)\ndense(10)\nsoftmax_loss()", "my.model:2:1: "},
        {"input()\nr = random(1)\nmultiply(input, r)\ndense(10)\nsoftmax_loss()",
         "my.model:2:5: random 'r': its numbers would always be the same"},
        {"input()\nr = random(1, init=constant(1))\nmultiply(input, r)\ndense(10)\nsoftmax_loss()",
         "my.model:2:5: random 'r': its numbers"},
        {"input()\nmultiply()\ndense(10)\nsoftmax_loss()", "my.model:2:1: "},
        {"input()\nembedding(8, fields=2)\ndense(10)\nsoftmax_loss()", "my.model:2:1: embedding needs sparse examples"},
        {"sparse()\ndense(classes)\nsoftmax_loss()", "my.model:1:1: the model is for sparse examples"},
        {"input()\ndense(16777216)\ndense(16777216)\ndense(classes)\nsoftmax_loss()",
         "my.model:2:1: with 'dense1.weight' the model has more than 4294967296 parameters"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tri_model *model = parse(refusals[i].text);
        tri_graph *graph = NULL;
        tri_status status = tri_model_build(model, &mnist, 4, &graph);
        assert_non_null(status);
        const char *said = tri_status_message(status), *expected = refusals[i].message;
        if (strncmp(said, expected, strlen(expected)) != 0)
            fail_msg("for '%s'\n  expected: %s\n  said:     %s", refusals[i].text, expected, said);
        assert_int_equal(tri_status_code(status), TRI_BAD_DATA);
        tri_status_free(status);
        tri_model_destroy(model);
    }
}

/* A table counts with all its features, whether it grows or not. */
static void a_table_of_too_many_parameters_is_refused_with_advice(void **state)
{
    (void)state;
    tri_model *model = parse("sparse()\npairwise(8, init=normal(0.01))\nlogistic_loss()");
    tri_graph *graph = NULL;
    assert_fails(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = {1, {600000000}}, .classes = 2}, 4, &graph),
                 TRI_BAD_DATA,
                 "my.model:2:1: with 'pairwise1.weight', 600000000 features of 8 numbers each, the model has more than 4294967296 "
                 "parameters, also if its tables grow: give fewer --features");
    tri_model_destroy(model);
}

static void a_model_must_say_what_the_data_does_not(void **state)
{
    (void)state;
    tri_model *model = parse("input()\ndense(classes)\nsoftmax_loss()");
    tri_graph *graph = NULL;
    assert_fails(tri_model_build(model, &(tri_model_input){.type = TRI_U8, .shape = {0}, .classes = 10}, 4, &graph), TRI_BAD_DATA,
                 "my.model:1:1: the data does not say what shape it has; write it, as in input(28x28x1)");
    assert_fails(tri_model_build(model, &(tri_model_input){.type = TRI_U8, .shape = {1, {5}}, .classes = 0}, 4, &graph), TRI_BAD_DATA,
                 "my.model:2:1: the data does not say how many classes it has; write a number, as in dense(10)");
    assert_fails(tri_model_build(model, &(tri_model_input){.type = TRI_U8, .shape = {4, {5, 5, 5, 5}}, .classes = 10}, 4, &graph),
                 TRI_BAD_DATA, "my.model:1:1: an example is 5x5x5x5, expected height x width x channels, or a number of features");
    tri_model_destroy(model);
}

static void too_large_model_files_are_refused(void **state)
{
    (void)state;
    size_t size = TRI_MODEL_BYTES + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '\n', size);
    tri_model *model = NULL;
    assert_fails(tri_model_parse("my.model", text, size, &model), TRI_BAD_DATA, "my.model: 262145 bytes are too many for a model");
    memcpy(text, "input\n", 6);
    for (size_t at = 6; at + 5 < size; at += 5)
        memcpy(text + at, "relu\n", 5);
    assert_fails(tri_model_parse("my.model", text, size - 1, &model), TRI_BAD_DATA, "my.model:4097:1: a model has at most 4096 lines");
    free(text);
}

/* Canonical text and digest */

static void the_canonical_text_of_a_model_says_everything(void **state)
{
    (void)state;
    tri_model *model =
        parse("train(batch=64, rate=1/10)\n  input( scale = 1/255 )#\n\nconv(6, 3,init=normal(.01) ,pad=1x2)\nskip=relu\nadd(conv1)\n"
              "dense(classes)\r\nsoftmax_loss");
    assert_string_equal(tri_model_canonical(model), "input = input(scale=0.00392156886)\n"
                                                    "conv1 = conv(input, out=6, kernel=3x3, pad=1x2, init=normal(0.00999999978))\n"
                                                    "skip = relu(conv1)\n"
                                                    "add1 = add(skip, conv1)\n"
                                                    "dense1 = dense(add1, out=classes)\n"
                                                    "softmax_loss1 = softmax_loss(dense1)\n"
                                                    "train(rate=0.100000001, batch=64)\n");
    tri_model_destroy(model);
}

static void the_canonical_text_of_a_model_reads_as_the_same_model(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "input(28x28x1)\nsum(axis=all)\nlrn(5, alpha=1e-4)\nmultiply(scale=-1/3)\nc=constant(5x5, "
        "value=1)\nmatmul(c,transpose_b=yes)\nsoftmax_loss\n",
        "input\nrandom(5, init=he)\nadd(random1)\ndense(1, bias=no, init=uniform(1e-30))\nlogistic_loss\ntrain(rule=ftrl)",
    };
    for (int i = 0;; i++) {
        tri_model *model = NULL;
        if (i < 2)
            model = parse(texts[i]);
        else if (tri_model_builtin(i - 2))
            assert_ok(tri_model_open(tri_model_builtin(i - 2), &model));
        else
            break;
        tri_model *again = parse(tri_model_canonical(model));
        assert_string_equal(tri_model_canonical(again), tri_model_canonical(model));
        tri_model_destroy(again);
        tri_model_destroy(model);
    }
}

static void digest_of(const char *text, const tri_model_input *input, int64_t batch, char digest[65])
{
    tri_model *model = parse(text);
    tri_graph *graph = build(model, input, batch);
    assert_ok(tri_model_digest(model, graph, digest));
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

static void the_digest_of_a_model_changes_with_what_it_computes(void **state)
{
    (void)state;
    const tri_model_input other = {.type = TRI_U8, .shape = {3, {28, 28, 1}}, .classes = 11};
    char first[65], second[65];
    digest_of("input()\nrelu()\ndense(classes)\nsoftmax_loss()", &mnist, 4, first);
    assert_int_equal(strlen(first), 64);
    digest_of("train(rate=1) # fast\n\ninput\n relu1 = relu( input )\ndense(relu1, out=classes)\nsoftmax_loss", &mnist, 9, second);
    assert_string_equal(first, second);
    digest_of("input()\nrelu()\ndense(classes)\nsoftmax_loss()", &other, 4, second);
    assert_string_not_equal(first, second);
    digest_of("input()\ntanh()\ndense(classes)\nsoftmax_loss()", &mnist, 4, second);
    assert_string_not_equal(first, second);
    digest_of("input(scale=2)\nrelu()\ndense(classes)\nsoftmax_loss()", &mnist, 4, second);
    assert_string_not_equal(first, second);
}

/* As tables show shapes: height x width x channels. */
static void axes_of_pictures_are_counted_as_they_are_shown(void **state)
{
    (void)state;
    static const int64_t left[][2] = {{3, 5}, {3, 4}, {4, 5}}; /* channels and width, channels and height, height and width */
    for (int axis = 1; axis <= 3; axis++) {
        char text[128];
        tri_model *model;
        tri_graph *graph;
        snprintf(text, sizeof text, "input()\nm = mean(axis=%d)\ndense(classes)\nsoftmax_loss()", axis);
        assert_ok(tri_model_parse("my", text, strlen(text), &model));
        assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_U8, .shape = TRI_SHAPE(4, 5, 3), .classes = 2}, 2, &graph));
        for (int i = 0; i < tri_graph_count(graph); i++)
            if (strcmp(tri_node_name(tri_graph_node(graph, i)), "m") == 0) {
                const tri_shape shape = tri_node_shape(tri_graph_node(graph, i));
                assert_true(tri_shape_equal(shape, TRI_SHAPE(2, left[axis - 1][0], left[axis - 1][1])));
            }
        tri_graph_destroy(graph);
        tri_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_of_pictures_are_counted_as_they_are_shown),
        cmocka_unit_test(the_softmax_model_has_its_parameters_and_defaults),
        cmocka_unit_test(lenet_has_its_parameters_and_shapes),
        cmocka_unit_test(alexnet_has_its_parameters_and_shapes),
        cmocka_unit_test(built_in_models_are_listed),
        cmocka_unit_test(the_input_shape_of_a_model_is_known),
        cmocka_unit_test(a_model_file_of_the_user_is_read_by_its_path),
        cmocka_unit_test(branches_of_a_model_can_join),
        cmocka_unit_test(settings_reach_the_layers_of_a_model),
        cmocka_unit_test(the_input_scale_of_a_model_is_for_bytes_only),
        cmocka_unit_test(a_model_may_declare_its_own_parameters),
        cmocka_unit_test(the_train_line_of_a_model_gives_defaults),
        cmocka_unit_test(every_key_of_the_operator_table_is_a_setting_of_model_files),
        cmocka_unit_test(every_operator_of_model_files_is_in_the_reference),
        cmocka_unit_test(errors_in_model_files_name_line_and_column),
        cmocka_unit_test(shape_errors_of_model_files_name_line_and_column),
        cmocka_unit_test(a_table_of_too_many_parameters_is_refused_with_advice),
        cmocka_unit_test(a_model_must_say_what_the_data_does_not),
        cmocka_unit_test(too_large_model_files_are_refused),
        cmocka_unit_test(the_canonical_text_of_a_model_says_everything),
        cmocka_unit_test(the_canonical_text_of_a_model_reads_as_the_same_model),
        cmocka_unit_test(the_digest_of_a_model_changes_with_what_it_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
