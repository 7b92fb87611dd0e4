/* cifar.c: a source over CIFAR-10's binary files. They are mapped; a record's planes are interleaved into pixels when it is read. */
#include "data/format/cifar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "data/file/catalogue.h"

typedef struct {
    char *path;
    tri__mapping mapping;
    int64_t records;
} batch_file;

typedef struct {
    tri_source source;
    size_t count;
    batch_file files[];
} cifar_source;

bool tri__cifar_is(const uint8_t *data, size_t size)
{
    if (size == 0 || size % TRI_CIFAR_RECORD != 0)
        return false;
    for (size_t at = 0; at < size && at < 100 * (size_t)TRI_CIFAR_RECORD; at += TRI_CIFAR_RECORD)
        if (data[at] >= TRI_CIFAR_CLASSES)
            return false;
    return true;
}

/* planes: [3][1024] → pixels: [1024][3] */
static void interleave(const uint8_t *restrict planes, uint8_t *restrict pixels)
{
    for (int i = 0; i < TRI_CIFAR_PLANE; i++)
        for (int channel = 0; channel < 3; channel++)
            pixels[3 * i + channel] = planes[channel * TRI_CIFAR_PLANE + i];
}

static tri_status cifar_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const batch_file *file = ((const cifar_source *)reader->source)->files;
    int64_t number = record;
    for (; number >= file->records; file++)
        number -= file->records;
    const uint8_t *at = file->mapping.data + number * TRI_CIFAR_RECORD;
    if (*at >= TRI_CIFAR_CLASSES)
        return tri_fail(TRI_BAD_DATA,
                        "%s: record %" PRId64 " at byte %" PRId64 ": label %d where classes are 0 to 9 (damaged? fetch it again)",
                        file->path, number, number * TRI_CIFAR_RECORD, *at);
    *to->label = *at;
    interleave(at + 1, to->x);
    return NULL;
}

static void cifar_destroy(tri_source *source)
{
    cifar_source *self = (cifar_source *)source;
    for (size_t i = 0; i < self->count; i++) {
        free(self->files[i].path);
        tri__file_unmap(&self->files[i].mapping);
    }
    free(self);
}

static const tri__source_kind cifar_kind = {.read = cifar_read, .destroy = cifar_destroy};

static tri_status add_file(cifar_source *self, const char *path)
{
    batch_file file = {.path = strdup(path)};
    if (!file.path)
        return tri_fail(TRI_NO_MEMORY, "out of memory for the name of %s", path);
    tri_status status = tri__file_map(path, &file.mapping);
    if (status) {
        free(file.path);
        return status;
    }
    file.records = (int64_t)(file.mapping.size / TRI_CIFAR_RECORD);
    self->files[self->count++] = file;
    self->source.info.examples += file.records;
    self->source.info.bytes += (int64_t)file.mapping.size;
    self->source.info.files++;
    return NULL;
}

/* Open the files of a part, one after another. */
static tri_status open_files(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    (void)options;
    const tri__file_list *list = &set->part[part];
    cifar_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self + list->count * sizeof *self->files, "a data source", &self));
    self->source.kind = &cifar_kind;
    self->source.info.format = "cifar10";
    self->source.info.classes = TRI_CIFAR_CLASSES;
    self->source.info.class_names = tri__cifar_classes;
    tri_status status = tri__source_set_shape(&self->source, TRI_SHAPE(TRI_CIFAR_SIDE, TRI_CIFAR_SIDE, 3));
    for (size_t i = 0; i < list->count && !status; i++)
        status = add_file(self, list->paths[i]);
    if (status) {
        cifar_destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}

const tri__file_format tri__cifar_format = {
    .name = "CIFAR-10",
    .description = "CIFAR-10 batches",
    .is = tri__cifar_is,
    .open = open_files,
};
