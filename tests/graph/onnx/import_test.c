/* import_test.c: what is not known of an ONNX model is told with its node and operator. */
#include <stdio.h>
#include <string.h>

#include "base/bytes/wire.h"
#include "graph/onnx/import.h"
#include "graph/onnx/message.h"
#include "support.h"

static void put_node(tri__wire_buffer *graph, const char *op, const char *input, const char *output)
{
    tri__wire_buffer node = {0};
    tri__wire_put_string(&node, NODE_INPUT, input);
    tri__wire_put_string(&node, NODE_OUTPUT, output);
    tri__wire_put_string(&node, NODE_NAME, output);
    tri__wire_put_string(&node, NODE_OPERATOR, op);
    tri__wire_put_message(graph, GRAPH_NODE, &node);
    tri__wire_fini(&node);
}

/* x: [N][4] of floats */
static void put_value(tri__wire_buffer *graph, uint32_t field, const char *name, uint64_t width)
{
    tri__wire_buffer batch = {0}, dim = {0}, shape = {0}, tensor = {0}, type = {0}, value = {0};
    tri__wire_put_varint(&dim, DIM_VALUE, width);
    tri__wire_put_message(&shape, SHAPE_DIM, &batch);
    tri__wire_put_message(&shape, SHAPE_DIM, &dim);
    tri__wire_put_varint(&tensor, VALUE_ELEMENT, ELEMENT_FLOAT);
    tri__wire_put_message(&tensor, VALUE_SHAPE, &shape);
    tri__wire_put_message(&type, VALUE_TENSOR, &tensor);
    tri__wire_put_string(&value, VALUE_NAME, name);
    tri__wire_put_message(&value, VALUE_TYPE, &type);
    tri__wire_put_message(graph, field, &value);
    tri__wire_buffer *const all[] = {&batch, &dim, &shape, &tensor, &type, &value};
    for (int i = 0; i < 6; i++)
        tri__wire_fini(all[i]);
}

static tri_status import(const tri__wire_buffer *graph, char *text, size_t size)
{
    tri__wire_buffer model = {0};
    tri__arena *arena;
    tri__imported imported;
    tri__wire_put_message(&model, MODEL_GRAPH, graph);
    assert_ok(tri__arena_create(&arena));
    tri_status status = tri__onnx_import(model.data, model.size, arena, &imported);
    if (!status)
        snprintf(text, size, "%s", imported.text);
    tri__imported_fini(&imported);
    tri__arena_destroy(arena);
    tri__wire_fini(&model);
    return status;
}

static void an_operator_that_is_not_known_is_named(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    put_value(&graph, GRAPH_INPUT, "features", 4);
    put_node(&graph, "Relu", "features", "hidden");
    put_node(&graph, "Einsum", "hidden", "product");
    put_value(&graph, GRAPH_OUTPUT, "product", 4);
    assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "node 'product' (Einsum)");
    tri__wire_fini(&graph);
}

static void lines_follow_the_nodes(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    char text[512];
    put_value(&graph, GRAPH_INPUT, "features", 4);
    put_node(&graph, "Tanh", "features", "/odd/name");
    put_node(&graph, "Identity", "/odd/name", "same");
    put_node(&graph, "Relu", "same", "logit_values");
    put_node(&graph, "Softmax", "logit_values", "probability");
    put_value(&graph, GRAPH_OUTPUT, "probability", 4);
    assert_ok(import(&graph, text, sizeof text));
    assert_non_null(strstr(text, "input(4)\ntanh_1 = tanh(input)\nlogit_values = relu(tanh_1)\nsoftmax_loss(logit_values)\n"));
    tri__wire_fini(&graph);
}

static void damaged_files_are_refused_in_words(void **state)
{
    (void)state;
    tri__wire_buffer graph = {0};
    put_value(&graph, GRAPH_INPUT, "features", 4);
    assert_fails(import(&graph, NULL, 0), TRI_BAD_DATA, "no nodes");
    put_node(&graph, "Relu", "nowhere", "y");
    put_value(&graph, GRAPH_OUTPUT, "y", 4);
    assert_fails(import(&graph, NULL, 0), TRI_UNSUPPORTED, "no node before it");
    tri__wire_fini(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_that_is_not_known_is_named),
        cmocka_unit_test(lines_follow_the_nodes),
        cmocka_unit_test(damaged_files_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
