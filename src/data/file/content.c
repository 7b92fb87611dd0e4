/* content.c: the plain content of a file, whether or not the file is compressed.
 *
 * To inflate Fashion-MNIST takes a quarter of a second; to map its inflated copy and check it takes a few milliseconds. Hence the cache. A
 * copy's name has the checksum and the sizes of the original, so it depends on the content, not on the path. A file of several gzip
 * members has no trailer for the whole file, and a zlib file has none at all: these are inflated each time. */
#include "data/file/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "data/file/cache_file.h"
#include "data/file/gzip.h"

/* "cache/inflated/<checksum>-<compressed size>-<size>"; NULL when memory is short. */
static char *copy_path(const char *cache_folder, tri__gzip_trailer trailer, size_t compressed)
{
    char name[96];
    snprintf(name, sizeof name, "inflated/%08" PRIx32 "-%zu-%" PRIu32, trailer.crc, compressed, trailer.length);
    return tri__path_join(cache_folder, name);
}

/* Map the copy. False if it is missing or damaged. */
static bool map_copy(const char *path, uint32_t length, tri__content *out)
{
    if (!tri__cache_file_map(path, &out->mapping, &out->size))
        return false;
    if ((uint32_t)out->size != length) {
        tri__file_unmap(&out->mapping);
        return false;
    }
    out->data = out->mapping.data;
    return true;
}

/* The content may take half of the available memory. */
static tri_status inflate_file(const char *path, const tri__mapping *file, tri__content *out)
{
    size_t limit = (size_t)tri__memory_available() / 2;
    TRI_TRY(tri__gzip_inflate(path, file->data, file->size, limit, &out->inflated, &out->size));
    out->data = out->inflated;
    return NULL;
}

static tri_status open_compressed(const char *path, const char *cache_folder, const tri__mapping *file, tri__content *out)
{
    tri__gzip_trailer trailer;
    char *copy = NULL;
    if (cache_folder && tri__gzip_is(file->data, file->size) && tri__gzip_read_trailer(file->data, file->size, &trailer))
        copy = copy_path(cache_folder, trailer, file->size);
    tri_status status = NULL;
    if (!copy || !map_copy(copy, trailer.length, out)) {
        status = inflate_file(path, file, out);
        if (!status && copy && out->size == trailer.length)
            tri__cache_file_keep(copy, NULL, 0, out->data, out->size);
    }
    free(copy);
    return status;
}

tri_status tri__content_open(const char *path, const char *cache_folder, tri__content *out)
{
    *out = (tri__content){0};
    tri__mapping file;
    TRI_TRY(tri__file_map(path, &file));
    out->disk_bytes = (int64_t)file.size;
    if (tri__gzip_is(file.data, file.size) || tri__zlib_is(file.data, file.size)) {
        tri_status status = open_compressed(path, cache_folder, &file, out);
        tri__file_unmap(&file);
        return status;
    }
    out->mapping = file;
    out->data = file.data;
    out->size = file.size;
    return NULL;
}

void tri__content_fini(tri__content *content)
{
    if (content->mapping.data)
        tri__file_unmap(&content->mapping);
    free(content->inflated);
    *content = (tri__content){0};
}
