/* batch_fuzz.c: sparse batches whose offsets, keys, values and labels are anything. A plan trains on them or refuses them, and never reads
 * or writes outside of them. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trireme/model.h"
#include "trireme/plan.h"
#include "trireme/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 4, FEATURES = 50, MOST = 64 };

static const char text[] = "train(rate=0.1, rule=sgd)\nexamples = sparse()\nlinear = dense(examples, 1)\npairs = pairwise(examples, 3)\n"
                           "embedding(examples, 2, fields=5)\ndeep = dense(1)\nadd(linear, pairs)\nadd(deep)\nlogistic_loss()\n";

static void require(tri_status status)
{
    if (status)
        abort();
}

static void step(const tri_batch *batch, bool lend)
{
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    require(tri_model_parse("fuzz", text, strlen(text), &model));
    require(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = TRI_SHAPE(FEATURES), .classes = 2}, ROWS, &graph));
    require(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){0}, &store));
    require(tri_graph_add_tables(graph, store));
    if (lend)
        tri_store_lend_tables(store);
    require(tri_plan_create(graph, &(tri_plan_options){.batch = ROWS, .training = true, .threads = 1}, store, &plan));
    double loss;
    tri_status status = tri_store_begin(store, &(tri_step){.rate = 0.1F});
    if (!status)
        status = tri_plan_train(plan, batch, &loss);
    tri_status_free(status);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
}

/* One number of the input, which ends in zeros. */
static int64_t take(const uint8_t **data, size_t *size, size_t bytes)
{
    int64_t number = 0;
    const size_t there = *size < bytes ? *size : bytes;
    memcpy(&number, *data, there);
    *data += there;
    *size -= there;
    return bytes == 1 ? (int8_t)number : bytes == 4 ? (int32_t)number : number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t offsets[ROWS + 1], ids[ROWS] = {0, 1, 2, 3};
    int32_t labels[ROWS];
    float weights[ROWS];
    for (int i = 0; i <= ROWS; i++)
        offsets[i] = take(&data, &size, 1);
    if (offsets[ROWS] > MOST || offsets[ROWS] < 0)
        offsets[ROWS] &= MOST - 1; /* how long the lists are is known to whoever made the batch */
    const size_t count = (size_t)offsets[ROWS];
    int32_t *keys = malloc(count * sizeof *keys + 1); /* of this very size, so that one more is noticed */
    float *values = malloc(count * sizeof *values + 1);
    for (size_t i = 0; i < count; i++)
        keys[i] = (int32_t)take(&data, &size, (i & 7) == 7 ? 4 : 1);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)take(&data, &size, 1);
    for (int i = 0; i < ROWS; i++) {
        labels[i] = (int32_t)(take(&data, &size, 1) & 1);
        weights[i] = (float)(take(&data, &size, 1) & 1);
    }
    const tri_batch batch = {.rows = ROWS,
                             .count = ROWS,
                             .type = TRI_F32,
                             .offsets = offsets,
                             .keys = keys,
                             .values = values,
                             .labels = labels,
                             .weights = weights,
                             .ids = ids};
    step(&batch, false);
    step(&batch, true);
    free(keys);
    free(values);
    return 0;
}
