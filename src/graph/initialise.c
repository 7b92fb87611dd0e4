/* initialise.c: initial values. Random numbers are counter-based, so blocks are filled in parallel and the result is the same. */
#include "graph/initialise.h"

#include <math.h>
#include <string.h>

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
    case TRI_INIT_HE: /* for layers with ReLU behind them */
        return (float)sqrt(6 / in);
    case TRI_INIT_XAVIER: /* for the others */
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

void tri__initialise(tri_init init, float value, tri_shape shape, tri__key key, float *out)
{
    const int64_t count = tri_shape_count(shape);
    const float size = bound_of(init, value, shape);
#pragma omp parallel for schedule(static) if (count > BLOCK)
    for (int64_t first = 0; first < count; first += BLOCK)
        fill_block(init, size, key, first, count - first < BLOCK ? count - first : BLOCK, out + first);
}

void tri_graph_initialise(const tri_graph *graph, uint64_t seed, float *parameters)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (strcmp(tri_node_operator(node), "parameter") != 0)
            continue;
        const tri_attributes *attributes = tri_node_attributes(node);
        const tri__key key = tri__key_split_name(tri__key_of(seed), tri_node_name(node));
        tri__initialise(attributes->init, attributes->value, tri_node_shape(node), key, parameters + tri_node_range(node).first);
    }
}
