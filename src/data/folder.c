/* folder.c: data files in a folder, recognised by what they hold.
 *
 * IDX files say by their magic number whether they are images or labels. CIFAR-10 batches have none: a file is taken for one where its
 * size is a multiple of a record's and its first labels are classes. Only the part, train or test, is in the name alone. A name that
 * speaks of IDX counts where the magic number does not, so that damage is reported as damage. */
#include "data/folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "data/cifar.h"
#include "data/gzip.h"
#include "data/idx.h"

typedef enum { FILE_OTHER, FILE_IMAGES, FILE_LABELS, FILE_BATCH } file_kind;

typedef struct {
    const char *images, *labels; /* an IDX pair; NULL where there is none */
    const char **batches;        /* [batch_count] CIFAR-10 files, by name */
    size_t batch_count;
} part_files;

typedef struct {
    const char *path;
    tri__arena *arena; /* owns all paths */
    part_files parts[2];
} folder;

static const char *part_name(tri_part part)
{
    return part == TRI_PART_TEST ? "test" : "train";
}

static tri_part part_of(const char *name)
{
    return strstr(name, "t10k") || strstr(name, "test") ? TRI_PART_TEST : TRI_PART_TRAIN;
}

static file_kind kind_by_content(const tri__mapping *file)
{
    uint8_t magic[TRI_IDX_MAGIC_BYTES];
    bool compressed = tri__gzip_is(file->data, file->size);
    const uint8_t *begin = compressed ? magic : file->data;
    size_t size = compressed ? tri__gzip_peek(file->data, file->size, magic, sizeof magic) : file->size;
    int rank = tri__idx_rank(begin, size);
    if (rank)
        return rank == 1 ? FILE_LABELS : FILE_IMAGES;
    return tri__cifar_is(file->data, file->size) ? FILE_BATCH : FILE_OTHER;
}

static file_kind kind_by_name(const char *name)
{
    if (strstr(name, "images") && strstr(name, "idx"))
        return FILE_IMAGES;
    if (strstr(name, "labels") && strstr(name, "idx"))
        return FILE_LABELS;
    return FILE_OTHER;
}

static tri_status kind_of(const char *path, const char *name, file_kind *out)
{
    tri__mapping file;
    TRI_TRY(tri__file_map(path, &file));
    *out = kind_by_content(&file);
    tri__file_unmap(&file);
    if (*out == FILE_OTHER)
        *out = kind_by_name(name);
    return NULL;
}

/* Take path as the file of its sort. The list is sorted, so a plain file comes before its compressed twin, which is left out. */
static tri_status take(const char **slot, const char *path, const char *what)
{
    if (!*slot) {
        *slot = path;
        return NULL;
    }
    size_t length = strlen(*slot);
    if (strncmp(*slot, path, length) == 0 && strcmp(path + length, ".gz") == 0)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s and %s are both %s: which is meant? (give the path of the images file instead of the folder)", *slot,
                    path, what);
}

static tri_status take_file(folder *self, const char *name, size_t names)
{
    char *path = tri__arena_format(self->arena, "%s/%s", self->path, name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "out of memory while looking through %s", self->path);
    if (!tri__file_exists(path) || tri__folder_exists(path))
        return NULL;
    part_files *part = &self->parts[part_of(name)];
    file_kind kind;
    TRI_TRY(kind_of(path, name, &kind));
    if (kind == FILE_IMAGES)
        return take(&part->images, path, "images");
    if (kind == FILE_LABELS)
        return take(&part->labels, path, "labels");
    if (kind == FILE_BATCH) {
        if (!part->batches)
            part->batches = tri__arena_alloc(self->arena, names * sizeof *part->batches);
        if (!part->batches)
            return tri_fail(TRI_NO_MEMORY, "out of memory while looking through %s", self->path);
        part->batches[part->batch_count++] = path;
    }
    return NULL;
}

static tri_status look_through(folder *self)
{
    char **names;
    size_t count;
    TRI_TRY(tri__folder_list(self->path, &names, &count));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = take_file(self, names[i], count);
    tri__folder_free(names, count);
    return status;
}

/* Both parts must agree on the number of classes, though a rare one may be missing in either. */
static tri_status count_classes(const folder *self, const char *cache_folder, int64_t *classes)
{
    *classes = 0;
    for (int part = 0; part < 2; part++) {
        int64_t seen = 0;
        if (self->parts[part].labels)
            TRI_TRY(tri__idx_count_classes(self->parts[part].labels, cache_folder, &seen));
        *classes = seen > *classes ? seen : *classes;
    }
    return NULL;
}

static tri_status open_part(const folder *self, tri_part part, int64_t classes, const char *cache_folder, tri_source **out)
{
    const part_files *files = &self->parts[part], *other = &self->parts[1 - part];
    if (files->batch_count)
        return tri__cifar_open(files->batches, files->batch_count, out);
    if (files->images && files->labels) {
        if (classes == 0)
            TRI_TRY(count_classes(self, cache_folder, &classes));
        return tri__idx_open(files->images, files->labels, classes, cache_folder, out);
    }
    if (files->images || files->labels)
        return tri_fail(TRI_BAD_DATA, "%s: has no %s (a data set needs both files, images and labels)",
                        files->images ? files->images : files->labels, files->images ? "labels beside it" : "images beside it");
    if (other->images || other->labels || other->batch_count)
        return tri_fail(TRI_NOT_FOUND, "%s: has no %s part", self->path, part_name(part));
    return tri_fail(TRI_BAD_DATA,
                    "%s: no data files of a known format in this folder (IDX: train-images-idx3-ubyte and train-labels-idx1-ubyte, "
                    "plain or .gz; CIFAR-10: data_batch_1.bin, …)",
                    self->path);
}

static tri_status open_folder(const char *path, tri_part part, int64_t classes, const char *cache_folder, tri_source **out)
{
    folder self = {.path = path};
    TRI_TRY(tri__arena_create(&self.arena));
    tri_status status = look_through(&self);
    if (!status)
        status = open_part(&self, part, classes, cache_folder, out);
    tri__arena_destroy(self.arena);
    return status;
}

/* Replace the last `from` in text's file name by `to` of the same length. */
static void rename_last(char *text, const char *from, const char *to)
{
    char *slash = strrchr(text, '/'), *found = NULL;
    for (char *at = slash ? slash : text; (at = strstr(at, from)); at++)
        found = at;
    for (size_t i = 0; found && to[i]; i++)
        found[i] = to[i];
}

/* The labels file that goes with an images file, by name: the same compression, or the other one. */
static tri_status find_labels(tri__arena *arena, const char *images, const char **out)
{
    char *labels = tri__arena_copy(arena, images);
    char *other = labels ? tri__arena_format(arena, "%s.gz", images) : NULL;
    if (!other)
        return tri_fail(TRI_NO_MEMORY, "out of memory while looking for the labels of %s", images);
    size_t length = strlen(images);
    if (length > 3 && strcmp(images + length - 3, ".gz") == 0)
        other[length - 3] = 0;
    for (char **name = (char *[]){labels, other, NULL}; *name; name++) {
        rename_last(*name, "images", "labels");
        rename_last(*name, "idx3", "idx1");
        if (strcmp(labels, images) != 0 && tri__file_exists(*name)) {
            *out = *name;
            return NULL;
        }
    }
    return tri_fail(TRI_NOT_FOUND, "%s: its labels are not beside it (looked for %s)", images,
                    strcmp(labels, images) != 0 ? labels : "a file with 'labels' in the place of 'images'");
}

static tri_status open_pair(const char *images, int64_t classes, const char *cache_folder, tri_source **out)
{
    tri__arena *arena;
    TRI_TRY(tri__arena_create(&arena));
    const char *labels;
    tri_status status = find_labels(arena, images, &labels);
    if (!status)
        status = tri__idx_open(images, labels, classes, cache_folder, out);
    tri__arena_destroy(arena);
    return status;
}

static tri_status open_file(const char *path, tri_part part, int64_t classes, const char *cache_folder, tri_source **out)
{
    file_kind kind;
    TRI_TRY(kind_of(path, path, &kind));
    if (kind == FILE_OTHER)
        return tri_fail(TRI_BAD_DATA, "%s: not a file of a known format (IDX images, plain or .gz; a CIFAR-10 batch)", path);
    if (kind == FILE_LABELS)
        return tri_fail(TRI_BAD_CALL, "%s: holds labels; give the images file, or the folder", path);
    if (part == TRI_PART_TEST)
        return tri_fail(TRI_NOT_FOUND, "%s: one file has no test part", path);
    if (kind == FILE_BATCH)
        return tri__cifar_open(&path, 1, out);
    return open_pair(path, classes, cache_folder, out);
}

tri_status tri__folder_open(const char *path, tri_part part, int64_t classes, const char *cache_folder, tri_source **out)
{
    return tri__folder_exists(path) ? open_folder(path, part, classes, cache_folder, out)
                                    : open_file(path, part, classes, cache_folder, out);
}
