/* predict.c: turns the logits of a forward plan into probabilities. A model of numbers predicts its outputs as they are. */
#include "train/evaluate/predict.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "trireme/plan.h"

struct tri__predictor {
    tri_plan *plan;
    tri_label_kind kind;
    int64_t classes;      /* columns of probabilities */
    float *probabilities; /* [rows][classes] */
    tri_batch batch;      /* for the caller's rows: points to the buffers below */
    void *x;
    int32_t *labels;
    float *weights;
    int64_t *ids;
};

static tri_status allocate_rows(tri__predictor *predictor, const tri_model_input *input, int64_t rows)
{
    size_t count = (size_t)rows, example = (size_t)tri_shape_count(input->shape) * tri_type_size(input->type);
    TRI_TRY(tri__allocate(count, example, "examples to predict", &predictor->x));
    TRI_TRY(tri__allocate(count, sizeof(int32_t), "examples to predict", &predictor->labels));
    TRI_TRY(tri__allocate(count, sizeof(float), "examples to predict", &predictor->weights));
    TRI_TRY(tri__allocate(count, sizeof(int64_t), "examples to predict", &predictor->ids));
    predictor->batch = (tri_batch){
        .rows = rows,
        .type = input->type,
        .x = predictor->x,
        .labels = predictor->labels,
        .weights = predictor->weights,
        .ids = predictor->ids,
    };
    return NULL;
}

static tri_status prepare(tri__predictor *predictor, const tri__trained *trained, int threads)
{
    int64_t rows = tri_graph_batch(trained->graph);
    const tri_node *logits = tri_graph_find_output(trained->graph, "logits");
    if (!logits)
        return tri_fail(TRI_BAD_CALL, "%s: the model has no logits to predict from", trained->checkpoint->path);
    int64_t columns = tri_shape_count(tri_node_shape(logits)) / rows;
    predictor->kind = tri_graph_labels(trained->graph);
    predictor->classes = columns < 2 && predictor->kind == TRI_LABEL_CLASS ? 2 : columns;
    const tri_plan_options options = {.batch = rows, .threads = threads};
    TRI_TRY(tri_plan_create(trained->graph, &options, trained->store, &predictor->plan));
    TRI_TRY(tri__allocate((size_t)rows, (size_t)predictor->classes * sizeof(float), "probabilities", &predictor->probabilities));
    return tri_model_is_sparse(trained->model) ? NULL : allocate_rows(predictor, &trained->checkpoint->input, rows);
}

tri_status tri__predictor_create(const tri__trained *trained, int threads, tri__predictor **out)
{
    *out = NULL;
    tri__predictor *predictor;
    TRI_TRY(tri__allocate(1, sizeof *predictor, "a prediction", &predictor));
    tri_status status = prepare(predictor, trained, threads);
    if (status)
        tri__predictor_destroy(predictor);
    else
        *out = predictor;
    return status;
}

void tri__predictor_destroy(tri__predictor *predictor)
{
    if (!predictor)
        return;
    tri_plan_destroy(predictor->plan);
    free(predictor->probabilities);
    free(predictor->x);
    free(predictor->labels);
    free(predictor->weights);
    free(predictor->ids);
    free(predictor);
}

int64_t tri__predictor_classes(const tri__predictor *predictor)
{
    return predictor->classes;
}

void *tri__predictor_rows(tri__predictor *predictor, int64_t *rows)
{
    *rows = predictor->batch.rows;
    return predictor->x;
}

/* p = e^(z − max) / Σ e^(z − max) */
static void softmax(const float *logits, int64_t count, float *out)
{
    float most = logits[0], sum = 0;
    for (int64_t i = 1; i < count; i++)
        most = logits[i] > most ? logits[i] : most;
    for (int64_t i = 0; i < count; i++)
        sum += out[i] = expf(logits[i] - most);
    for (int64_t i = 0; i < count; i++)
        out[i] /= sum;
}

/* logits: [columns] → [classes] */
static void predict_row(tri_label_kind kind, const float *logits, int64_t columns, float *out)
{
    if (kind != TRI_LABEL_CLASS)
        for (int64_t i = 0; i < columns; i++)
            out[i] = kind == TRI_LABEL_SET ? 1 / (1 + expf(-logits[i])) : logits[i];
    else if (columns == 1) /* the log odds of class 1 */
        softmax((float[]){0, logits[0]}, 2, out);
    else
        softmax(logits, columns, out);
}

tri_status tri__predictor_batch(tri__predictor *predictor, const tri_batch *batch, const float **probabilities)
{
    tri_batch unlabelled = *batch; /* predictions need no labels, and not all examples have one */
    unlabelled.labels = NULL;
    unlabelled.targets = NULL;
    TRI_TRY(tri_plan_run(predictor->plan, &unlabelled));
    tri_tensor logits;
    TRI_TRY(tri_plan_value(predictor->plan, "logits", &logits));
    int64_t columns = tri_shape_count(logits.shape) / batch->rows;
    for (int64_t row = 0; row < batch->count; row++) {
        const float *from = (const float *)logits.data + row * columns;
        float *to = predictor->probabilities + row * predictor->classes;
        predict_row(predictor->kind, from, columns, to);
    }
    *probabilities = predictor->probabilities;
    return NULL;
}

tri_status tri__predictor_run(tri__predictor *predictor, int64_t count, const float **probabilities)
{
    predictor->batch.count = count;
    for (int64_t row = 0; row < predictor->batch.rows; row++)
        predictor->weights[row] = row < count;
    return tri__predictor_batch(predictor, &predictor->batch, probabilities);
}
