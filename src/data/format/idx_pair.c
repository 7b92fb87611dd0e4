/* idx_pair.c: puts the IDX files of a data set together into pairs of images and labels.
 *
 * The number of dimensions of an IDX file says whether it holds images or labels. If its magic number is damaged, its name decides, so
 * that damage is reported as damage. */
#include "data/format/idx_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "data/file/gzip.h"
#include "data/format/idx.h"

typedef struct {
    const char *images, *labels; /* NULL if there is none */
} pair;

static tri_status is_labels(const char *path, bool *out)
{
    tri__mapping file;
    TRI_TRY(tri__file_map(path, &file));
    uint8_t magic[TRI_IDX_MAGIC_BYTES];
    bool compressed = tri__gzip_is(file.data, file.size);
    size_t size = compressed ? tri__gzip_peek(file.data, file.size, magic, sizeof magic) : file.size;
    int rank = tri__idx_rank(compressed ? magic : file.data, size);
    tri__file_unmap(&file);
    *out = rank ? rank == 1 : strstr(path, "labels") != NULL;
    return NULL;
}

/* Take path as the part's file of images, or of labels. The list is sorted, so a plain file comes before its compressed copy, which is left
 * out. */
static tri_status take(const char **chosen, const char *path, const char *what)
{
    if (!*chosen) {
        *chosen = path;
        return NULL;
    }
    size_t length = strlen(*chosen);
    if (strncmp(*chosen, path, length) == 0 && strcmp(path + length, ".gz") == 0)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s and %s are both %s: which is meant? (give the path of the images file instead of the folder)",
                    *chosen, path, what);
}

static tri_status find_pair(const tri__file_list *files, pair *out)
{
    *out = (pair){0};
    for (size_t i = 0; i < files->count; i++) {
        bool labels;
        TRI_TRY(is_labels(files->paths[i], &labels));
        TRI_TRY(labels ? take(&out->labels, files->paths[i], "labels") : take(&out->images, files->paths[i], "images"));
    }
    return NULL;
}

/* All parts must have the same number of classes, though a rare class may be missing in one of them. */
static tri_status count_classes(const pair pairs[TRI_PARTS], const char *cache_folder, int64_t *classes)
{
    for (int part = 0; part < TRI_PARTS; part++) {
        int64_t seen = 0;
        if (pairs[part].labels)
            TRI_TRY(tri__idx_count_classes(pairs[part].labels, cache_folder, &seen));
        *classes = seen > *classes ? seen : *classes;
    }
    return NULL;
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

/* Find the labels file that belongs to an images file, by name; either may be compressed. */
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

static tri_status open_beside(const char *images, int64_t classes, const char *cache_folder, tri_source **out)
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

/* Open the only file that the user named. */
static tri_status open_one(const char *path, const pair *files, int64_t classes, const char *cache_folder, tri_source **out)
{
    if (files->labels)
        return tri_fail(TRI_BAD_CALL, "%s: holds labels; give the images file, or the folder", path);
    return open_beside(path, classes, cache_folder, out);
}

static tri_status open_pair(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    pair pairs[TRI_PARTS];
    for (int i = 0; i < TRI_PARTS; i++)
        TRI_TRY(find_pair(&set->part[i], &pairs[i]));
    const pair *files = &pairs[part];
    const tri__file_list *list = &set->part[part];
    if (list->count == 1 && strcmp(list->paths[0], set->spec) == 0)
        return open_one(set->spec, files, set->classes, options->cache_folder, out);
    if (!files->images || !files->labels)
        return tri_fail(TRI_BAD_DATA, "%s: has no %s (a data set needs both files, images and labels)",
                        files->images ? files->images : files->labels, files->images ? "labels beside it" : "images beside it");
    int64_t classes = set->classes;
    if (classes == 0)
        TRI_TRY(count_classes(pairs, options->cache_folder, &classes));
    return tri__idx_open(files->images, files->labels, classes, options->cache_folder, out);
}

static bool is_idx(const uint8_t *head, size_t size)
{
    return tri__idx_rank(head, size) > 0;
}

const tri__file_format tri__idx_format = {
    .name = "IDX",
    .description = "IDX images and labels, plain or .gz",
    .marks = {"-idx", ".idx1", ".idx3"},
    .is = is_idx,
    .open = open_pair,
    .by_head = true,
};
