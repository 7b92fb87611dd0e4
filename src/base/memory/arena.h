/* arena.h: memory that is freed all at once. Not for sharing between threads. */
#ifndef TRI_BASE_MEMORY_ARENA_H
#define TRI_BASE_MEMORY_ARENA_H

#include <stddef.h>

#include "trireme/status.h"

typedef struct tri__arena tri__arena;

TRI_MUST_CHECK tri_status tri__arena_create(tri__arena **out);
void tri__arena_destroy(tri__arena *arena);

/* Zeroed, aligned for any type; NULL when memory is short. */
void *tri__arena_alloc(tri__arena *arena, size_t bytes);
char *tri__arena_copy(tri__arena *arena, const char *text); /* a string of the arena's; NULL when memory is short */
char *tri__arena_format(tri__arena *arena, const char *format, ...) TRI_FORMAT(2, 3);

#define TRI_ARENA_NEW(arena, type) ((type *)tri__arena_alloc((arena), sizeof(type)))

#endif
