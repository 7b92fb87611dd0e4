/* examples.c: opens the examples that eval and predict read. */
#include "cli/command/model/examples.h"

#include <string.h>

#include "data/source/held_out.h"
#include "data/source/source.h"

/* Open a part of a source. any: where the source does not have this part, open its only part, and set *only. */
static tri_status open_part(const char *spec, tri_part part, bool any, const tri_source_options *options, tri_source **out, bool *only)
{
    tri_status status = tri_source_open(spec, part, options, out);
    *only = tri_status_code(status) == TRI_NOT_FOUND && any;
    if (!*only)
        return status;
    tri_status other = tri_source_open(spec, TRI_PART_TRAIN, options, out);
    const bool none = tri_status_code(other) == TRI_NOT_FOUND;
    tri_status_free(none ? other : status);
    return none ? status : other;
}

/* Open the training examples that the run held out: the same seed draws the same examples. */
static tri_status open_held_out(const char *spec, const tri__trained *trained, const tri_source_options *options, tri_source **out)
{
    tri__train_settings settings;
    tri_source *rest = NULL;
    TRI_TRY(tri__train_settings_resolve(&trained->checkpoint->options, tri_model_default(trained->model), &settings));
    TRI_TRY(tri_source_open(spec, TRI_PART_TRAIN, options, &rest));
    tri_status status = tri__source_hold_out(&rest, settings.validation, settings.seed, out);
    tri_source_destroy(rest);
    return status;
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

/* Open the source that was named, or the one that the run was tested on. A synthetic source has the run's seed, unless another is given. */
tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, const char *spec,
                              bool labels_optional, tri_source **out, tri__taken_examples *taken)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const tri__train_options *run = &checkpoint->options;
    bool piped = spec; /* standard input, kept in a file whose path differs from call to call */
    spec = spec ? spec : tri__argument_text(arguments, "data");
    *taken = (tri__taken_examples){.part = tri__argument_text(arguments, "part")};
    tri_part part = part_named(taken->part);
    if (!spec)
        spec = run->test && part != TRI_PART_TRAIN ? run->test : run->data;
    if (!spec)
        return tri_fail(TRI_BAD_CALL, "%s needs --data SOURCE", arguments->command->name);
    tri_source_options options = tri__trained_source_options(trained);
    options.seed = tri__examples_seed(arguments, trained);
    options.cache_folder = piped ? NULL : session->cache_folder;
    options.labels_optional = labels_optional;
    options.stream = !strcmp(arguments->command->name, "predict") && tri_model_is_sparse(trained->model);
    if (part == TRI_PART_VALIDATION && run->validation && !strcmp(spec, run->data)) {
        taken->held_out = run->validation;
        TRI_TRY(open_held_out(spec, trained, &options, out));
    } else
        TRI_TRY(open_part(spec, part, !tri__argument_given(arguments, "part"), &options, out, &taken->only));
    if (taken->only)
        taken->part = "train";
    return tri__trained_fit_source(trained, out);
}
