/* index.c: where the records of a file begin.
 *
 * In the cache folder an index is the file index/<checksum of path and format>-<size>-<time of change>: a header, then the offsets as they
 * are in memory. The header says which file the index belongs to; cache_file.h adds a checksum. So a damaged or foreign file is never
 * trusted, and is replaced. */
#include "data/file/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes/crc32c.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "data/file/cache_file.h"

#define MAGIC "TRIINDX3"

typedef struct {
    char magic[8];
    uint32_t name_crc, unused;
    int64_t file_bytes, changed; /* the file's size, and its time of change in nanoseconds */
    int64_t records;
    int64_t facts[TRI_INDEX_FACTS];
} header;

/* What identifies the file of an index. */
typedef struct {
    uint32_t name_crc; /* of path and format */
    int64_t file_bytes, changed;
} file_identity;

static tri_status identify(const char *path, const tri__index_format *format, file_identity *out)
{
    struct stat seen;
    char *whole = realpath(path, NULL);
    const char *known = whole ? whole : path;
    if (stat(known, &seen) != 0) {
        free(whole);
        return tri_fail(TRI_IO, "%s: cannot be looked at (removed while it was read?)", path);
    }
    out->file_bytes = seen.st_size;
    out->changed = (int64_t)seen.st_mtim.tv_sec * 1000000000 + seen.st_mtim.tv_nsec;
    out->name_crc = tri__crc32c(tri__crc32c(0, known, strlen(known) + 1), format->name, strlen(format->name));
    free(whole);
    return NULL;
}

/* "cache/index/…"; NULL when memory is short. */
static char *sidecar_path(const char *cache_folder, const file_identity *identity)
{
    char name[96];
    snprintf(name, sizeof name, "index/%08" PRIx32 "-%" PRId64 "-%" PRId64, identity->name_crc, identity->file_bytes, identity->changed);
    return tri__path_join(cache_folder, name);
}

static bool matches(const header *head, size_t size, const file_identity *identity)
{
    return size >= sizeof *head && memcmp(head->magic, MAGIC, sizeof head->magic) == 0 && head->name_crc == identity->name_crc &&
           head->file_bytes == identity->file_bytes && head->changed == identity->changed && head->records >= 0 &&
           (size - sizeof *head) / sizeof(int64_t) == (size_t)head->records && (size - sizeof *head) % sizeof(int64_t) == 0;
}

static bool map_sidecar(const char *path, const file_identity *identity, tri__index *out)
{
    size_t size;
    if (!tri__cache_file_map(path, &out->mapping, &size))
        return false;
    const header *head = (const header *)(const void *)out->mapping.data;
    if (!matches(head, size, identity)) {
        tri__file_unmap(&out->mapping);
        return false;
    }
    out->records = head->records;
    out->offsets = (const int64_t *)(const void *)(out->mapping.data + sizeof *head);
    memcpy(out->facts, head->facts, sizeof out->facts);
    return true;
}

static void keep_sidecar(const char *path, const file_identity *identity, const tri__index *index)
{
    header head = {.name_crc = identity->name_crc, .file_bytes = identity->file_bytes, .changed = identity->changed};
    head.records = index->records;
    memcpy(head.magic, MAGIC, sizeof head.magic);
    memcpy(head.facts, index->facts, sizeof head.facts);
    tri__cache_file_keep(path, &head, sizeof head, index->offsets, (size_t)index->records * sizeof *index->offsets);
}

tri_status tri__index_add(tri__index *index, int64_t offset)
{
    if (index->records == index->room) {
        TRI_TRY(tri__grow(&index->own, &index->room, index->records + 1, sizeof *index->own, "an index of records"));
        index->offsets = index->own;
    }
    index->own[index->records++] = offset;
    return NULL;
}

static tri_status open_index(const char *path, const tri__content *content, const tri__index_format *format, const char *cache_folder,
                             tri__index *out)
{
    if (!cache_folder)
        return format->scan(path, content, out);
    file_identity identity;
    TRI_TRY(identify(path, format, &identity));
    char *sidecar = sidecar_path(cache_folder, &identity);
    if (!sidecar)
        return tri_fail(TRI_NO_MEMORY, "%s: out of memory while opening it", path);
    tri_status status = NULL;
    if (!map_sidecar(sidecar, &identity, out)) {
        status = format->scan(path, content, out);
        if (!status)
            keep_sidecar(sidecar, &identity, out);
    }
    free(sidecar);
    return status;
}

tri_status tri__index_open(const char *path, const tri__content *content, const tri__index_format *format, const char *cache_folder,
                           tri__index *out)
{
    *out = (tri__index){0};
    tri_status status = open_index(path, content, format, cache_folder, out);
    if (status)
        tri__index_fini(out);
    return status;
}

void tri__index_fini(tri__index *index)
{
    if (index->mapping.data)
        tri__file_unmap(&index->mapping);
    free(index->own);
    *index = (tri__index){0};
}
