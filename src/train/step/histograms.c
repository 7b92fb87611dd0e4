/* histograms.c: two histograms for each parameter, one where it has no gradient. A range that is offered may hold several parameters, or a
 * part of one. */
#include "train/step/histograms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/store/store.h"

enum { TAG = 256 };

typedef struct {
    tri_range range;
    char name[TAG]; /* "conv1.weight" */
    tri__histogram weights, gradients;
    bool learns; /* it has a gradient: it is neither a running mean nor frozen */
} parameter;

struct tri__histograms {
    int64_t every;
    bool looking; /* histograms are taken of the present step */
    int count;
    parameter *parameter; /* [count] */
};

/* Add the part of a parameter that is in the offered range. */
static void look(parameter *p, tri_range range, const float *weights, const float *gradient, double weight)
{
    const size_t begin = range.first > p->range.first ? range.first : p->range.first;
    const size_t end_offered = range.first + range.count, end_own = p->range.first + p->range.count;
    const size_t end = end_offered < end_own ? end_offered : end_own;
    if (begin >= end)
        return;
    tri__histogram_add(&p->weights, weights + (begin - range.first), end - begin, 1);
    if (weight > 0 && p->learns)
        tri__histogram_add(&p->gradients, gradient + (begin - range.first), end - begin, (float)(1 / weight));
}

static void offered(void *context, tri_range range, const float *weights, const float *gradient, double weight)
{
    tri__histograms *histograms = context;
    for (int i = 0; histograms->looking && i < histograms->count; i++)
        look(&histograms->parameter[i], range, weights, gradient, weight);
}

tri_status tri__histograms_create(const tri_graph *graph, int64_t every, tri_store *store, tri__histograms **out)
{
    tri__histograms *histograms;
    TRI_TRY(tri__allocate(1, sizeof *histograms, "histograms", &histograms));
    histograms->every = every;
    *out = histograms;
    TRI_TRY(tri__allocate((size_t)tri_graph_count(graph), sizeof *histograms->parameter, "histograms", &histograms->parameter));
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_range(node).count == 0)
            continue;
        parameter *p = &histograms->parameter[histograms->count++];
        p->range = tri_node_range(node);
        p->learns = !tri_node_is_state(node) && !tri_node_is_frozen(node);
        snprintf(p->name, sizeof p->name, "%s", tri_node_name(node));
    }
    if (histograms->count == 0)
        return tri_fail(TRI_BAD_CALL, "--histograms: all parameters of this model are rows of tables, of which there are no histograms");
    store->observer = (tri__store_observer){.offered = offered, .context = histograms};
    return NULL;
}

void tri__histograms_destroy(tri__histograms *histograms)
{
    if (!histograms)
        return;
    free(histograms->parameter);
    free(histograms);
}

void tri__histograms_begin(tri__histograms *histograms, int64_t made)
{
    histograms->looking = made % histograms->every == 0;
    for (int i = 0; histograms->looking && i < histograms->count; i++)
        histograms->parameter[i].weights = histograms->parameter[i].gradients = (tri__histogram){0};
}

void tri__histograms_tell(tri__histograms *histograms, tri__events *events, int64_t step)
{
    char tag[TAG + 16];
    for (int i = 0; histograms->looking && i < histograms->count; i++) {
        const parameter *p = &histograms->parameter[i];
        snprintf(tag, sizeof tag, "weights/%s", p->name);
        tri__events_histogram(events, tag, step, &p->weights);
        if (!p->learns)
            continue;
        snprintf(tag, sizeof tag, "gradients/%s", p->name);
        tri__events_histogram(events, tag, step, &p->gradients);
    }
    histograms->looking = false;
}
