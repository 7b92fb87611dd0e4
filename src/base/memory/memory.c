/* memory.c: checked sizes, aligned buffers, and memory that grows.
 *
 * Before each buffer stands a head of TRI_ALIGNMENT bytes that says how the buffer was allocated. Large buffers are mapped: the kernel
 * provides zeroed pages when they are first touched, so that memory that is never used does not count, and huge pages save most of the
 * address translation. */
#include "base/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_ROOM 64 /* elements of an array that grows */

static const size_t huge_page = (size_t)2 << 20;

typedef struct {
    size_t mapped; /* bytes of the mapping that begins here; 0: heap memory */
} prefix;

_Static_assert(sizeof(prefix) <= TRI_ALIGNMENT, "the prefix must fit in front of an aligned buffer");

bool tri__size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static tri_status no_memory(const char *what, size_t bytes)
{
    return tri_fail(TRI_NO_MEMORY,
                    "no memory for %s (%zu bytes): close other programs, or compute less at once (a smaller batch, smaller blocks)", what,
                    bytes);
}

static tri_status more_than_any_machine(const char *what, size_t count, size_t size)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for %s (%zu times %zu bytes is more than any machine has)", what, count, size);
}

tri_status tri__allocate(size_t count, size_t size, const char *what, void *out)
{
    void *memory = NULL;
    size_t bytes;
    if (!tri__size_multiply(count, size, &bytes))
        return more_than_any_machine(what, count, size);
    memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        return no_memory(what, bytes);
    memcpy(out, &memory, sizeof memory);
    return NULL;
}

/* Zeroed pages that begin at a multiple of the huge page's size; NULL when memory is short. */
static char *map_pages(size_t bytes)
{
    char *start = mmap(NULL, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t skip = (huge_page - (uintptr_t)start % huge_page) % huge_page;
    if (skip)
        munmap(start, skip);
    munmap(start + skip + bytes, huge_page - skip);
    madvise(start + skip, bytes, MADV_HUGEPAGE); /* may fail: the buffer works without huge pages, only slower */
    return start + skip;
}

tri_status tri__buffer_allocate(size_t bytes, const char *what, void *out)
{
    if (bytes > SIZE_MAX - 2 * huge_page)
        return no_memory(what, bytes);
    size_t total = TRI_ALIGNMENT + bytes;
    bool large = total >= huge_page;
    size_t unit = large ? huge_page : TRI_ALIGNMENT;
    total = (total + unit - 1) / unit * unit;
    char *start = large ? map_pages(total) : aligned_alloc(TRI_ALIGNMENT, total);
    if (!start)
        return no_memory(what, bytes);
    if (!large)
        memset(start, 0, total);
    ((prefix *)(void *)start)->mapped = large ? total : 0;
    void *buffer = start + TRI_ALIGNMENT;
    memcpy(out, &buffer, sizeof buffer);
    return NULL;
}

void tri__buffer_use_sparsely(void *buffer)
{
    char *start = (char *)buffer - TRI_ALIGNMENT;
    size_t mapped = ((prefix *)(void *)start)->mapped;
    if (mapped)
        madvise(start, mapped, MADV_NOHUGEPAGE); /* may fail: then the buffer takes more memory */
}

void tri__buffer_free(void *buffer)
{
    if (!buffer)
        return;
    char *start = (char *)buffer - TRI_ALIGNMENT;
    size_t mapped = ((prefix *)(void *)start)->mapped;
    if (mapped)
        munmap(start, mapped);
    else
        free(start);
}

tri_status tri__grow(void *memory, int64_t *room, int64_t count, size_t size, const char *what)
{
    if (count <= *room)
        return NULL;
    int64_t larger = *room ? 2 * *room : FIRST_ROOM;
    larger = larger < count ? count : larger;
    size_t bytes;
    if (!tri__size_multiply((size_t)larger, size, &bytes))
        return more_than_any_machine(what, (size_t)larger, size);
    void *moved;
    memcpy(&moved, memory, sizeof moved);
    moved = realloc(moved, bytes);
    if (!moved)
        return no_memory(what, bytes);
    memcpy(memory, &moved, sizeof moved);
    *room = larger;
    return NULL;
}

/* Sets the pointer at memory to NULL and *room to 0; returns the old pointer, for the caller to free. */
static void *take_away(void *memory, int64_t *room)
{
    void *taken, *none = NULL;
    memcpy(&taken, memory, sizeof taken);
    memcpy(memory, &none, sizeof none);
    *room = 0;
    return taken;
}

/* A quarter more than was asked for. */
static int64_t roomy(int64_t count)
{
    return count > INT64_MAX / 2 ? count : count + count / 4;
}

tri_status tri__reserve(void *memory, int64_t *room, int64_t count, size_t size, const char *what)
{
    if (count <= *room)
        return NULL;
    free(take_away(memory, room));
    TRI_TRY(tri__allocate((size_t)roomy(count), size, what, memory));
    *room = roomy(count);
    return NULL;
}

tri_status tri__buffer_reserve(void *memory, int64_t *room, int64_t count, size_t size, const char *what)
{
    if (count <= *room)
        return NULL;
    tri__buffer_free(take_away(memory, room));
    size_t bytes;
    if (!tri__size_multiply((size_t)roomy(count), size, &bytes))
        return more_than_any_machine(what, (size_t)roomy(count), size);
    TRI_TRY(tri__buffer_allocate(bytes, what, memory));
    *room = roomy(count);
    return NULL;
}

/* What a line of /proc/meminfo says, in bytes. */
static int64_t read_memory(const char *line_format)
{
    long long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, line_format, &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes > 0 ? kilobytes * 1024 : INT64_C(1) << 31;
}

int64_t tri__memory_available(void)
{
    return read_memory("MemAvailable: %lld kB");
}

int64_t tri__memory_of_machine(void)
{
    return read_memory("MemTotal: %lld kB");
}
