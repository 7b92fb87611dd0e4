/* step.c: one training step, written down whole, so that another program can take the same step and compare.
 *
 * usage: step MODEL SOURCE ROWS RATE OUT RECORD…
 * A batch of ROWS rows is made of the given records of SOURCE; the rows that are left have weight 0.
 * OUT is a safetensors file: x, labels, weights (the batch), logits (before the step), loss (Σ weight × loss), and for each
 * parameter P before/P, gradient/P (a sum over the batch) and after/P. Its metadata names the parameters in the model's order.
 * Dropout lines of the model are left out, since no two programs drop the same elements. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/arena.h"
#include "base/memory/memory.h"
#include "tensor/safetensors.h"
#include "trireme/trireme.h"

enum { SEED = 1, TENSORS = 1024 };

typedef struct {
    tri__arena *arena;
    tri__named_tensor tensors[TENSORS];
    size_t count;
    char *parameters; /* their names, a line each */
    double rate;

    tri_source *source;
    tri_batch batch; /* its buffers live in the arena */
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
    s->tensors[s->count++] = (tri__named_tensor){.name = full, .tensor = {type, shape, copy}};
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
        status = tri_model_build(model, &input, s->batch.rows, &s->graph);
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
    tri_plan_options options = {.batch = s->batch.rows, .seed = SEED};
    TRI_TRY(tri_plan_create(s->graph, &options, s->store, &plan));
    tri_status status = tri_plan_run(plan, &s->batch);
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
        status = tri_plan_train(plan, &s->batch, &loss);
    if (!status)
        status = tri_store_flush(s->store);
    tri_plan_destroy(plan);
    add(s, "", "loss", TRI_F32, TRI_SHAPE(1), &(float){(float)loss});
    return status;
}

static tri_status make_batch(stepper *s, int64_t rows, const int64_t *records, int64_t count)
{
    const tri_source_info *info = tri_source_describe(s->source);
    size_t example = (size_t)tri_shape_count(info->shape) * tri_type_size(info->type);
    char *x = tri__arena_alloc(s->arena, (size_t)rows * example);
    int32_t *labels = tri__arena_alloc(s->arena, (size_t)rows * sizeof *labels);
    float *weights = tri__arena_alloc(s->arena, (size_t)rows * sizeof *weights);
    int64_t *ids = tri__arena_alloc(s->arena, (size_t)rows * sizeof *ids);
    if (!x || !labels || !weights || !ids)
        return tri_fail(TRI_NO_MEMORY, "no memory for a batch of %lld rows", (long long)rows);
    TRI_TRY(tri_source_read(s->source, records, count, x, labels));
    for (int64_t i = 0; i < count; i++) {
        weights[i] = 1;
        ids[i] = records[i];
    }
    s->batch = (tri_batch){.rows = rows, .count = count, .type = info->type, .x = x, .labels = labels, .weights = weights, .ids = ids};
    return NULL;
}

static void add_batch(stepper *s)
{
    const tri_source_info *info = tri_source_describe(s->source);
    tri_shape x = {.rank = info->shape.rank + 1, .dim = {s->batch.rows}};
    memcpy(x.dim + 1, info->shape.dim, (size_t)info->shape.rank * sizeof *x.dim);
    add(s, "", "x", s->batch.type, x, s->batch.x);
    add(s, "", "labels", TRI_I32, TRI_SHAPE(s->batch.rows), s->batch.labels);
    add(s, "", "weights", TRI_F32, TRI_SHAPE(s->batch.rows), s->batch.weights);
}

/* arguments: MODEL SOURCE ROWS RATE OUT RECORD…, of which count are records */
static tri_status record_step(stepper *s, char **arguments, int64_t count)
{
    TRI_TRY(tri__arena_create(&s->arena));
    TRI_TRY(tri_source_open(arguments[1], TRI_PART_TRAIN, NULL, &s->source));
    int64_t rows = strtoll(arguments[2], NULL, 10);
    int64_t *records = tri__arena_alloc(s->arena, (size_t)count * sizeof *records);
    if (!records || rows < count)
        return tri_fail(TRI_BAD_CALL, "%lld records do not fit a batch of %lld rows", (long long)count, (long long)rows);
    for (int64_t i = 0; i < count; i++)
        records[i] = strtoll(arguments[5 + i], NULL, 10);
    TRI_TRY(make_batch(s, rows, records, count));
    TRI_TRY(build_graph(s, arguments[0]));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(s->graph), &(tri_rule){.name = "sgd", .state = tri_graph_state_of(s->graph)},
                                   &s->store));
    TRI_TRY(fill_parameters(s));

    add_batch(s);
    name_parameters(s);
    add_parameters(s, "before/", tri_store_parameters(s->store));
    TRI_TRY(take_step(s));
    add_parameters(s, "gradient/", tri_store_gradient(s->store));
    add_parameters(s, "after/", tri_store_parameters(s->store));
    return tri__safetensors_write(arguments[4], s->tensors, s->count, &(tri__metadata){"parameters", s->parameters}, 1);
}

static void fini(stepper *s)
{
    tri_store_destroy(s->store);
    tri_graph_destroy(s->graph);
    tri_source_destroy(s->source);
    tri__arena_destroy(s->arena);
}

int main(int count, char **arguments)
{
    if (count < 7) {
        fprintf(stderr, "usage: step MODEL SOURCE ROWS RATE OUT RECORD…\n");
        return 2;
    }
    stepper s = {.rate = strtod(arguments[4], NULL)};
    tri_status status = record_step(&s, arguments + 1, count - 6);
    if (status)
        fprintf(stderr, "step: %s\n", tri_status_message(status));
    fini(&s);
    int result = status ? 1 : 0;
    tri_status_free(status);
    return result;
}
