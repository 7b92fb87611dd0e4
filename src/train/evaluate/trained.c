/* trained.c: from a checkpoint to a model that can be evaluated. */
#include "train/evaluate/trained.h"

#include <stdlib.h>
#include <string.h>

#include "data/source/dense.h"
#include "data/source/source.h"
#include "graph/nodes/initialise.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/evaluate/evaluate.h"

/* Where the checkpoint has only some rows, the tables have only these; keys without a row count as 0. */
static tri_status add_tables(tri__trained *trained)
{
    const int64_t rows = tri__checkpoint_rows(trained->checkpoint);
    if (rows < 0)
        return tri_graph_add_tables(trained->graph, trained->store);
    return tri__graph_add_growing_tables(trained->graph, rows > 0 ? rows : 1, 1, INT64_MAX / 2, trained->store);
}

static tri_status build(tri__trained *trained, int64_t batch)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const char *text = checkpoint->model_text;
    TRI_TRY(tri_model_parse(checkpoint->model_name, text, strlen(text), &trained->model));
    const int64_t roomy = tri__roomy_batch(checkpoint->input.shape, tri_model_is_sparse(trained->model));
    TRI_TRY(tri_model_build(trained->model, &checkpoint->input, batch ? batch : roomy, &trained->graph));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(trained->graph), &(tri_rule){0}, &trained->store));
    TRI_TRY(add_tables(trained));
    return tri__checkpoint_restore(checkpoint, trained->graph, trained->store, false);
}

tri_status tri__trained_open(const char *path, int64_t batch, tri__log *log, tri__trained *out)
{
    *out = (tri__trained){0};
    TRI_TRY(tri__checkpoint_open(path, log, &out->checkpoint));
    tri_status status = tri_wrap(build(out, batch), "%s", out->checkpoint->path);
    if (status)
        tri__trained_fini(out);
    return status;
}

void tri__trained_fini(tri__trained *trained)
{
    tri_store_destroy(trained->store);
    tri_graph_destroy(trained->graph);
    tri_model_destroy(trained->model);
    tri__checkpoint_close(trained->checkpoint);
    *trained = (tri__trained){0};
}

tri_source_options tri__trained_source_options(const tri__trained *trained)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const tri_model_input *input = &checkpoint->input;
    const tri_shape shape = input->shape;
    return (tri_source_options){
        .height = shape.rank == 3 ? shape.dim[0] : 0,
        .width = shape.rank == 3 ? shape.dim[1] : 0,
        .grey = shape.rank == 3 && shape.dim[2] == 1,
        .seed = checkpoint->options.seed >= 0 ? (uint64_t)checkpoint->options.seed : 1,
        .features = shape.rank == 1 && input->type == TRI_F32 ? shape.dim[0] : 0,
        .classes = tri_model_classes(trained->model),
        .fields = tri_model_fields(trained->model),
        .labels = tri_model_labels(trained->model),
        .outputs = input->outputs,
        .hash_keys = checkpoint->options.hash_keys == 1,
        .numbering = checkpoint->numbering,
        .columns = checkpoint->columns,
    };
}

tri_status tri__trained_fit_source(const tri__trained *trained, tri_source **source)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    tri_status status = tri__features_fit(tri_source_describe(*source), checkpoint->features_by, checkpoint->options.data);
    if (!status && !tri_model_is_sparse(trained->model))
        status = tri__source_make_dense(source);
    if (status) {
        tri_source_destroy(*source);
        *source = NULL;
    }
    return status;
}
