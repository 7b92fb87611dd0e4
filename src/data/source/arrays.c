/* arrays.c: a source of examples in the caller's arrays. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/source/source.h"

typedef struct {
    tri_source source;
    const uint8_t *x;      /* [examples][example_bytes] */
    const int32_t *labels; /* [examples], or NULL */
    const float *targets;  /* [examples][outputs], or NULL */
} array_source;

static tri_status array_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const array_source *self = (const array_source *)reader->source;
    memcpy(to->x, self->x + (size_t)record * self->source.example_bytes, self->source.example_bytes);
    const int64_t outputs = self->source.info.outputs;
    if (self->targets)
        memcpy(to->targets, self->targets + record * outputs, (size_t)outputs * sizeof *to->targets);
    else
        *to->label = self->labels ? self->labels[record] : 0;
    return NULL;
}

static void array_destroy(tri_source *source)
{
    free(source);
}

static const tri__source_kind array_kind = {.read = array_read, .destroy = array_destroy};

/* The number of classes: as the caller says, or the largest label + 1. */
static tri_status count_classes(const tri_arrays *arrays, int64_t *classes)
{
    *classes = arrays->classes;
    for (int64_t i = 0; arrays->labels && i < arrays->examples; i++) {
        int32_t label = arrays->labels[i];
        if (label < 0 || (arrays->classes && label >= arrays->classes))
            return tri_fail(TRI_BAD_DATA, "label %" PRId32 " of example %" PRId64 " is no class: classes are numbers from 0 on%s", label, i,
                            arrays->classes ? ", below the number that was given" : "");
        *classes = label >= *classes ? label + 1 : *classes;
    }
    return NULL;
}

static tri_status check_targets(const tri_arrays *arrays)
{
    if (!arrays->targets)
        return NULL;
    if (arrays->labels || arrays->outputs < 1 || arrays->outputs > INT32_MAX)
        return tri_fail(TRI_BAD_CALL, "examples have labels or targets, and targets are at least one number an example");
    for (int64_t i = 0; i < arrays->examples * arrays->outputs; i++) {
        const float target = arrays->targets[i];
        if (!isfinite(target) || (arrays->sets && target != 0 && target != 1))
            return tri_fail(TRI_BAD_DATA, "target %g of example %" PRId64 " is no %s", (double)target, i / arrays->outputs,
                            arrays->sets ? "0 or 1, for a label that holds or does not" : "finite number");
    }
    return NULL;
}

static tri_status check(const tri_arrays *arrays, int64_t *elements)
{
    if (arrays->type != TRI_U8 && arrays->type != TRI_F32)
        return tri_fail(TRI_BAD_CALL, "examples are %s; sources are of bytes (u8) or floats (f32)", tri_type_name(arrays->type));
    TRI_TRY(tri_shape_check(arrays->shape, elements));
    if (*elements < 1 || arrays->examples < 1 || !arrays->x)
        return tri_fail(TRI_BAD_CALL, "there are no examples, or they have no elements");
    return NULL;
}

tri_status tri_source_from_arrays(const tri_arrays *arrays, tri_source **out)
{
    const char *name = arrays->name ? arrays->name : "arrays";
    int64_t elements, classes;
    TRI_TRY(tri_wrap(check(arrays, &elements), "%s", name));
    TRI_TRY(tri_wrap(count_classes(arrays, &classes), "%s", name));
    TRI_TRY(tri_wrap(check_targets(arrays), "%s", name));
    array_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source = (tri_source){.kind = &array_kind, .example_bytes = (size_t)elements * tri_type_size(arrays->type)};
    self->source.info = (tri_source_info){.spec = strdup(name),
                                          .format = "arrays",
                                          .type = arrays->type,
                                          .shape = arrays->shape,
                                          .examples = arrays->examples,
                                          .classes = classes,
                                          .class_names = arrays->class_names,
                                          .unlabelled = !arrays->labels && !arrays->targets};
    self->x = arrays->x;
    self->labels = arrays->labels;
    self->targets = arrays->targets;
    if (arrays->targets)
        tri__source_set_targets(&self->source, arrays->sets ? TRI_LABEL_SET : TRI_LABEL_NUMBERS, arrays->outputs);
    if (!self->source.info.spec) {
        free(self);
        return tri_fail(TRI_NO_MEMORY, "no memory for a data source");
    }
    *out = &self->source;
    return NULL;
}
