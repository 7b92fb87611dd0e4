/* examples.c: the examples that eval and predict look at. */
#include "cli/command/examples.h"

#include <string.h>

#include "data/source/dense.h"
#include "data/source/source.h"

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

static tri_part part_named(const char *name)
{
    return !strcmp(name, "train") ? TRI_PART_TRAIN : !strcmp(name, "test") ? TRI_PART_TEST : TRI_PART_VALIDATION;
}

uint64_t tri__examples_seed(const tri__arguments *arguments, const tri__trained *trained)
{
    int64_t run = trained->checkpoint->options.seed;
    if (tri__argument_given(arguments, "seed"))
        return (uint64_t)tri__argument_integer(arguments, "seed");
    return run >= 0 ? (uint64_t)run : 1;
}

/* The source that was named, or the one the run was tested on; for synthetic ones with the run's seed unless another was given. */
tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, const char *spec,
                              bool any_place, tri_source **out)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const tri__train_options *run = &checkpoint->options;
    bool piped = spec; /* its path is another one next time */
    spec = spec ? spec : tri__argument_text(arguments, "data");
    tri_part part = part_named(tri__argument_text(arguments, "part"));
    if (!spec)
        spec = run->test && part != TRI_PART_TRAIN ? run->test : run->data;
    if (!spec)
        return tri_fail(TRI_BAD_CALL, "%s needs --data SOURCE", arguments->command->name);
    const tri_model_input *input = &checkpoint->input;
    const tri_shape shape = input->shape; /* photos are brought to the size that the model was trained with */
    const tri_source_options options = {
        .height = shape.rank == 3 ? shape.dim[0] : 0,
        .width = shape.rank == 3 ? shape.dim[1] : 0,
        .seed = tri__examples_seed(arguments, trained),
        .cache_folder = piped ? NULL : session->cache_folder,
        .any_place = any_place,
        .features = input->shape.rank == 1 && input->type == TRI_F32 ? input->shape.dim[0] : 0,
        .classes = tri_model_classes(trained->model),
        .fields = tri_model_fields(trained->model),
        .hash_keys = run->hash_keys == 1,
        .numbering = checkpoint->numbering,
        .stream = !strcmp(arguments->command->name, "predict") && tri_model_is_sparse(trained->model),
    };
    TRI_TRY(open_part(spec, part, !tri__argument_given(arguments, "part"), &options, out));
    tri_status status = tri__features_fit(tri_source_describe(*out), checkpoint->features_by, run->data);
    if (!status && !tri_model_is_sparse(trained->model))
        status = tri__source_make_dense(out);
    if (status) {
        tri_source_destroy(*out);
        *out = NULL;
    }
    return status;
}
