/* memory.h: checked sizes, and buffers aligned for vector instructions. */
#ifndef TRI_BASE_MEMORY_H
#define TRI_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

#define TRI_ALIGNMENT 64

/* The product of two sizes that came from outside; false where it overflows. */
bool tri__size_multiply(size_t a, size_t b, size_t *product);

/* Zeroed heap memory of count × size bytes, or TRI_NO_MEMORY naming what it was for. free() it. */
TRI_MUST_CHECK tri_status tri__allocate(size_t count, size_t size, const char *what, void *out);

/* Room for one more element in an array that doubles: *array is a pointer to heap memory of *capacity elements. */
TRI_MUST_CHECK tri_status tri__grow(void *array, int *capacity, int count, size_t size, const char *what);

/* Zeroed, aligned to TRI_ALIGNMENT, in huge pages where it is large and the kernel has them. Free with tri__buffer_free. */
TRI_MUST_CHECK tri_status tri__buffer_allocate(size_t bytes, const char *what, void *out);
void tri__buffer_free(void *buffer);

/* Bytes that programs can have without swapping; 2 GB where the system does not say. */
int64_t tri__memory_available(void);

#endif
