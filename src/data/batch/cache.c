/* cache.c: decoded examples by record number, in memory and on disk.
 *
 * A record's number gives its offset. A byte for each record holds its state. The thread that changes ABSENT to ARRIVING writes the
 * example and then sets PRESENT; meanwhile other threads decode that example themselves. Memory is mapped, so it costs nothing until it is
 * written. */
#define _GNU_SOURCE /* O_TMPFILE, preadv */
#include "data/batch/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"

enum { ABSENT, ARRIVING, PRESENT };

struct tri__cache {
    int64_t records;
    int64_t resident; /* how many records, the first ones, are in memory */
    size_t stride;    /* bytes for one example: x, or keys and values */
    size_t part[2];   /* bytes of stride for x or keys, and for values; a sparse example uses as much of each as it has features */
    uint8_t *memory;  /* [resident][stride] */
    int file;         /* [records − resident][stride]; −1: none */
    int32_t *labels;  /* [records] */
    float *targets;   /* [records][outputs]; NULL where labels are classes */
    int64_t outputs;
    int32_t *counts;        /* [records] features of each; NULL where examples are dense */
    _Atomic uint8_t *state; /* [records] */
    _Atomic int error;      /* errno of the first write that failed; after it nothing is written */
};

static tri_status open_file(tri__cache *cache, const char *folder)
{
    TRI_TRY(tri__folder_create(folder));
    cache->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (cache->file >= 0)
        return NULL;
    char *path; /* a file system without O_TMPFILE: a file that is unlinked at once */
    if (asprintf(&path, "%s/decoded-XXXXXX", folder) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a cache file");
    cache->file = mkostemp(path, O_CLOEXEC);
    tri_status status = NULL;
    if (cache->file < 0)
        status = tri_fail(TRI_IO, "%s: cannot make a file for decoded examples: %s", folder, strerror(errno));
    else
        unlink(path);
    free(path);
    return status;
}

static tri_status prepare(tri__cache *cache, int64_t memory, const char *folder)
{
    if (memory == 0)
        memory = tri__memory_available() / 2;
    const size_t labelled = sizeof *cache->labels + (size_t)cache->outputs * sizeof *cache->targets;
    int64_t fitting = memory / (int64_t)(cache->stride + labelled + 1);
    cache->resident = fitting < cache->records ? fitting : cache->records;
    TRI_TRY(tri__buffer_allocate((size_t)cache->records * sizeof *cache->labels, "the labels of cached examples", &cache->labels));
    if (cache->outputs)
        TRI_TRY(tri__buffer_allocate((size_t)(cache->records * cache->outputs) * sizeof *cache->targets, "the targets of cached examples",
                                     &cache->targets));
    if (cache->part[1])
        TRI_TRY(tri__buffer_allocate((size_t)cache->records * sizeof *cache->counts, "the sizes of cached examples", &cache->counts));
    TRI_TRY(tri__buffer_allocate((size_t)cache->records, "the state of cached examples", &cache->state));
    TRI_TRY(tri__buffer_allocate((size_t)cache->resident * cache->stride, "cached examples (--cache-memory bounds them)", &cache->memory));
    return cache->resident < cache->records && folder ? open_file(cache, folder) : NULL;
}

tri_status tri__cache_create(const tri_source *source, int64_t records, int64_t memory, const char *folder, tri__cache **out)
{
    tri__cache *cache;
    TRI_TRY(tri__allocate(1, sizeof *cache, "a cache of examples", &cache));
    size_t entries = (size_t)source->info.width * sizeof(float);
    *cache = (tri__cache){.records = records, .file = -1, .outputs = source->info.outputs};
    cache->part[0] = entries ? entries : source->example_bytes;
    cache->part[1] = entries;
    cache->stride = cache->part[0] + cache->part[1];
    tri_status status = prepare(cache, memory, folder);
    if (status) {
        tri__cache_destroy(cache);
        return status;
    }
    *out = cache;
    return NULL;
}

void tri__cache_destroy(tri__cache *cache)
{
    if (!cache)
        return;
    if (cache->file >= 0)
        close(cache->file);
    tri__buffer_free(cache->memory);
    tri__buffer_free(cache->labels);
    tri__buffer_free(cache->targets);
    tri__buffer_free(cache->counts);
    tri__buffer_free((void *)cache->state);
    free(cache);
}

/* The parts of an example, for preadv and pwritev. Returns the bytes of both parts. */
static size_t parts_of(const tri__cache *cache, const tri__example_target *example, struct iovec parts[2])
{
    size_t features = cache->counts ? (size_t)*example->count * sizeof(float) : 0;
    parts[0] = (struct iovec){.iov_base = example->x ? (void *)example->x : (void *)example->keys,
                              .iov_len = cache->counts ? features : cache->part[0]};
    parts[1] = (struct iovec){.iov_base = example->values, .iov_len = features};
    return parts[0].iov_len + features;
}

static off_t offset_of(const tri__cache *cache, int64_t record)
{
    return (off_t)((record - cache->resident) * (int64_t)cache->stride);
}

bool tri__cache_get(tri__cache *cache, int64_t record, const tri__example_target *to)
{
    if (atomic_load_explicit(&cache->state[record], memory_order_acquire) != PRESENT)
        return false;
    struct iovec parts[2];
    if (cache->counts)
        *to->count = cache->counts[record];
    size_t bytes = parts_of(cache, to, parts);
    if (record >= cache->resident) {
        if (preadv(cache->file, parts, cache->part[1] ? 2 : 1, offset_of(cache, record)) != (ssize_t)bytes)
            return false;
    } else {
        const uint8_t *from = cache->memory + (size_t)record * cache->stride;
        memcpy(parts[0].iov_base, from, parts[0].iov_len);
        if (parts[1].iov_len)
            memcpy(parts[1].iov_base, from + parts[0].iov_len, parts[1].iov_len);
    }
    *to->label = cache->labels[record];
    if (cache->targets)
        memcpy(to->targets, cache->targets + record * cache->outputs, (size_t)cache->outputs * sizeof *to->targets);
    return true;
}

bool tri__cache_holds(const tri__cache *cache, int64_t record)
{
    return record < cache->resident && atomic_load_explicit(&cache->state[record], memory_order_acquire) == PRESENT;
}

static bool write_to_disk(tri__cache *cache, int64_t record, const struct iovec parts[2], size_t bytes)
{
    if (cache->file < 0 || atomic_load(&cache->error))
        return false;
    ssize_t written = pwritev(cache->file, parts, cache->part[1] ? 2 : 1, offset_of(cache, record));
    if (written == (ssize_t)bytes)
        return true;
    atomic_store(&cache->error, written < 0 ? errno : ENOSPC);
    return false;
}

void tri__cache_put(tri__cache *cache, int64_t record, const tri__example_target *from)
{
    uint8_t absent = ABSENT;
    if (!atomic_compare_exchange_strong(&cache->state[record], &absent, ARRIVING))
        return;
    struct iovec parts[2];
    size_t bytes = parts_of(cache, from, parts);
    bool kept = true;
    if (cache->counts)
        cache->counts[record] = (int32_t)*from->count;
    if (record >= cache->resident) {
        kept = write_to_disk(cache, record, parts, bytes);
    } else {
        uint8_t *to = cache->memory + (size_t)record * cache->stride;
        memcpy(to, parts[0].iov_base, parts[0].iov_len);
        if (parts[1].iov_len)
            memcpy(to + parts[0].iov_len, parts[1].iov_base, parts[1].iov_len);
    }
    cache->labels[record] = *from->label;
    if (cache->targets)
        memcpy(cache->targets + record * cache->outputs, from->targets, (size_t)cache->outputs * sizeof *from->targets);
    atomic_store_explicit(&cache->state[record], kept ? PRESENT : ABSENT, memory_order_release);
}

void tri__cache_trouble(const tri__cache *cache, char *text, size_t size)
{
    int error = atomic_load(&cache->error);
    *text = '\0';
    if (error)
        snprintf(text, size, "the cache of decoded examples cannot grow: %s (--cache-memory lets it use more memory)", strerror(error));
    else if (cache->resident < cache->records && cache->file < 0)
        snprintf(text, size,
                 "the cache holds %lld of %lld examples: there is no cache folder for the others (--cache-memory gives more memory)",
                 (long long)cache->resident, (long long)cache->records);
}
