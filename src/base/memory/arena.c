/* arena.c: a list of chunks. Small pieces are cut off the newest chunk; a piece larger than a chunk gets one of its own. */
#include "base/memory/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t used, capacity;
    _Alignas(max_align_t) char bytes[];
} chunk;

struct tri__arena {
    chunk *newest;
};

tri_status tri__arena_create(tri__arena **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for an arena");
}

void tri__arena_destroy(tri__arena *arena)
{
    if (!arena)
        return;
    for (chunk *at = arena->newest; at;) {
        chunk *next = at->next;
        free(at);
        at = next;
    }
    free(arena);
}

/* A new chunk of at least bytes in front of the list; NULL when memory is short. */
static chunk *add_chunk(tri__arena *arena, size_t bytes)
{
    size_t capacity = bytes > CHUNK ? bytes : CHUNK;
    chunk *fresh = calloc(1, sizeof *fresh + capacity);
    if (!fresh)
        return NULL;
    fresh->capacity = capacity;
    fresh->next = arena->newest;
    arena->newest = fresh;
    return fresh;
}

void *tri__arena_alloc(tri__arena *arena, size_t bytes)
{
    const size_t step = _Alignof(max_align_t);
    if (bytes > SIZE_MAX - sizeof(chunk) - step)
        return NULL;
    size_t need = (bytes + step - 1) / step * step;
    chunk *at = arena->newest;
    if (!at || at->capacity - at->used < need)
        at = add_chunk(arena, need);
    if (!at)
        return NULL;
    void *piece = at->bytes + at->used;
    at->used += need;
    return piece;
}

char *tri__arena_copy(tri__arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = tri__arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *tri__arena_format(tri__arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : tri__arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
