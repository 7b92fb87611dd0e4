/* memory.h: checked sizes, and buffers aligned for vector instructions. */
#ifndef TRI_BASE_MEMORY_MEMORY_H
#define TRI_BASE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

#define TRI_ALIGNMENT 64

/* The product of two sizes that came from outside; false where it overflows. */
bool tri__size_multiply(size_t a, size_t b, size_t *product);

/* Zeroed heap memory of count × size bytes, or TRI_NO_MEMORY naming what it was for. free() it. */
TRI_MUST_CHECK tri_status tri__allocate(size_t count, size_t size, const char *what, void *out);

/* Zeroed, aligned to TRI_ALIGNMENT, in huge pages where it is large and the kernel has them. Free with tri__buffer_free. */
TRI_MUST_CHECK tri_status tri__buffer_allocate(size_t bytes, const char *what, void *out);
void tri__buffer_free(void *buffer);

/* Only scattered places of the buffer will be used. Each takes a page from now on, and not a huge page. */
void tri__buffer_use_sparsely(void *buffer);

/* Memory that grows and is kept from one use to the next. *memory points to *room elements of size bytes each; before the first call it is
 * NULL and *room is 0. After a call there is room for count elements; where the memory had to grow, there is room for more, so that it
 * seldom grows.
 *
 * tri__grow keeps the elements (new ones are not set) and doubles. Where there is no memory, the elements are as they were. tri__reserve
 * loses the elements when it grows (all are 0 then). Where there is no memory, *memory is NULL and *room is 0. tri__buffer_reserve does the
 * same with a buffer of tri__buffer_allocate; the others are freed by free(). */
TRI_MUST_CHECK tri_status tri__grow(void *memory, int64_t *room, int64_t count, size_t size, const char *what);
TRI_MUST_CHECK tri_status tri__reserve(void *memory, int64_t *room, int64_t count, size_t size, const char *what);
TRI_MUST_CHECK tri_status tri__buffer_reserve(void *memory, int64_t *room, int64_t count, size_t size, const char *what);

/* Bytes that programs can have without swapping; 2 GB where the system does not say. */
int64_t tri__memory_available(void);
int64_t tri__memory_of_machine(void); /* bytes of all its memory, used or not; 2 GB where the system does not say */

#endif
