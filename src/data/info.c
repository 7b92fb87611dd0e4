/* info.c: what is in a source, found by reading all of it. */
#include "data/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define CHUNK_BYTES ((size_t)4 << 20) /* read at a time */

typedef struct {
    tri_source *source;
    int64_t rows; /* examples read at a time */
    int64_t *records;
    uint8_t *x;
    int32_t *labels;
} reader;

static void reader_fini(reader *self)
{
    free(self->records);
    tri__buffer_free(self->x);
    free(self->labels);
}

static tri_status reader_init(reader *self, tri_source *source)
{
    const tri_source_info *info = tri_source_describe(source);
    size_t bytes = (size_t)tri_shape_count(info->shape) * tri_type_size(info->type);
    *self = (reader){.source = source, .rows = (int64_t)(CHUNK_BYTES / bytes) + 1};
    tri_status status = tri__allocate((size_t)self->rows, sizeof *self->records, "record numbers", &self->records);
    if (!status)
        status = tri__buffer_allocate((size_t)self->rows * bytes, "examples", &self->x);
    if (!status)
        status = tri__allocate((size_t)self->rows, sizeof *self->labels, "labels", &self->labels);
    if (status)
        reader_fini(self);
    return status;
}

/* Read records first … first + count − 1 and count their classes. */
static tri_status count_some(reader *self, int64_t first, int64_t count, int64_t *class_counts)
{
    for (int64_t i = 0; i < count; i++)
        self->records[i] = first + i;
    TRI_TRY(tri_source_read(self->source, self->records, count, self->x, self->labels));
    for (int64_t i = 0; i < count && class_counts; i++)
        class_counts[self->labels[i]]++;
    return NULL;
}

/* A failed chunk is gone through one by one; only damage is counted, other failures end it. */
static tri_status count_one_by_one(reader *self, int64_t first, int64_t count, tri__part_info *part)
{
    for (int64_t i = 0; i < count; i++) {
        tri_status status = count_some(self, first + i, 1, part->class_counts);
        if (status && tri_status_code(status) != TRI_BAD_DATA)
            return status;
        part->damaged += status != NULL;
        tri_status_free(status);
    }
    return NULL;
}

static tri_status count_all(reader *self, tri__part_info *part)
{
    for (int64_t first = 0; first < part->records; first += self->rows) {
        int64_t left = part->records - first, count = left < self->rows ? left : self->rows;
        tri_status status = count_some(self, first, count, part->class_counts);
        if (tri_status_code(status) == TRI_BAD_DATA) {
            tri_status_free(status);
            status = count_one_by_one(self, first, count, part);
        }
        TRI_TRY(status);
    }
    return NULL;
}

static tri_status look_through(tri_source *source, tri__part_info *part)
{
    const tri_source_info *info = tri_source_describe(source);
    part->present = true;
    part->records = info->examples;
    part->bytes = info->bytes;
    part->files = info->files;
    if (info->classes > 0)
        TRI_TRY(tri__allocate((size_t)info->classes, sizeof *part->class_counts, "counts of classes", &part->class_counts));
    reader self;
    TRI_TRY(reader_init(&self, source));
    tri_status status = count_all(&self, part);
    reader_fini(&self);
    return status;
}

static tri_status copy_names(const tri_source_info *from, tri__info *out)
{
    if (!from->class_names)
        return NULL;
    TRI_TRY(tri__allocate((size_t)from->classes, sizeof *out->class_names, "names of classes", &out->class_names));
    for (int64_t i = 0; i < from->classes; i++)
        if (!(out->class_names[i] = strdup(from->class_names[i])))
            return tri_fail(TRI_NO_MEMORY, "out of memory for names of classes");
    return NULL;
}

/* What both parts share. */
static tri_status describe(const tri_source_info *from, tri__info *out)
{
    out->format = from->format;
    out->type = from->type;
    out->shape = from->shape;
    out->classes = from->classes;
    return copy_names(from, out);
}

static tri_status add_part(const char *spec, tri_part part, const tri_source_options *options, tri__info *out)
{
    tri_source *source;
    TRI_TRY(tri_source_open(spec, part, options, &source));
    tri_status status = out->format ? NULL : describe(tri_source_describe(source), out);
    if (!status)
        status = look_through(source, &out->part[part]);
    tri_source_destroy(source);
    return status;
}

/* One of the two parts may be missing, but not both. Takes both statuses. */
static tri_status either(tri_status train, tri_status test)
{
    bool no_train = tri_status_code(train) == TRI_NOT_FOUND, no_test = tri_status_code(test) == TRI_NOT_FOUND;
    bool keep_test = no_train ? !no_test : !train && !no_test;
    tri_status_free(keep_test ? train : test);
    return keep_test ? test : train;
}

tri_status tri__data_info(const char *spec, const tri_source_options *options, tri__info *out)
{
    *out = (tri__info){.spec = strdup(spec)};
    tri_status status = out->spec ? NULL : tri_fail(TRI_NO_MEMORY, "out of memory for %s", spec);
    if (!status) {
        tri_status train = add_part(spec, TRI_PART_TRAIN, options, out);
        status = either(train, add_part(spec, TRI_PART_TEST, options, out));
    }
    if (status)
        tri__info_fini(out);
    return status;
}

void tri__info_fini(tri__info *info)
{
    for (int64_t i = 0; info->class_names && i < info->classes; i++)
        free(info->class_names[i]);
    free(info->class_names);
    free(info->spec);
    free(info->part[TRI_PART_TRAIN].class_counts);
    free(info->part[TRI_PART_TEST].class_counts);
    *info = (tri__info){0};
}
