/* graph_test.c: making graphs: names, inputs, places, outputs, copies for another batch. */
#include "trireme/graph.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static tri_node *input(tri_graph *graph, const char *name, tri_shape shape)
{
    tri_node *node;
    assert_ok(tri_graph_input(graph, name, TRI_F32, shape, &node));
    return node;
}

static void nodes_know_their_shapes(void **state)
{
    (void)state;
    tri_graph *graph;
    assert_ok(tri_graph_create(5, &graph));
    tri_node *x = input(graph, "x", TRI_SHAPE(3, 4)), *flat, *w, *y;
    assert_ok(tri_graph_add(graph, "flatten", NULL, &x, 1, NULL, &flat));
    assert_ok(tri_graph_parameter(graph, "w", TRI_SHAPE(7, 12), TRI_INIT_ZERO, 0, &w));
    const tri_attributes dense = {.transpose_b = true};
    assert_ok(tri_graph_add(graph, "matmul", "y", (tri_node *[]){flat, w}, 2, &dense, &y));
    assert_true(tri_shape_equal(tri_node_shape(y), TRI_SHAPE(5, 7)));
    assert_string_equal(tri_node_operator(y), "matmul");
    assert_ptr_equal(tri_node_input(y, 1), w);
    assert_int_equal(tri_node_range(w).count, 84);
    assert_int_equal(tri_graph_parameter_floats(graph) % 16, 0);

    tri_graph *copy;
    assert_ok(tri_graph_output(graph, "logits", y));
    assert_ok(tri_node_place(graph, y, "/job:worker/task:2"));
    assert_ok(tri_graph_copy(graph, 9, &copy));
    tri_graph_destroy(graph);
    tri_node *twin = tri_graph_find_output(copy, "logits");
    assert_true(tri_shape_equal(tri_node_shape(twin), TRI_SHAPE(9, 7)));
    assert_string_equal(tri_node_place_of(twin), "/job:worker/task:2");
    assert_null(tri_graph_find_output(copy, "nothing"));
    tri_graph_destroy(copy);
}

static void wrong_calls_of_a_graph_are_refused(void **state)
{
    (void)state;
    tri_graph *graph;
    assert_fails(tri_graph_create(-1, &graph), TRI_BAD_CALL, "batch");
    assert_ok(tri_graph_create(2, &graph));
    tri_node *x = input(graph, "x", TRI_SHAPE(3)), *node;
    assert_fails(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(3), &node), TRI_BAD_CALL, "names are used once");
    assert_fails(tri_graph_add(graph, "no-such", NULL, &x, 1, NULL, &node), TRI_BAD_CALL, "no operator 'no-such'");
    assert_fails(tri_graph_add(graph, "parameter", NULL, NULL, 0, NULL, &node), TRI_BAD_CALL, "tri_graph_parameter");
    assert_fails(tri_graph_add(graph, "lrn_grad", NULL, (tri_node *[]){x, x}, 2, NULL, &node), TRI_BAD_CALL, "differentiation only");
    assert_fails(tri_graph_add(graph, "relu", NULL, NULL, 0, NULL, &node), TRI_BAD_CALL, "takes 1 input");
    assert_fails(tri_graph_add(graph, "matmul", NULL, &x, 1, NULL, &node), TRI_BAD_CALL, "takes 2 to 3 inputs");
    assert_fails(tri_graph_parameter(graph, "huge", TRI_SHAPE(INT64_MAX / 2, 4), TRI_INIT_ZERO, 0, &node), TRI_BAD_CALL, NULL);
    assert_ok(tri_graph_output(graph, "x", x));
    assert_fails(tri_graph_output(graph, "x", x), TRI_BAD_CALL, "already has an output");
    tri_graph_destroy(graph);
    tri_graph_destroy(NULL);
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if (at > text && !isalnum((unsigned char)at[-1]) && at[-1] != '_' && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    return false;
}

/* Whoever makes a graph in C finds the names in the header or, of those that model files have, in their reference. */
static void header_and_reference_name_every_operator(void **state)
{
    (void)state;
    char *header = test_read(TEST_SOURCE "/include/trireme/graph.h", NULL);
    char *reference = test_read(TEST_SOURCE "/docs/models.md", NULL);
    const char *name;
    int count = 0;
    for (; (name = tri_operator_name(count)); count++) {
        if (!has_word(header, name) && !has_word(reference, name))
            fail_msg("neither include/trireme/graph.h nor docs/models.md names the operator %s", name);
        assert_null(strstr(name, "_grad"));
    }
    assert_true(count > 30);
    free(header);
    free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_reference_name_every_operator),
        cmocka_unit_test(nodes_know_their_shapes),
        cmocka_unit_test(wrong_calls_of_a_graph_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
