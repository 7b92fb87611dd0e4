/* trained_model.c: the calls of include/trireme/trained.h. They use the same parts as the commands eval and predict. */
#include "trireme/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/predict.h"
#include "train/evaluate/trained.h"

struct tri_trained {
    tri__trained trained;
    tri__predictor *predictor;
};

tri_status tri_checkpoint_save(const char *path, const tri_model *model, const tri_graph *graph, tri_store *store,
                               const tri_source_info *source)
{
    tri__train_options options;
    tri__train_options_init(&options);
    const tri__run_state state = {.best_loss = NAN};
    const tri__checkpoint_content content = {
        .model = model, .graph = graph, .store = store, .source = source, .options = &options, .state = &state};
    tri_status status = tri__checkpoint_write(path, &content);
    tri__train_options_fini(&options);
    return status;
}

tri_status tri_checkpoint_load(const char *path, const tri_graph *graph, tri_store *store)
{
    TRI_TRY(tri__checkpoint_load_parameters(path, NULL, NULL, graph, store));
    tri_store_begin_averages(store);
    return NULL;
}

tri_status tri_trained_open(const char *path, int64_t batch, tri_trained **out)
{
    *out = NULL;
    tri_trained *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a trained model", &self));
    tri_status status = tri__trained_open(path, batch, NULL, &self->trained);
    if (!status)
        status = tri__predictor_create(&self->trained, 0, &self->predictor);
    if (status)
        tri_trained_destroy(self);
    else
        *out = self;
    return status;
}

void tri_trained_destroy(tri_trained *trained)
{
    if (!trained)
        return;
    tri__predictor_destroy(trained->predictor);
    tri__trained_fini(&trained->trained);
    free(trained);
}

const tri_model_input *tri_trained_input(const tri_trained *trained)
{
    return &trained->trained.checkpoint->input;
}

int64_t tri_trained_classes(const tri_trained *trained)
{
    return tri__predictor_classes(trained->predictor);
}

const char *tri_trained_class(const tri_trained *trained, int64_t class_id)
{
    const tri__checkpoint *checkpoint = trained->trained.checkpoint;
    return checkpoint->class_names && class_id >= 0 && class_id < checkpoint->input.classes ? checkpoint->class_names[class_id] : NULL;
}

const char *tri_trained_columns(const tri_trained *trained)
{
    return trained->trained.checkpoint->columns;
}

tri_status tri_trained_source(const tri_trained *trained, const char *spec, tri_part part, tri_source **out)
{
    const tri__checkpoint *checkpoint = trained->trained.checkpoint;
    const tri_source_options options = tri__trained_source_options(&trained->trained);
    TRI_TRY(tri_source_open(spec, part, &options, out));
    TRI_TRY(tri__trained_fit_source(&trained->trained, out));
    tri_status status = tri__photos_fit(tri_source_describe(*out), checkpoint->class_names, checkpoint->input.classes);
    if (status) {
        tri_source_destroy(*out);
        *out = NULL;
    }
    return status;
}

const tri_graph *tri_trained_graph(const tri_trained *trained)
{
    return trained->trained.graph;
}

tri_store *tri_trained_store(tri_trained *trained)
{
    return trained->trained.store;
}

tri_status tri_trained_predict(tri_trained *trained, const void *x, int64_t count, float *probabilities)
{
    const tri_model_input *input = tri_trained_input(trained);
    if (tri_model_is_sparse(trained->trained.model))
        return tri_fail(TRI_UNSUPPORTED, "%s: a sparse model predicts batches of a dataset: make a plan of its graph and store",
                        trained->trained.checkpoint->model_name);
    size_t example = (size_t)tri_shape_count(input->shape) * tri_type_size(input->type), classes = (size_t)tri_trained_classes(trained);
    int64_t rows;
    void *room = tri__predictor_rows(trained->predictor, &rows);
    for (int64_t done = 0; done < count; done += rows) {
        int64_t now = count - done < rows ? count - done : rows;
        const float *row;
        memcpy(room, (const char *)x + (size_t)done * example, (size_t)now * example);
        TRI_TRY(tri__predictor_run(trained->predictor, now, &row));
        memcpy(probabilities + (size_t)done * classes, row, (size_t)now * classes * sizeof *row);
    }
    return NULL;
}
