/* dense.c: makes a dense source of a sparse one. A reader reads one example's keys and values, and spreads them over zeros. */
#include "data/source/dense.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

typedef struct {
    tri_source source;
    tri_source *sparse; /* owned */
} dense_source;

typedef struct {
    tri__reader reader;
    tri__reader *sparse;
    int32_t *keys; /* [width] */
    float *values; /* [width] */
} dense_reader;

/* keys, values: [width] → x: [features] */
static tri_status dense_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const dense_reader *self = (const dense_reader *)reader;
    const tri_source *sparse = self->sparse->source;
    int64_t count;
    tri__example_target spread = *to;
    spread.keys = self->keys;
    spread.values = self->values;
    spread.count = &count;
    TRI_TRY(sparse->kind->read(self->sparse, record, &spread));
    float *x = (float *)(void *)to->x;
    memset(x, 0, reader->source->example_bytes);
    for (int64_t i = 0; i < count; i++)
        x[self->keys[i]] += self->values[i];
    return NULL;
}

static void dense_reader_destroy(tri__reader *reader)
{
    dense_reader *self = (dense_reader *)reader;
    tri__reader_destroy(self->sparse);
    free(self->keys);
    free(self->values);
    free(self);
}

static tri_status dense_reader_create(tri_source *source, tri__reader **out)
{
    tri_source *sparse = ((dense_source *)source)->sparse;
    size_t width = (size_t)sparse->info.width;
    dense_reader *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a reader", &self));
    self->reader.source = source;
    tri_status status = tri__reader_create(sparse, &self->sparse);
    if (!status)
        status = tri__allocate(width, sizeof *self->keys, "a sparse example", &self->keys);
    if (!status)
        status = tri__allocate(width, sizeof *self->values, "a sparse example", &self->values);
    if (status) {
        dense_reader_destroy(&self->reader);
        return status;
    }
    *out = &self->reader;
    return NULL;
}

static void dense_destroy(tri_source *source)
{
    tri_source_destroy(((dense_source *)source)->sparse);
    free(source);
}

static const char *dense_file_of(const tri_source *source, int64_t record)
{
    const tri_source *sparse = ((const dense_source *)source)->sparse;
    return sparse->kind->file_of ? sparse->kind->file_of(sparse, record) : NULL;
}

static const tri__source_kind dense_kind = {
    .read = dense_read,
    .reader_create = dense_reader_create,
    .reader_destroy = dense_reader_destroy,
    .file_of = dense_file_of,
    .destroy = dense_destroy,
};

tri_status tri__source_make_dense(tri_source **source)
{
    const tri_source_info *info = &(*source)->info;
    if (info->width == 0)
        return NULL;
    int64_t features = info->shape.dim[0];
    if (features > TRI_DENSE_MOST_FEATURES)
        return tri_fail(TRI_BAD_CALL,
                        "%s: examples are sparse, of %" PRId64 " features; a model with a dense input takes up to %d (give a model that "
                        "begins with sparse(), such as sparse-softmax or sparse-lr%s)",
                        info->spec, features, TRI_DENSE_MOST_FEATURES,
                        strcmp(info->format, "criteo") == 0 ? "; or hash into fewer with --features" : "");
    dense_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &dense_kind;
    self->source.info = *info;
    self->source.info.width = 0;
    self->source.info.spec = strdup(info->spec);
    self->source.info.note = NULL; /* the sparse source has reported its own */
    if (!self->source.info.spec) {
        free(self);
        return tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", info->spec);
    }
    self->source.example_bytes = (size_t)features * sizeof(float);
    self->sparse = *source;
    *source = &self->source;
    return NULL;
}
