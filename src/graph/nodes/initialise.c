/* initialise.c: initial values. Random numbers are counter-based, so blocks are filled in parallel and the result is the same. */
#include "graph/nodes/initialise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/graph.h"
#include "graph/store/key_map.h"
#include "graph/store/store.h"
#include "trireme/model.h"

#define BLOCK 65536 /* elements that one thread fills at a time */

/* How many values each output sums, and into how many each input goes. Weights are [out][in] or [out][in][h][w]. */
static void fans(tri_shape shape, double *in, double *out)
{
    double window = 1;
    for (int i = 2; i < shape.rank; i++)
        window *= (double)shape.dim[i];
    *out = shape.rank > 0 ? (double)shape.dim[0] * window : 1;
    *in = shape.rank > 1 ? (double)shape.dim[1] * window : *out;
}

/* Values are uniform in ± bound; both rules keep the variance of activations about the same from layer to layer. */
static float bound_of(tri_init init, float value, tri_shape shape)
{
    double in, out;
    fans(shape, &in, &out);
    switch (init) {
    case TRI_INIT_HE: /* for layers before a ReLU */
        return (float)sqrt(6 / in);
    case TRI_INIT_XAVIER: /* for other layers */
        return (float)sqrt(6 / (in + out));
    default:
        return value;
    }
}

static void fill_block(tri_init init, float size, tri__key key, int64_t first, int64_t count, float *out)
{
    if (init == TRI_INIT_ZERO || init == TRI_INIT_CONSTANT) {
        for (int64_t i = 0; i < count; i++)
            out[i] = init == TRI_INIT_ZERO ? 0 : size;
    } else if (init == TRI_INIT_NORMAL) {
        tri__random_fill_normal(key, (uint64_t)first, count, out);
        for (int64_t i = 0; i < count; i++)
            out[i] *= size;
    } else {
        tri__random_fill_uniform(key, (uint64_t)first, count, out);
        for (int64_t i = 0; i < count; i++)
            out[i] = (2 * out[i] - 1) * size;
    }
}

void tri__initialise_part(tri_init init, float value, tri__key key, int64_t first, int64_t count, float *out)
{
    fill_block(init, value, key, first, count, out);
}

void tri__initialise(tri_init init, float value, tri_shape shape, tri__key key, float *out)
{
    const int64_t count = tri_shape_count(shape);
    const float size = bound_of(init, value, shape);
#pragma omp parallel for schedule(static) if (count > BLOCK)
    for (int64_t first = 0; first < count; first += BLOCK)
        fill_block(init, size, key, first, count - first < BLOCK ? count - first : BLOCK, out + first);
}

/* The initial values of a parameter in the flat buffer; other nodes have none. */
static void initialise_parameter(const tri_node *node, uint64_t seed, float *parameters)
{
    if (strcmp(tri_node_operator(node), "parameter") != 0)
        return;
    const tri_attributes *attributes = tri_node_attributes(node);
    const tri__key key = tri__key_split_name(tri__key_of(seed), tri_node_name(node));
    tri__initialise(attributes->init, attributes->value, tri_node_shape(node), key, parameters + tri_node_range(node).first);
}

void tri_graph_initialise(const tri_graph *graph, uint64_t seed, float *parameters)
{
    for (int i = 0; i < tri_graph_count(graph); i++)
        initialise_parameter(tri_graph_node(graph, i), seed, parameters);
}

void tri__graph_initialise_task(const tri_graph *graph, int task, uint64_t seed, float *parameters)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->node[i]->task == task)
            initialise_parameter(graph->node[i], seed, parameters);
}

tri_status tri_graph_add_tables(const tri_graph *graph, tri_store *store)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const tri_shape shape = tri_node_shape(node);
        if (tri_node_table(node) >= 0)
            TRI_TRY(tri_wrap(tri_store_add_table(store, shape.dim[0], shape.dim[1]), "%s", tri_node_name(node)));
    }
    return NULL;
}

int64_t tri__graph_row_bytes(const tri_graph *graph, const tri_rule *rule)
{
    int64_t bytes = 0;
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0)
            bytes += tri__table_stride(tri_node_shape(node).dim[1] * (tri_rule_slots(rule) + 1)) * (int64_t)sizeof(float);
    }
    return bytes;
}

/* How many keys there can be; 0: there are no tables. */
static int64_t features_of(const tri_graph *graph)
{
    int64_t features = 0;
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (tri_node_table(tri_graph_node(graph, i)) >= 0)
            features = tri_node_shape(tri_graph_node(graph, i)).dim[0];
    return features;
}

/* Each table has one row more than the map can give: the row of zeros for keys that have none. */
static tri_status add_mapped_tables(const tri_graph *graph, tri_store *store)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0)
            TRI_TRY(tri_wrap(tri_store_add_table(store, store->map->capacity + 1, tri_node_shape(node).dim[1]), "%s", tri_node_name(node)));
    }
    return NULL;
}

tri_status tri__graph_add_growing_tables(const tri_graph *graph, int64_t most, int64_t min_count, int64_t bytes, tri_store *store)
{
    const int64_t features = features_of(graph), each = tri__graph_row_bytes(graph, &store->rule);
    if (!features)
        return NULL;
    TRI_TRY(tri__key_map_create(features, most, each, bytes, min_count, &store->map));
    return add_mapped_tables(graph, store);
}

tri_status tri__graph_add_shared_tables(const tri_graph *graph, const tri_store *first, tri_store *store)
{
    store->map = first->map;
    return store->map ? add_mapped_tables(graph, store) : tri_graph_add_tables(graph, store);
}

tri_status tri_graph_add_growing_tables(const tri_graph *graph, int64_t min_count, int64_t bytes, tri_store *store)
{
    return tri__graph_add_growing_tables(graph, INT64_MAX, min_count, bytes, store);
}

/* Elements first … first + count − 1 of the weights, as they are numbered row by row. */
static void put_elements(const tri_table *table, int64_t first, int64_t count, const float *from)
{
    for (int64_t i = 0; i < count; i++)
        table->data[(first + i) / table->width * table->stride + (first + i) % table->width] = from[i];
}

/* A table of zeros needs no work: it is zero already, and memory that is not touched is not used. */
static tri_status fill_table(const tri_node *node, uint64_t seed, const tri_table *table)
{
    const tri_attributes *attributes = tri_node_attributes(node);
    const tri__key key = tri__key_split_name(tri__key_of(seed), tri_node_name(node));
    const int64_t count = table->rows * table->width;
    if (attributes->init == TRI_INIT_ZERO)
        return NULL;
    float *block;
    TRI_TRY(tri__allocate(BLOCK, sizeof *block, "initial values", &block));
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t some = count - first < BLOCK ? count - first : BLOCK;
        fill_block(attributes->init, attributes->value, key, first, some, block);
        put_elements(table, first, some, block);
    }
    free(block);
    return NULL;
}

tri__initial_row tri__graph_initial_row(const tri_node *table, uint64_t seed)
{
    const tri_attributes *attributes = tri_node_attributes(table);
    return (tri__initial_row){attributes->init, attributes->value, tri__key_split_name(tri__key_of(seed), tri_node_name(table))};
}

tri_status tri_graph_initialise_tables(const tri_graph *graph, uint64_t seed, tri_store *store)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const int table = tri_node_table(node);
        if (table >= 0 && store->map) /* a row gets its values when a key gets the row */
            store->map->initial[table] = tri__graph_initial_row(node, seed);
        else if (table >= 0)
            TRI_TRY(fill_table(node, seed, tri_store_table(store, table)));
    }
    return NULL;
}
