/* examples.c: the examples that eval and predict look at. */
#include "cli/command/examples.h"

#include <string.h>

#include "data/source/dense.h"

/* A part of a source; with any, the only part of a source that has one. */
static tri_status open_part(const char *spec, tri_part part, bool any, const tri_source_options *options, tri_source **out)
{
    tri_status status = tri_source_open(spec, part, options, out);
    if (tri_status_code(status) != TRI_NOT_FOUND || !any)
        return status;
    tri_status other = tri_source_open(spec, TRI_PART_TRAIN, options, out);
    if (other) {
        tri_status_free(other);
        return status;
    }
    tri_status_free(status);
    return NULL;
}

/* The source that was named, or the one the run was tested on; for synthetic ones with the run's seed unless another was given. */
tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, tri_source **out)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const tri__train_options *run = &checkpoint->options;
    const char *spec = tri__argument_text(arguments, "data");
    tri_part part = strcmp(tri__argument_text(arguments, "part"), "train") ? TRI_PART_TEST : TRI_PART_TRAIN;
    if (!spec)
        spec = run->test && part == TRI_PART_TEST ? run->test : run->data;
    if (!spec)
        return tri_fail(TRI_BAD_CALL, "%s needs --data SOURCE", arguments->command->name);
    const tri_model_input *input = &checkpoint->input;
    bool given = tri__argument_given(arguments, "seed");
    const tri_shape shape = input->shape; /* photos are brought to the size that the model was trained with */
    const tri_source_options options = {
        .height = shape.rank == 3 ? shape.dim[0] : 0,
        .width = shape.rank == 3 ? shape.dim[1] : 0,
        .seed = given            ? (uint64_t)tri__argument_integer(arguments, "seed")
                : run->seed >= 0 ? (uint64_t)run->seed
                                 : 1,
        .cache_folder = session->cache_folder,
        .features = input->shape.rank == 1 && input->type == TRI_F32 ? input->shape.dim[0] : 0,
        .classes = tri_model_classes(trained->model),
        .fields = tri_model_fields(trained->model),
        .numbering = checkpoint->numbering,
        .stream = !strcmp(arguments->command->name, "predict") && tri_model_is_sparse(trained->model),
    };
    TRI_TRY(open_part(spec, part, !tri__argument_given(arguments, "part"), &options, out));
    tri_status status = tri_model_is_sparse(trained->model) ? NULL : tri__source_make_dense(out);
    if (status) {
        tri_source_destroy(*out);
        *out = NULL;
    }
    return status;
}
