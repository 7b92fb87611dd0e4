/* import_test.c: what is not known of an ONNX model is told with its node and operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/wire.h"
#include "graph/onnx/import.h"
#include "graph/onnx/message.h"
#include "support.h"

/* NAME=TEXT, or NAME=NUMBER */
static void put_attribute(tri__wire_buffer *node, const char *attribute)
{
    tri__wire_buffer out = {0};
    char name[32];
    const char *value = strchr(attribute, '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - attribute - 1), attribute);
    tri__wire_put_string(&out, ONNX_ATTRIBUTE_NAME, name);
    if (strspn(value, "0123456789"))
        tri__wire_put_varint(&out, ONNX_ATTRIBUTE_I, strtoull(value, NULL, 10));
    else
        tri__wire_put_string(&out, ONNX_ATTRIBUTE_S, value);
    tri__wire_put_message(node, ONNX_NODE_ATTRIBUTE, &out);
    tri__wire_fini(&out);
}

/* second, attribute: NULL where there is none */
static void put_node_of(tri__wire_buffer *graph, const char *op, const char *first, const char *second, const char *attribute,
                        const char *output)
{
    tri__wire_buffer node = {0};
    tri__wire_put_string(&node, ONNX_NODE_INPUT, first);
    if (second)
        tri__wire_put_string(&node, ONNX_NODE_INPUT, second);
    tri__wire_put_string(&node, ONNX_NODE_OUTPUT, output);
    tri__wire_put_string(&node, ONNX_NODE_NAME, output);
    tri__wire_put_string(&node, ONNX_NODE_OPERATOR, op);
    if (attribute)
        put_attribute(&node, attribute);
    tri__wire_put_message(graph, ONNX_GRAPH_NODE, &node);
    tri__wire_fini(&node);
}

static void put_node(tri__wire_buffer *graph, const char *op, const char *input, const char *output)
{
    put_node_of(graph, op, input, NULL, NULL, output);
}

/* Zeros of that shape. */
static void put_tensor(tri__wire_buffer *graph, const char *name, tri_shape shape)
{
    static const float zeros[64];
    tri__wire_buffer tensor = {0};
    for (int i = 0; i < shape.rank; i++)
        tri__wire_put_varint(&tensor, ONNX_TENSOR_DIMS, (uint64_t)shape.dim[i]);
    tri__wire_put_varint(&tensor, ONNX_TENSOR_TYPE, ONNX_ELEMENT_FLOAT);
    tri__wire_put_string(&tensor, ONNX_TENSOR_NAME, name);
    tri__wire_put_bytes(&tensor, ONNX_TENSOR_RAW, zeros, (size_t)tri_shape_count(shape) * sizeof *zeros);
    tri__wire_put_message(graph, ONNX_GRAPH_INITIALIZER, &tensor);
    tri__wire_fini(&tensor);
}

/* x: [N][4] of floats */
static void put_value(tri__wire_buffer *graph, uint32_t field, const char *name, uint64_t width)
{
    tri__wire_buffer batch = {0}, dim = {0}, shape = {0}, tensor = {0}, type = {0}, value = {0};
    tri__wire_put_varint(&dim, ONNX_DIM_VALUE, width);
    tri__wire_put_message(&shape, ONNX_SHAPE_DIM, &batch);
    tri__wire_put_message(&shape, ONNX_SHAPE_DIM, &dim);
    tri__wire_put_varint(&tensor, ONNX_VALUE_ELEMENT, ONNX_ELEMENT_FLOAT);
    tri__wire_put_message(&tensor, ONNX_VALUE_SHAPE, &shape);
    tri__wire_put_message(&type, ONNX_VALUE_TENSOR, &tensor);
    tri__wire_put_string(&value, ONNX_VALUE_NAME, name);
    tri__wire_put_message(&value, ONNX_VALUE_TYPE, &type);
    tri__wire_put_message(graph, field, &value);
    tri__wire_buffer *const all[] = {&batch, &dim, &shape, &tensor, &type, &value};
    for (int i = 0; i < 6; i++)
        tri__wire_fini(all[i]);
}

/* loss: what the caller says; property: what the file says. NULL: nothing. */
static tri_status import_for(const tri__wire_buffer *graph, const char *loss, const char *property, char *text, size_t size)
{
    tri__wire_buffer model = {0}, pair = {0};
    tri__arena *arena;
    tri__imported imported;
    tri__wire_put_message(&model, ONNX_MODEL_GRAPH, graph);
    if (property) {
        tri__wire_put_string(&pair, ONNX_PROPERTY_KEY, TRI_ONNX_LOSS);
        tri__wire_put_string(&pair, ONNX_PROPERTY_VALUE, property);
        tri__wire_put_message(&model, ONNX_MODEL_PROPERTY, &pair);
    }
    assert_ok(tri__arena_create(&arena));
    tri_status status = tri__onnx_import(model.data, model.size, loss, arena, &imported);
    if (!status)
        snprintf(text, size, "%s", imported.text);
    tri__imported_fini(&imported);
    tri__arena_destroy(arena);
    tri__wire_fini(&model);
    tri__wire_fini(&pair);
    return status;
}

static tri_status import(const tri__wire_buffer *graph, char *text, size_t size)
{
    return import_for(graph, NULL, NULL, text, size);
}

static void an_operator_that_is_not_known_is_named(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
    put_node(&graph, "Relu", "features", "hidden");
    put_node(&graph, "Einsum", "hidden", "product");
    put_value(&graph, ONNX_GRAPH_OUTPUT, "product", 4);
    assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "node 'product' (Einsum)");
    tri__wire_fini(&graph);
}

static void lines_follow_the_nodes(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    char text[512];
    put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
    put_node(&graph, "Tanh", "features", "/odd/name");
    put_node(&graph, "Identity", "/odd/name", "same");
    put_node(&graph, "Relu", "same", "logit_values");
    put_node(&graph, "Softmax", "logit_values", "probability");
    put_value(&graph, ONNX_GRAPH_OUTPUT, "probability", 4);
    assert_ok(import(&graph, text, sizeof text));
    assert_non_null(strstr(text, "input(4)\ntanh_1 = tanh(input)\nlogit_values = relu(tanh_1)\nsoftmax_loss(logit_values)\n"));
    tri__wire_fini(&graph);
}

static void damaged_files_are_refused_in_words(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
    assert_fails(import(&graph, NULL, 0), TRI_BAD_DATA, "no nodes");
    put_node(&graph, "Relu", "nowhere", "y");
    put_value(&graph, ONNX_GRAPH_OUTPUT, "y", 4);
    assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "no node before it");
    tri__wire_fini(&graph);
}

static void a_bias_goes_into_its_layer_only_where_nobody_reads_the_layer_without_it(void **state)
{
    (void)state;
    for (int others = 0; others < 2; others++) {
        tri__wire_buffer graph = {0};
        char text[512];
        put_tensor(&graph, "weight", TRI_SHAPE(4, 3));
        put_tensor(&graph, "bias", TRI_SHAPE(3));
        put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
        put_node_of(&graph, "MatMul", "features", "weight", NULL, "product");
        put_node(&graph, "Identity", "product", "same");
        put_node_of(&graph, "Add", "same", "bias", NULL, "sum");
        put_node(&graph, "Relu", others ? "product" : "sum", "positive");
        put_node_of(&graph, "Add", others ? "sum" : "positive", "positive", NULL, "y");
        put_value(&graph, ONNX_GRAPH_OUTPUT, "y", 3);
        if (others)
            assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "node 'sum' (Add): what it adds a tensor to is read by other nodes");
        else
            assert_ok(import(&graph, text, sizeof text));
        tri__wire_fini(&graph);
    }
}

static void a_tensor_is_added_to_channels_only_where_onnx_does_so(void **state)
{
    (void)state;
    const tri_shape shapes[] = {TRI_SHAPE(3, 1, 1), TRI_SHAPE(1, 3, 1, 1), TRI_SHAPE(3), TRI_SHAPE(3, 1)};
    for (int i = 0; i < 4; i++) {
        tri__wire_buffer graph = {0};
        char text[512];
        put_tensor(&graph, "weight", TRI_SHAPE(3, 4, 1, 1));
        put_tensor(&graph, "bias", shapes[i]);
        put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
        put_node_of(&graph, "Conv", "features", "weight", NULL, "product");
        put_node_of(&graph, "Add", "bias", "product", NULL, "y");
        put_value(&graph, ONNX_GRAPH_OUTPUT, "y", 3);
        if (i < 2)
            assert_ok(import(&graph, text, sizeof text));
        else
            assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "[C][1][1] behind a convolution");
        tri__wire_fini(&graph);
    }
}

static void attributes_of_onnx_operators_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *op, *attribute, *refusal; /* refusal NULL: it can be read */
    } cases[] = {
        {"LogSoftmax", NULL, "the model's output only"},
        {"Softmax", "axis=2", "axis must be 1 or -1"},
        {"Softmax", "axis=1", NULL},
        {"Gelu", "approximate=tanh", "approximate must be none"},
        {"Gelu", "approximate=none", NULL},
        {"Cast", "to=7", "to must be float"},
        {"Cast", "to=1", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__wire_buffer graph = {0};
        char text[512];
        put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
        put_node_of(&graph, cases[i].op, "features", NULL, cases[i].attribute, "middle");
        put_node(&graph, "Relu", "middle", "y");
        put_value(&graph, ONNX_GRAPH_OUTPUT, "y", 4);
        if (cases[i].refusal)
            assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, cases[i].refusal);
        else
            assert_ok(import(&graph, text, sizeof text));
        tri__wire_fini(&graph);
    }
}

/* A dense layer, the operator, and a loss that the caller or the file may have said. */
static void a_last_softmax_or_sigmoid_is_a_layer_unless_the_loss_contains_it(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        int64_t width;
        const char *loss, *property, *end;
    } cases[] = {
        {"Sigmoid", 1, "mse_loss", NULL, "y = sigmoid(a)\nmse_loss(y)\n"},
        {"Sigmoid", 3, NULL, "huber_loss(delta=2)", "y = sigmoid(a)\nhuber_loss(y, delta=2)\n"},
        {"Sigmoid", 3, "softmax_loss", NULL, "y = sigmoid(a)\nsoftmax_loss(y)\n"},
        {"Sigmoid", 3, "mse_loss", "sigmoid_loss", "y = sigmoid(a)\nmse_loss(y)\n"},
        {"Sigmoid", 1, NULL, NULL, "bias=no)\nlogistic_loss(a)\n"},
        {"Sigmoid", 1, "logistic_loss", NULL, "bias=no)\nlogistic_loss(a)\n"},
        {"Sigmoid", 1, "sigmoid_loss", NULL, "bias=no)\nsigmoid_loss(a)\n"},
        {"Sigmoid", 3, NULL, NULL, "bias=no)\nsigmoid_loss(a)\n"},
        {"Softmax", 3, "mse_loss", NULL, "y = softmax(a)\nmse_loss(y)\n"},
        {"Softmax", 3, NULL, "mse_loss", "y = softmax(a)\nmse_loss(y)\n"},
        {"Softmax", 3, NULL, NULL, "bias=no)\nsoftmax_loss(a)\n"},
        {"Softmax", 3, NULL, "softmax_loss(smoothing=0.5)", "bias=no)\nsoftmax_loss(a, smoothing=0.5)\n"},
        {"LogSoftmax", 3, "softmax_loss", NULL, "bias=no)\nsoftmax_loss(a)\n"},
        {"LogSoftmax", 3, "mse_loss", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__wire_buffer graph = {0};
        char text[512] = "";
        put_tensor(&graph, "weight", TRI_SHAPE(4, cases[i].width));
        put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
        put_node_of(&graph, "MatMul", "features", "weight", NULL, "a");
        put_node(&graph, cases[i].op, "a", "y");
        put_value(&graph, ONNX_GRAPH_OUTPUT, "y", (uint64_t)cases[i].width);
        tri_status status = import_for(&graph, cases[i].loss, cases[i].property, text, sizeof text);
        if (!cases[i].end)
            assert_fails(status, TRI_UNSUPPORTED, "where the loss is softmax");
        else
            assert_ok(status);
        if (cases[i].end && !strstr(text, cases[i].end))
            fail_msg("case %zu: '%s' is not at the end of:\n%s", i, cases[i].end, text);
        tri__wire_fini(&graph);
    }
}

static void softmax_over_one_output_is_refused(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    char text[512];
    put_tensor(&graph, "weight", TRI_SHAPE(4, 1));
    put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
    put_node_of(&graph, "MatMul", "features", "weight", NULL, "y");
    put_value(&graph, ONNX_GRAPH_OUTPUT, "y", 1);
    assert_fails(import_for(&graph, "softmax_loss", NULL, text, sizeof text), TRI_BAD_CALL, "softmax has one for each class");
    tri__wire_fini(&graph);
}

/* trireme export writes logits first, and probabilities, which no layer is made of. */
static void an_output_beside_the_first_is_no_layer(void **state)
{
    (void)state;
    static const char *const losses[][2] = {{NULL, "\nsigmoid_loss(a)\n"}, {"mse_loss", "\nmse_loss(a)\n"}};
    for (int i = 0; i < 2; i++) {
        tri__wire_buffer graph = {0};
        char text[512];
        put_tensor(&graph, "weight", TRI_SHAPE(4, 3));
        put_value(&graph, ONNX_GRAPH_INPUT, "features", 4);
        put_node_of(&graph, "MatMul", "features", "weight", NULL, "a");
        put_node(&graph, "Sigmoid", "a", "odds");
        put_value(&graph, ONNX_GRAPH_OUTPUT, "a", 3);
        put_value(&graph, ONNX_GRAPH_OUTPUT, "odds", 3);
        assert_ok(import_for(&graph, losses[i][0], NULL, text, sizeof text));
        assert_null(strstr(text, "sigmoid("));
        assert_non_null(strstr(text, losses[i][1]));
        tri__wire_fini(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_that_is_not_known_is_named),
        cmocka_unit_test(lines_follow_the_nodes),
        cmocka_unit_test(a_bias_goes_into_its_layer_only_where_nobody_reads_the_layer_without_it),
        cmocka_unit_test(a_tensor_is_added_to_channels_only_where_onnx_does_so),
        cmocka_unit_test(attributes_of_onnx_operators_are_checked),
        cmocka_unit_test(a_last_softmax_or_sigmoid_is_a_layer_unless_the_loss_contains_it),
        cmocka_unit_test(softmax_over_one_output_is_refused),
        cmocka_unit_test(an_output_beside_the_first_is_no_layer),
        cmocka_unit_test(damaged_files_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
