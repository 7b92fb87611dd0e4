/* step.c: one training step, written down whole, so that another program can take the same step and compare.
 *
 * usage: step MODEL SOURCE BATCH RATE OUT
 * OUT is a safetensors file: x, labels, weights (the first batch of SOURCE), logits (before the step), loss (Σ weight × loss), and for each
 * parameter P before/P, gradient/P (a sum over the batch) and after/P. Its metadata names the parameters in the model's order.
 * Dropout lines of the model are left out, since no two programs drop the same elements. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "tensor/safetensors.h"
#include "trireme/trireme.h"

enum { SEED = 1, TENSORS = 256 };

typedef struct {
    tri__arena *arena;
    tri__named_tensor tensors[TENSORS];
    size_t count;
    char *parameters; /* their names, a line each */
    double rate;

    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    tri_graph *graph;
    tri_store *store;
} stepper;

static void add(stepper *s, const char *prefix, const char *name, tri_type type, tri_shape shape, const void *data)
{
    size_t bytes = (size_t)tri_shape_count(shape) * tri_type_size(type);
    void *copy = tri__arena_alloc(s->arena, bytes);
    char *full = tri__arena_format(s->arena, "%s%s", prefix, name);
    if (!copy || !full || s->count == TENSORS) {
        fprintf(stderr, "step: no room for tensor %s\n", name);
        exit(1);
    }
    memcpy(copy, data, bytes);
    s->tensors[s->count++] = (tri__named_tensor){full, {type, shape, copy}};
}

/* Every parameter's part of a buffer that is laid out as the flat one. */
static void add_parameters(stepper *s, const char *prefix, const float *flat)
{
    for (int i = 0; i < tri_graph_count(s->graph); i++) {
        const tri_node *node = tri_graph_node(s->graph, i);
        tri_range range = tri_node_range(node);
        if (range.count > 0)
            add(s, prefix, tri_node_name(node), TRI_F32, tri_node_shape(node), flat + range.first);
    }
}

static void name_parameters(stepper *s)
{
    s->parameters = tri__arena_copy(s->arena, "");
    for (int i = 0; i < tri_graph_count(s->graph); i++) {
        const tri_node *node = tri_graph_node(s->graph, i);
        if (tri_node_range(node).count > 0)
            s->parameters = tri__arena_format(s->arena, "%s%s\n", s->parameters, tri_node_name(node));
    }
}

/* The model's text without its dropout lines, in fresh memory. */
static char *without_dropout(const char *text)
{
    char *kept = calloc(strlen(text) + 1, 1);
    for (const char *line = text; kept && *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (memmem(line, length, "dropout(", 8) == NULL)
            strncat(kept, line, length);
        line += length;
    }
    return kept;
}

static tri_status build_graph(stepper *s, const char *name)
{
    const tri_source_info *info = tri_source_describe(s->source);
    tri_model_input input = {.type = info->type, .shape = info->shape, .classes = info->classes};
    tri_model *whole = NULL, *model = NULL;
    TRI_TRY(tri_model_open(name, &whole));
    char *text = without_dropout(tri_model_text(whole));
    tri_status status = text ? tri_model_parse(name, text, strlen(text), &model) : tri_fail(TRI_NO_MEMORY, "no memory for a model's text");
    if (!status)
        status = tri_model_build(model, &input, s->batch->rows, &s->graph);
    free(text);
    tri_model_destroy(model);
    tri_model_destroy(whole);
    return status;
}

/* The seeded initial values, and a little noise on top, so that no bias and no weight is zero. */
static tri_status fill_parameters(stepper *s)
{
    float *parameters = tri_store_parameters(s->store), *noise = NULL;
    size_t floats = tri_store_floats(s->store);
    TRI_TRY(tri__buffer_allocate(floats * sizeof *noise, "noise", &noise));
    tri_graph_initialise(s->graph, SEED, parameters);
    tri__random_fill_uniform(tri__key_split_name(tri__key_of(SEED), "noise"), 0, (int64_t)floats, noise);
    for (size_t i = 0; i < floats; i++)
        parameters[i] += 0.01f * (noise[i] - 0.5f);
    tri__buffer_free(noise);
    return NULL;
}

static tri_status take_step(stepper *s)
{
    tri_plan *plan = NULL;
    tri_tensor logits;
    double loss = 0;
    tri_plan_options options = {.batch = s->batch->rows, .seed = SEED};
    TRI_TRY(tri_plan_create(s->graph, &options, s->store, &plan));
    tri_status status = tri_plan_run(plan, s->batch);
    if (!status)
        status = tri_plan_value(plan, "logits", &logits);
    if (!status)
        add(s, "", "logits", logits.type, logits.shape, logits.data);
    tri_plan_destroy(plan);
    TRI_TRY(status);

    options.training = true;
    TRI_TRY(tri_plan_create(s->graph, &options, s->store, &plan));
    status = tri_store_begin(s->store, &(tri_step){.rate = (float)s->rate});
    if (!status)
        status = tri_plan_train(plan, s->batch, &loss);
    if (!status)
        status = tri_store_flush(s->store);
    tri_plan_destroy(plan);
    add(s, "", "loss", TRI_F32, TRI_SHAPE(1), &(float){(float)loss});
    return status;
}

static tri_status record_step(stepper *s, const char *model, const char *source, int64_t batch, const char *out)
{
    TRI_TRY(tri__arena_create(&s->arena));
    TRI_TRY(tri_source_open(source, TRI_PART_TRAIN, NULL, &s->source));
    TRI_TRY(tri_dataset_create(s->source, &(tri_dataset_options){.batch = batch, .seed = SEED, .epochs = 1}, &s->dataset));
    TRI_TRY(tri_dataset_next(s->dataset, &s->batch));
    TRI_TRY(build_graph(s, model));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(s->graph), &(tri_rule){.kind = TRI_RULE_SGD}, &s->store));
    TRI_TRY(fill_parameters(s));

    const tri_source_info *info = tri_source_describe(s->source);
    tri_shape x = {.rank = info->shape.rank + 1, .dim = {s->batch->rows}};
    memcpy(x.dim + 1, info->shape.dim, (size_t)info->shape.rank * sizeof *x.dim);
    add(s, "", "x", s->batch->type, x, s->batch->x);
    add(s, "", "labels", TRI_I32, TRI_SHAPE(s->batch->rows), s->batch->labels);
    add(s, "", "weights", TRI_F32, TRI_SHAPE(s->batch->rows), s->batch->weights);
    name_parameters(s);
    add_parameters(s, "before/", tri_store_parameters(s->store));
    TRI_TRY(take_step(s));
    add_parameters(s, "gradient/", tri_store_gradient(s->store));
    add_parameters(s, "after/", tri_store_parameters(s->store));
    return tri__safetensors_write(out, s->tensors, s->count, &(tri__metadata){"parameters", s->parameters}, 1);
}

static void fini(stepper *s)
{
    tri_store_destroy(s->store);
    tri_graph_destroy(s->graph);
    tri_dataset_destroy(s->dataset);
    tri_source_destroy(s->source);
    tri__arena_destroy(s->arena);
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: step MODEL SOURCE BATCH RATE OUT\n");
        return 2;
    }
    stepper s = {.rate = strtod(arguments[4], NULL)};
    tri_status status = record_step(&s, arguments[1], arguments[2], strtoll(arguments[3], NULL, 10), arguments[5]);
    if (status)
        fprintf(stderr, "step: %s\n", tri_status_message(status));
    fini(&s);
    int result = status ? 1 : 0;
    tri_status_free(status);
    return result;
}
