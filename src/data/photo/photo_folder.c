/* photo_folder.c: photos in folders, one folder for each class, decoded as they are read.
 *
 * Opening reads only names, and also headers if the options give no size. A reader keeps a decoder and the bytes of the last photo; both
 * grow to what the largest photo needs. */
#include "data/photo/photo_folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "base/memory/memory.h"
#include "base/text/utf8.h"
#include "data/photo/decode.h"
#include "data/photo/jpeg/jpeg.h"
#include "data/photo/png/png.h"
#include "data/photo/webp/webp.h"

typedef struct {
    tri_source source;
    tri__arena *arena;    /* owns all fields below */
    const char **paths;   /* [examples] */
    int32_t *labels;      /* [examples] */
    const char **classes; /* [info.classes], sorted */
} photo_source;

typedef struct {
    tri__reader base;
    tri__photo_decoder *decoder;
    uint8_t *bytes; /* [room] of the last photo */
    int64_t room;
} photo_reader;

static void photo_reader_destroy(tri__reader *reader)
{
    photo_reader *self = (photo_reader *)reader;
    tri__photo_decoder_destroy(self->decoder);
    free(self->bytes);
    free(self);
}

static tri_status photo_reader_create(tri_source *source, tri__reader **out)
{
    photo_reader *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a reader of photos", &self));
    self->base.source = source;
    tri_status status = tri__photo_decoder_create(&self->decoder);
    if (status) {
        photo_reader_destroy(&self->base);
        return status;
    }
    *out = &self->base;
    return NULL;
}

static tri_status photo_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    photo_reader *self = (photo_reader *)reader;
    const photo_source *source = (const photo_source *)reader->source;
    const tri_shape shape = source->source.info.shape;
    size_t size;
    *to->label = source->labels[record];
    TRI_TRY(tri__file_load(source->paths[record], &self->bytes, &self->room, &size));
    tri_status status = tri__photo_decode(self->decoder, self->bytes, size, shape.dim[0], shape.dim[1], shape.dim[2], to->x);
    if (tri_status_code(status) != TRI_BAD_DATA)
        return status;
    tri_status told = tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 ": %s (replace the photo, or --skip-bad skips it)",
                               source->paths[record], record, tri_status_message(status));
    tri_status_free(status);
    return told;
}

static void photo_destroy(tri_source *source)
{
    photo_source *self = (photo_source *)source;
    tri__arena_destroy(self->arena);
    free(self);
}

static int32_t photo_class_of(const tri_source *source, int64_t record)
{
    return ((const photo_source *)source)->labels[record];
}

static const char *photo_file_of(const tri_source *source, int64_t record)
{
    return ((const photo_source *)source)->paths[record];
}

static const tri__source_kind photo_kind = {
    .read = photo_read,
    .reader_create = photo_reader_create,
    .reader_destroy = photo_reader_destroy,
    .class_of = photo_class_of,
    .file_of = photo_file_of,
    .destroy = photo_destroy,
};

static tri_status no_memory(const tri__file_set *set)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for the %zu photos of %s", tri__file_set_count(set), set->spec);
}

/* The name of the folder that path is in. Returns its length, as no NUL ends it. */
static size_t folder_of(const char *path, const char **name)
{
    const char *end = strrchr(path, '/');
    if (!end) {
        *name = ".";
        return 1;
    }
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    *name = begin;
    return (size_t)(end - begin);
}

/* Whether neighbour is in a subfolder of the folder that path is in. */
static bool is_above(const char *path, const char *neighbour)
{
    size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    return strncmp(path, neighbour, length) == 0 && strchr(neighbour + length, '/');
}

static bool lies_directly_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    return strncmp(path, folder, length) == 0 && path[length] == '/' && !strchr(path + length + strspn(path + length, "/"), '/');
}

/* A photo has no class if it is directly in the data set's folder, in the folder of a part (train/a.jpg, test/b.jpg), or beside folders
 * of classes. Paths are sorted, so if a folder holds photos and folders of photos, some of both are neighbours in the list. */
static tri_status check_place(const tri__file_set *set, tri_part part, size_t i, const char *class)
{
    const tri__file_list *list = &set->part[part];
    const char *path = list->paths[i];
    bool lost = lies_directly_in(set->spec, path) || (part != TRI_PART_TRAIN && tri__folder_part(class) != TRI_PART_TRAIN);
    if (strchr(path, '/')) {
        lost |= i > 0 && is_above(path, list->paths[i - 1]);
        lost |= i + 1 < list->count && is_above(path, list->paths[i + 1]);
    }
    return lost ? tri_fail(TRI_BAD_DATA, "%s: lies in no folder of a class (put the photos of each class into a folder of that name)", path)
                : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_named(const char *class, const char *name, size_t length)
{
    return strncmp(class, name, length) == 0 && !class[length];
}

/* Names of classes are written into checkpoints as JSON, so they must be UTF-8. */
static tri_status check_name(const char *class, const char *path)
{
    if (tri__utf8_length(class, strlen(class)) == strlen(class))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: the name of its folder, which is the name of its class, is not UTF-8 text (rename the folder)",
                    path);
}

/* Add the names of a part's folders to classes. Paths are sorted, so neighbours mostly share a folder. */
static tri_status add_classes(photo_source *self, const tri__file_set *set, tri_part part, size_t *count)
{
    for (size_t i = 0; i < set->part[part].count; i++) {
        const char *name;
        size_t length = folder_of(set->part[part].paths[i], &name);
        bool known = *count > 0 && is_named(self->classes[*count - 1], name, length);
        if (!known && !(self->classes[(*count)++] = tri__arena_format(self->arena, "%.*s", (int)length, name)))
            return no_memory(set);
        TRI_TRY(check_place(set, part, i, self->classes[*count - 1]));
        if (!known)
            TRI_TRY(check_name(self->classes[*count - 1], set->part[part].paths[i]));
    }
    return NULL;
}

/* Find the names of all folders that hold photos, sorted, each once. */
static tri_status find_classes(photo_source *self, const tri__file_set *set)
{
    size_t photos = tri__file_set_count(set), count = 0, kept = 0;
    self->classes = tri__arena_alloc(self->arena, photos * sizeof *self->classes);
    if (!self->classes)
        return no_memory(set);
    for (int part = 0; part < TRI_PARTS; part++)
        TRI_TRY(add_classes(self, set, (tri_part)part, &count));
    qsort(self->classes, count, sizeof *self->classes, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(self->classes[kept - 1], self->classes[i]) != 0)
            self->classes[kept++] = self->classes[i];
    self->source.info.classes = (int64_t)kept;
    self->source.info.class_names = self->classes;
    return NULL;
}

/* The class of a photo, by bisection. A name comes before longer names that begin with it. */
static int32_t class_of(const photo_source *self, const char *path)
{
    const char *name;
    size_t length = folder_of(path, &name);
    int32_t low = 0, high = (int32_t)self->source.info.classes - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (strncmp(self->classes[middle], name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static tri_status take_photos(photo_source *self, const tri__file_set *set, const tri__file_list *list)
{
    self->paths = tri__arena_alloc(self->arena, list->count * sizeof *self->paths);
    self->labels = tri__arena_alloc(self->arena, list->count * sizeof *self->labels);
    if (!self->paths || !self->labels)
        return no_memory(set);
    tri_source_info *info = &self->source.info;
    for (size_t i = 0; i < list->count; i++) {
        if (!(self->paths[i] = tri__arena_copy(self->arena, list->paths[i])))
            return no_memory(set);
        self->labels[i] = self->source.info.unlabelled ? 0 : class_of(self, list->paths[i]);
        info->bytes += tri__file_size(list->paths[i]);
    }
    info->files = info->examples = (int64_t)list->count;
    return NULL;
}

/* Compare one photo's size with that of the first. Damage is not reported here, but when the photo is read. */
static tri_status compare_size(photo_source *self, photo_reader *reader, int64_t record, bool any_size, tri_shape *first,
                               int64_t *first_record)
{
    int64_t height, width;
    size_t size;
    TRI_TRY(tri__file_load(self->paths[record], &reader->bytes, &reader->room, &size));
    tri_status status = tri__photo_size(reader->decoder, reader->bytes, size, &height, &width);
    if (status) {
        bool damaged = tri_status_code(status) == TRI_BAD_DATA;
        if (damaged)
            tri_status_free(status);
        return damaged ? NULL : status;
    }
    if (first->rank == 0) {
        *first = TRI_SHAPE(height, width, 3);
        *first_record = record;
    }
    if (first->dim[0] == height && first->dim[1] == width)
        return NULL;
    self->source.info.several_sizes = true;
    if (any_size)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "photos of several sizes: %s is %" PRId64 "×%" PRId64 ", %s is %" PRId64 "×%" PRId64
                    " (`trireme data convert --resize WxH` brings them to one size, and so does a model that says which, as flowers "
                    "does with input(96x96x3))",
                    self->paths[*first_record], first->dim[1], first->dim[0], self->paths[record], width, height);
}

/* Find the size that all photos have or, with any_size, the size of the first. */
static tri_status find_size(photo_source *self, bool any_size, tri_shape *out)
{
    tri__reader *reader;
    TRI_TRY(photo_reader_create(&self->source, &reader));
    tri_status status = NULL;
    int64_t first = 0;
    *out = (tri_shape){0};
    for (int64_t i = 0; i < self->source.info.examples && !status; i++)
        status = compare_size(self, (photo_reader *)reader, i, any_size, out, &first);
    photo_reader_destroy(reader);
    if (!status && out->rank == 0)
        status = tri_fail(TRI_BAD_DATA, "none of the %" PRId64 " photos can be read; the first is %s", self->source.info.examples,
                          self->paths[0]);
    return status;
}

static const char *name_format(const tri__file_format *format)
{
    return format == &tri__jpeg_folder_format   ? "jpeg"
           : format == &tri__png_folder_format  ? "png"
           : format == &tri__webp_folder_format ? "webp"
                                                : "photos";
}

/* With labels_optional, a photo outside the folders of classes means that there are no classes. */
static tri_status find_classes_or_none(photo_source *self, const tri__file_set *set, const tri_source_options *options)
{
    tri_status status = find_classes(self, set);
    if (!options->labels_optional || tri_status_code(status) != TRI_BAD_DATA)
        return status;
    tri_status_free(status);
    self->source.info.unlabelled = true;
    return NULL;
}

static tri_status fill(photo_source *self, const tri__file_set *set, tri_part part, const tri_source_options *options)
{
    TRI_TRY(tri__arena_create(&self->arena));
    TRI_TRY(find_classes_or_none(self, set, options));
    TRI_TRY(take_photos(self, set, &set->part[part]));
    self->source.info.format = name_format(set->format);
    self->source.info.by_folder = true;
    tri_shape shape = TRI_SHAPE(options->height, options->width, 3);
    if (options->height == 0 || options->width == 0)
        TRI_TRY(tri_wrap(find_size(self, options->any_size, &shape), "%s", set->spec));
    shape.dim[2] = options->grey ? 1 : 3;
    return tri_wrap(tri__source_set_shape(&self->source, shape), "%s", set->spec);
}

static tri_status open_folder(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    photo_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &photo_kind;
    tri_status status = fill(self, set, part, options);
    if (status) {
        photo_destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}

const tri__file_format tri__jpeg_folder_format = {
    .name = "JPEG",
    .description = "JPEG, PNG or WebP photos, a folder for each class",
    .marks = {".jpg", ".jpeg"},
    .is = tri__jpeg_is,
    .open = open_folder,
    .by_folder = true,
    .by_head = true,
};

const tri__file_format tri__png_folder_format = {
    .name = "PNG",
    .marks = {".png"},
    .is = tri__png_is,
    .open = open_folder,
    .by_folder = true,
    .by_head = true,
};

const tri__file_format tri__webp_folder_format = {
    .name = "WebP",
    .marks = {".webp"},
    .is = tri__webp_is,
    .open = open_folder,
    .by_folder = true,
    .by_head = true,
};
