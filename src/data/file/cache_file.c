/* cache_file.c: files of the cache folder, checked when they are mapped. */
#include "data/file/cache_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "base/bytes/little_endian.h"
#include "base/file/folder.h"

enum { SUM_BYTES = 4 };

bool tri__cache_file_map(const char *path, tri__mapping *out, size_t *size)
{
    tri_status missing = tri__file_map(path, out);
    if (missing) {
        tri_status_free(missing);
        return false;
    }
    *size = out->size < SUM_BYTES ? 0 : out->size - SUM_BYTES;
    if (out->size >= SUM_BYTES && tri__little_endian_load(out->data + *size, SUM_BYTES) == tri__crc32c(0, out->data, *size))
        return true;
    tri__file_unmap(out);
    return false;
}

static tri_status write_file(const char *path, const void *head, size_t head_size, const void *data, size_t size)
{
    uint8_t sum[SUM_BYTES];
    tri__little_endian_store(sum, tri__crc32c(tri__crc32c(0, head, head_size), data, size), SUM_BYTES);
    tri__writer *writer;
    TRI_TRY(tri__writer_create(path, &writer));
    tri__writer_write(writer, head, head_size);
    tri__writer_write(writer, data, size);
    tri__writer_write(writer, sum, SUM_BYTES);
    return tri__writer_commit(writer);
}

void tri__cache_file_keep(const char *path, const void *head, size_t head_size, const void *data, size_t size)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    tri_status status = folder ? tri__folder_create(folder) : NULL;
    if (folder && !status)
        status = write_file(path, head, head_size, data, size);
    tri_status_free(status);
    free(folder);
}
