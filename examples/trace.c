/* trace.c: a graph built by C calls, without data or parameters: the trace of a product of two random matrices.
 *
 * The plan shows what it will really do: the product is never made, because trace(A·B) is the sum of A∘Bᵀ. */
#include <stdio.h>
#include <stdlib.h>
#include <trireme/trireme.h>

static tri_status random_matrix(tri_graph *graph, const char *name, tri_node **out)
{
    const tri_attributes attributes = {.shape = {.rank = 2, .dim = {1000, 1000}}, .init = TRI_INIT_NORMAL, .value = 1};
    return tri_graph_add(graph, "random", name, NULL, 0, &attributes, out);
}

static tri_status build(tri_graph *graph)
{
    tri_node *a, *b, *product, *trace;
    TRI_TRY(random_matrix(graph, "a", &a));
    TRI_TRY(random_matrix(graph, "b", &b));
    TRI_TRY(tri_graph_add(graph, "matmul", "product", (tri_node *[]){a, b}, 2, NULL, &product));
    TRI_TRY(tri_graph_add(graph, "trace", "trace", &product, 1, NULL, &trace));
    return tri_graph_output(graph, "trace", trace);
}

static tri_status run(tri_plan *plan)
{
    for (int call = 0; call < tri_plan_calls(plan); call++)
        printf("%s\n", tri_plan_call_text(plan, call));
    tri_tensor value;
    TRI_TRY(tri_plan_run(plan, NULL));
    TRI_TRY(tri_plan_value(plan, "trace", &value));
    printf("trace(A B) = %g\n", (double)*(const float *)value.data);
    return NULL;
}

static tri_status work(tri_graph **graph, tri_store **store, tri_plan **plan)
{
    TRI_TRY(tri_graph_create(1, graph));
    TRI_TRY(build(*graph));
    TRI_TRY(tri_store_local_create(0, &(tri_rule){.name = "sgd"}, store));
    TRI_TRY(tri_plan_create(*graph, &(tri_plan_options){.batch = 1, .seed = 1}, *store, plan));
    return run(*plan);
}

int main(void)
{
    tri_graph *graph = NULL;
    tri_store *store = NULL;
    tri_plan *plan = NULL;
    tri_status status = work(&graph, &store, &plan);
    if (status)
        fprintf(stderr, "trace: %s\n", tri_status_message(status));
    int result = status ? EXIT_FAILURE : EXIT_SUCCESS;
    tri_status_free(status);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    return result;
}
