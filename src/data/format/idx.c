/* idx.c: parses IDX files, and makes a source of a pair of them. Small sets are copied into memory; large ones stay in the mapped file. */
#include "data/format/idx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/file/content.h"

#define UNSIGNED_BYTES 0x08
#define MOST_RESIDENT  ((size_t)256 << 20) /* bytes; larger sets stay in the mapped file */

typedef struct {
    tri_source source;
    tri__content images, labels;
    uint8_t *resident; /* a copy of the examples; NULL if they are read from the mapped file */
} idx_source;

static const char *element_name(uint8_t code)
{
    switch (code) {
    case UNSIGNED_BYTES:
        return "unsigned bytes";
    case 0x09:
        return "signed bytes";
    case 0x0b:
        return "16-bit integers";
    case 0x0c:
        return "32-bit integers";
    case 0x0d:
        return "32-bit floats";
    case 0x0e:
        return "64-bit floats";
    default:
        return NULL;
    }
}

int tri__idx_rank(const uint8_t *data, size_t size)
{
    return size >= TRI_IDX_MAGIC_BYTES && data[0] == 0 && data[1] == 0 && element_name(data[2]) ? data[3] : 0;
}

static tri_status check_magic(const char *name, const uint8_t *data, size_t size)
{
    if (size < TRI_IDX_MAGIC_BYTES)
        return tri_fail(TRI_BAD_DATA, "%s: only %zu bytes long, too short for an IDX file (cut short? fetch it again)", name, size);
    int rank = tri__idx_rank(data, size);
    if (rank == 0)
        return tri_fail(TRI_BAD_DATA,
                        "%s: byte 0: %02x %02x %02x %02x is not the magic number of an IDX file (damaged, or another format?)", name,
                        data[0], data[1], data[2], data[3]);
    if (data[2] != UNSIGNED_BYTES)
        return tri_fail(TRI_UNSUPPORTED, "%s: byte 2: holds %s; only unsigned bytes are read (convert the file)", name,
                        element_name(data[2]));
    if (rank > TRI_MAX_RANK)
        return tri_fail(TRI_UNSUPPORTED, "%s: byte 3: has %d dimensions; at most %d are read", name, rank, TRI_MAX_RANK);
    return NULL;
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

tri_status tri__idx_parse(const char *name, const uint8_t *data, size_t size, tri__idx *out)
{
    TRI_TRY(check_magic(name, data, size));
    int rank = data[3];
    size_t header = TRI_IDX_MAGIC_BYTES + 4 * (size_t)rank;
    if (size < header)
        return tri_fail(TRI_BAD_DATA, "%s: ends at byte %zu, inside its header of %zu (cut short? fetch it again)", name, size, header);
    tri_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++)
        shape.dim[i] = big_endian(data + TRI_IDX_MAGIC_BYTES + 4 * i);
    int64_t elements;
    char text[128];
    tri_status impossible = tri_shape_check(shape, &elements);
    if (impossible) {
        tri_status_free(impossible);
        return tri_fail(TRI_BAD_DATA, "%s: byte %d: dimensions %s are larger than any file (damaged? fetch it again)", name,
                        TRI_IDX_MAGIC_BYTES, tri_shape_text(shape, text, sizeof text));
    }
    if ((uint64_t)elements > size - header)
        return tri_fail(TRI_BAD_DATA, "%s: ends at byte %zu, but %s elements need %" PRIu64 " (cut short? fetch it again)", name, size,
                        tri_shape_text(shape, text, sizeof text), (uint64_t)elements + header);
    if ((uint64_t)elements < size - header)
        return tri_fail(TRI_BAD_DATA, "%s: byte %" PRIu64 ": %zu more bytes than %s elements need (damaged? fetch it again)", name,
                        (uint64_t)elements + header, size - header - (size_t)elements, tri_shape_text(shape, text, sizeof text));
    *out = (tri__idx){.shape = shape, .elements = data + header};
    return NULL;
}

static tri_status parse_labels(const char *path, const tri__content *content, tri__idx *out)
{
    TRI_TRY(tri__idx_parse(path, content->data, content->size, out));
    if (out->shape.rank != 1)
        return tri_fail(TRI_BAD_DATA, "%s: has %d dimensions where labels have one (images and labels mixed up?)", path, out->shape.rank);
    return NULL;
}

static tri_status parse_images(const char *path, const tri__content *content, tri__idx *out)
{
    TRI_TRY(tri__idx_parse(path, content->data, content->size, out));
    if (out->shape.rank < 2 || out->shape.rank > 4)
        return tri_fail(TRI_BAD_DATA,
                        "%s: has %d dimensions where images have 3 or 4, and rows of features 2 (images and labels mixed up?)", path,
                        out->shape.rank);
    return NULL;
}

static int64_t largest_label(const tri__idx *labels)
{
    uint8_t largest = 0;
    for (int64_t i = 0; i < labels->shape.dim[0]; i++)
        largest = labels->elements[i] > largest ? labels->elements[i] : largest;
    return largest;
}

/* Find the number of classes if it is 0. Otherwise check that every label is below it. */
static tri_status check_classes(const char *path, const tri__idx *labels, int64_t *classes)
{
    int64_t largest = largest_label(labels);
    if (*classes == 0)
        *classes = largest + 1;
    if (largest < *classes)
        return NULL;
    int64_t record = 0;
    while (labels->elements[record] < *classes)
        record++;
    return tri_fail(TRI_BAD_DATA,
                    "%s: record %" PRId64 " at byte %" PRId64 ": label %d where classes are 0 to %" PRId64 " (damaged? fetch it again)",
                    path, record, record + TRI_IDX_MAGIC_BYTES + 4, labels->elements[record], *classes - 1);
}

/* The shape of one example: height × width × channels of an image, or features. */
static tri_shape example_shape(tri_shape all)
{
    if (all.rank == 3)
        return TRI_SHAPE(all.dim[1], all.dim[2], 1);
    return tri_shape_of(all.rank - 1, all.dim + 1);
}

/* Copy the examples into huge pages, unless there are too many. Shuffled batches read rows from all over the set. In huge pages the
 * processor finds them without walking page tables, which saves a tenth of a small model's step. A mapped file has small pages. */
static tri_status make_resident(idx_source *self, const uint8_t *elements)
{
    const size_t bytes = (size_t)self->source.info.examples * self->source.example_bytes;
    self->source.resident_x = elements;
    if (bytes > MOST_RESIDENT || bytes == 0)
        return NULL;
    TRI_TRY(tri__buffer_allocate(bytes, "examples", &self->resident));
    self->source.resident_x = memcpy(self->resident, elements, bytes);
    return NULL;
}

static tri_status bind(idx_source *self, const char *images_path, const char *labels_path, int64_t classes)
{
    tri__idx images, labels;
    TRI_TRY(parse_images(images_path, &self->images, &images));
    TRI_TRY(parse_labels(labels_path, &self->labels, &labels));
    if (images.shape.dim[0] != labels.shape.dim[0])
        return tri_fail(TRI_BAD_DATA, "%s holds %" PRId64 " images but %s holds %" PRId64 " labels (files of two data sets mixed up?)",
                        images_path, images.shape.dim[0], labels_path, labels.shape.dim[0]);
    TRI_TRY(check_classes(labels_path, &labels, &classes));
    TRI_TRY(tri_wrap(tri__source_set_shape(&self->source, example_shape(images.shape)), "%s", images_path));
    tri_source_info *info = &self->source.info;
    info->format = "idx";
    info->examples = images.shape.dim[0];
    info->classes = classes;
    info->bytes = self->images.disk_bytes + self->labels.disk_bytes;
    info->files = 2;
    self->source.resident_labels = labels.elements;
    return make_resident(self, images.elements);
}

static void idx_destroy(tri_source *source)
{
    idx_source *self = (idx_source *)source;
    tri__content_fini(&self->images);
    tri__content_fini(&self->labels);
    tri__buffer_free(self->resident);
    free(self);
}

static const tri__source_kind idx_kind = {.read = tri__source_read_resident, .destroy = idx_destroy};

tri_status tri__idx_open(const char *images, const char *labels, int64_t classes, const char *cache_folder, tri_source **out)
{
    idx_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &idx_kind;
    tri_status status = tri__content_open(images, cache_folder, &self->images);
    if (!status)
        status = tri__content_open(labels, cache_folder, &self->labels);
    if (!status)
        status = bind(self, images, labels, classes);
    if (status) {
        idx_destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}

tri_status tri__idx_count_classes(const char *labels, const char *cache_folder, int64_t *out)
{
    tri__content content;
    TRI_TRY(tri__content_open(labels, cache_folder, &content));
    tri__idx parsed;
    tri_status status = parse_labels(labels, &content, &parsed);
    if (!status)
        *out = largest_label(&parsed) + 1;
    tri__content_fini(&content);
    return status;
}
