/* content.c: what a file holds, plain, whether or not it is compressed on disk.
 *
 * Inflating Fashion-MNIST takes a quarter of a second, mapping its inflated copy and checking it a few milliseconds: hence the cache. A
 * copy is known by the checksum and the sizes in the original's trailer, so it follows the content, not the path. Files of several
 * gzip members have no such trailer for the whole, zlib files have none at all; they are inflated each time.
 *
 * A copy ends with a CRC-32C of what is before it, which is checked whenever a copy is opened: it is the checksum that CPUs have an
 * instruction for, so it costs one pass through the copy at about the speed of memory. */
#include "data/file/content.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"
#include "data/file/gzip.h"

enum { SUM_BYTES = 4 };

/* "cache/inflated/<checksum>-<compressed size>-<size>"; NULL when memory is short. */
static char *copy_path(const char *cache_folder, tri__gzip_trailer trailer, size_t compressed)
{
    char name[96];
    snprintf(name, sizeof name, "inflated/%08" PRIx32 "-%zu-%" PRIu32, trailer.crc, compressed, trailer.length);
    return tri__path_join(cache_folder, name);
}

static bool is_whole(const tri__mapping *copy, uint32_t length)
{
    uint32_t written;
    if (copy->size < SUM_BYTES || (uint32_t)(copy->size - SUM_BYTES) != length)
        return false;
    memcpy(&written, copy->data + copy->size - SUM_BYTES, SUM_BYTES);
    return written == htole32(tri__crc32c(0, copy->data, copy->size - SUM_BYTES));
}

/* Map the copy where it is there and whole; a damaged one is replaced. */
static bool map_copy(const char *path, uint32_t length, tri__content *out)
{
    tri_status missing = tri__file_map(path, &out->mapping);
    if (missing) {
        tri_status_free(missing);
        return false;
    }
    if (!is_whole(&out->mapping, length)) {
        tri__file_unmap(&out->mapping);
        return false;
    }
    out->data = out->mapping.data;
    out->size = out->mapping.size - SUM_BYTES;
    return true;
}

static tri_status write_copy(const char *path, const tri__content *content)
{
    tri__writer *writer;
    TRI_TRY(tri__writer_create(path, &writer));
    uint32_t sum = htole32(tri__crc32c(0, content->data, content->size));
    tri__writer_write(writer, content->data, content->size);
    tri__writer_write(writer, &sum, SUM_BYTES);
    return tri__writer_commit(writer);
}

/* The cache is a convenience: a folder that cannot be written only makes the next run inflate again. */
static void leave_copy(const char *cache_folder, const char *path, const tri__content *content)
{
    char *folder = tri__path_join(cache_folder, "inflated");
    tri_status status = folder ? tri__folder_create(folder) : NULL;
    if (folder && !status)
        status = write_copy(path, content);
    tri_status_free(status);
    free(folder);
}

/* Half of the memory that is available is left to everything else. */
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
            leave_copy(cache_folder, copy, out);
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
