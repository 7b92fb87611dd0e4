/* model_fuzz.c: any bytes are a model or an error; a model that can be built has a digest, a description and a canonical text that
 * reads as the same model. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/model/model.h"
#include "graph/placed/cut.h"
#include "graph/placed/exchange.h"
#include "graph/placed/order.h"
#include "graph/placed/placement.h"

enum { TASKS = 3 };

static void use_graph(const tri_model *model, tri_graph *graph)
{
    char digest[65], *text = NULL;
    tri_status_free(tri_model_digest(model, graph, digest));
    tri_status_free(tri_model_describe(model, graph, &text));
    free(text);
    tri_graph_destroy(graph);
}

static void read_again(const tri_model *model)
{
    const char *canonical = tri_model_canonical(model);
    if (strlen(canonical) > TRI_MODEL_BYTES) /* what was left out made it too long to be read */
        return;
    tri_model *again = NULL;
    tri_status status = tri_model_parse("canonical.model", canonical, strlen(canonical), &again);
    if (status || strcmp(tri_model_canonical(again), canonical) != 0)
        abort();
    tri_model_destroy(again);
}

/* A graph file is read by the same reader. Whatever places it names, the parts of three tasks can be cut out. */
static void read_as_graph(const uint8_t *data, size_t size)
{
    for (int task = 0; task < TASKS; task++) {
        const tri_exchange exchange = {.task = task, .tasks = TASKS, .window = 1 << 20};
        tri_graph *graph = NULL;
        tri_status status = tri_graph_parse("fuzz.graph", (const char *)data, size, &graph);
        if (!status)
            status = tri__graph_assign_tasks(graph, TASKS);
        if (!status)
            status = tri__graph_order(graph, TASKS);
        if (!status)
            status = tri__graph_cut(graph, &exchange, false);
        tri_status_free(status);
        tri_graph_destroy(graph);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as_graph(data, size);
    tri_model *model = NULL;
    tri_status status = tri_model_parse("fuzz.model", (const char *)data, size, &model);
    if (status) {
        tri_status_free(status);
        return 0;
    }
    read_again(model);
    tri_graph *graph = NULL;
    const tri_model_input input = {.type = TRI_U8, .shape = {3, {8, 8, 3}}, .classes = 2};
    status = tri_model_build(model, &input, 2, &graph);
    if (status)
        tri_status_free(status);
    else
        use_graph(model, graph);
    tri_model_destroy(model);
    return 0;
}
