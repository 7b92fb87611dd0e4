/* trained.c: from a checkpoint to a model that can be evaluated. */
#include "train/evaluate/trained.h"

#include <stdlib.h>
#include <string.h>

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
