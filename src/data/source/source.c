/* source.c: calls that every source has; most of them call a function of its kind. */
#include "data/source/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

tri_status tri__source_set_shape(tri_source *source, tri_shape shape)
{
    int64_t bytes;
    TRI_TRY(tri_shape_check(shape, &bytes));
    if (bytes == 0)
        return tri_fail(TRI_BAD_DATA, "an example has no elements");
    source->info.type = TRI_U8;
    source->info.shape = shape;
    source->example_bytes = (size_t)bytes;
    return NULL;
}

void tri__source_set_sparse(tri_source *source, const char *format, int64_t shown, int64_t width, int64_t classes,
                            const tri_source_options *options)
{
    source->info.format = format;
    source->info.type = TRI_F32;
    source->info.shape = TRI_SHAPE(options->features > 0 ? options->features : shown);
    source->info.width = width;
    source->info.classes = classes;
    source->fields = options->fields;
}

void tri__source_set_targets(tri_source *source, tri_label_kind labels, int64_t outputs)
{
    source->info.labels = labels;
    source->info.outputs = outputs;
    source->info.classes = 0;
}

tri_status tri__features_fit(const tri_source_info *source, const char *features_by, const char *trained_on)
{
    if (!source->features_by || !features_by || !strcmp(source->features_by, features_by))
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "%s: its features are numbered by %s; the model was trained on %s, whose features are numbered by %s (give it examples "
                    "in that format, or click records made from such)",
                    source->spec, source->features_by, trained_on ? trained_on : "data", features_by);
}

tri_status tri__source_read_resident(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const tri_source *source = reader->source;
    memcpy(to->x, source->resident_x + (size_t)record * source->example_bytes, source->example_bytes);
    *to->label = source->resident_labels[record];
    return NULL;
}

tri_status tri__source_check_grey(const tri_source_info *source)
{
    if (source->shape.rank == 3 && source->shape.dim[2] == 1)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--grey is for photos and records of photos, and %s has none", source->spec);
}

tri_status tri__reader_create(tri_source *source, tri__reader **out)
{
    if (source->kind->reader_create)
        return source->kind->reader_create(source, out);
    TRI_TRY(tri__allocate(1, sizeof **out, "a reader", out));
    (*out)->source = source;
    return NULL;
}

void tri__reader_destroy(tri__reader *reader)
{
    if (reader && reader->source->kind->reader_destroy)
        reader->source->kind->reader_destroy(reader);
    else
        free(reader);
}

tri_status tri__class_names_copy(const tri_source_info *info, char ***out)
{
    *out = NULL;
    if (!info->class_names)
        return NULL;
    TRI_TRY(tri__allocate((size_t)info->classes, sizeof **out, "names of classes", out));
    for (int64_t i = 0; i < info->classes; i++)
        if (!((*out)[i] = strdup(info->class_names[i])))
            return tri_fail(TRI_NO_MEMORY, "no memory for names of classes");
    return NULL;
}

void tri__class_names_free(char **names, int64_t classes)
{
    for (int64_t i = 0; names && i < classes; i++)
        free(names[i]);
    free(names);
}

bool tri__source_parse_count(const char **text, int64_t limit, int64_t *out)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (errno || value < 1 || value > limit)
        return false;
    *text = end;
    *out = value;
    return true;
}

void tri__source_hold(tri_source *source)
{
    atomic_fetch_add(&source->holders, 1);
}

void tri_source_destroy(tri_source *source)
{
    if (!source || atomic_fetch_sub(&source->holders, 1) > 0)
        return;
    free((char *)source->info.spec);
    free((char *)source->info.note);
    source->kind->destroy(source);
}

const tri_source_info *tri_source_describe(const tri_source *source)
{
    return &source->info;
}

int32_t tri__source_class(const tri_source *source, int64_t record)
{
    if (source->resident_x)
        return source->resident_labels[record];
    return source->kind->class_of ? source->kind->class_of(source, record) : -1;
}

const char *tri__source_file(const tri_source *source, int64_t record)
{
    return source->kind->file_of ? source->kind->file_of(source, record) : NULL;
}

static tri_status check_records(const tri_source *source, const int64_t *records, int64_t count)
{
    if (source->info.width > 0)
        return tri_fail(TRI_BAD_CALL, "%s: examples are sparse, and cannot be read as rows", source->info.spec);
    for (int64_t i = 0; i < count; i++)
        if (records[i] < 0 || records[i] >= source->info.examples)
            return tri_fail(TRI_BAD_CALL, "%s: no record %" PRId64 ", there are %" PRId64, source->info.spec, records[i],
                            source->info.examples);
    return NULL;
}

/* Exactly one of labels and targets is not NULL. */
static tri_status read_rows(tri_source *source, const int64_t *records, int64_t count, void *x, int32_t *labels, float *targets)
{
    TRI_TRY(check_records(source, records, count));
    tri__reader *reader;
    TRI_TRY(tri__reader_create(source, &reader));
    tri_status status = NULL;
    for (int64_t i = 0; i < count && !status; i++) {
        const tri__example_target target = {.x = (uint8_t *)x + (size_t)i * source->example_bytes,
                                            .label = labels ? &labels[i] : NULL,
                                            .targets = targets ? targets + i * source->info.outputs : NULL};
        status = source->kind->read(reader, records[i], &target);
    }
    tri__reader_destroy(reader);
    return status;
}

tri_status tri_source_read(tri_source *source, const int64_t *records, int64_t count, void *x, int32_t *labels)
{
    if (source->info.outputs)
        return tri_fail(TRI_BAD_CALL, "%s: its labels are numbers, no classes (tri_source_read_targets reads them)", source->info.spec);
    return read_rows(source, records, count, x, labels, NULL);
}

tri_status tri_source_read_targets(tri_source *source, const int64_t *records, int64_t count, void *x, float *targets)
{
    if (!source->info.outputs)
        return tri_fail(TRI_BAD_CALL, "%s: its labels are classes (tri_source_read reads them)", source->info.spec);
    return read_rows(source, records, count, x, NULL, targets);
}
