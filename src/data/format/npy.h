/* npy.h: NumPy's files: an array (.npy), or a zip archive of arrays (.npz), plain or deflated. Nothing in them is trusted. */
#ifndef TRI_DATA_FORMAT_NPY_H
#define TRI_DATA_FORMAT_NPY_H

#include "trireme/tensor.h"

#define TRI_NPY_MAGIC "\x93NUMPY"
#define TRI_ZIP_MAGIC "PK\x03\x04"

enum { TRI_NPY_RANK = 8 };

typedef struct {
    char kind; /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool */
    int size;  /* bytes of an element: 1, 2, 4 or 8 */
    int rank;  /* at least 1 */
    int64_t dim[TRI_NPY_RANK];
    int64_t count;       /* of elements */
    const uint8_t *data; /* [count] in C's order; not aligned */
} tri__npy;

/* name is for messages. out->data points into data, which must have as many bytes as the array needs: fewer are a cut file, and more are
 * something that nobody would read. */
TRI_MUST_CHECK tri_status tri__npy_parse(const char *name, const uint8_t *data, size_t size, tri__npy *out);

enum { TRI_NPY_HEAD = 8192 }; /* bytes: the longest header and more */

/* How many bytes an array has in all, by its beginning: its first TRI_NPY_HEAD bytes, or all where these are fewer. */
TRI_MUST_CHECK tri_status tri__npy_bytes(const char *name, const uint8_t *head, size_t size, uint64_t *out);

/* TRI_BAD_DATA where an array that has size bytes needs more, or fewer. */
TRI_MUST_CHECK tri_status tri__npy_fits(const char *name, uint64_t bytes, uint64_t size);

double tri__npy_at(const tri__npy *array, int64_t index);

/* A file of an archive. */
typedef struct {
    const uint8_t *data; /* as it is stored … */
    size_t stored, size; /* … in so many bytes, and how many it has */
    bool deflated;
    uint32_t checksum; /* CRC-32 of what it holds */
} tri__zip_entry;

/* TRI_NOT_FOUND where the archive has none called so, or called so with .npy behind it. */
TRI_MUST_CHECK tri_status tri__zip_find(const char *name, const uint8_t *data, size_t size, const char *entry, tri__zip_entry *out);

/* The first bytes of what it holds, inflated where need be: as many as there are, up to room. */
TRI_MUST_CHECK tri_status tri__zip_peek(const char *name, const tri__zip_entry *entry, uint8_t *out, size_t room, size_t *size);

/* Whether what it holds, [entry->size] plain, is what was put in. */
TRI_MUST_CHECK tri_status tri__zip_check(const char *name, const tri__zip_entry *entry, const uint8_t *plain);

/* What it holds, inflated; tri__buffer_free it. entry->size is what the archive says: ask tri__npy_bytes whether that is needed. */
TRI_MUST_CHECK tri_status tri__zip_inflate(const char *name, const tri__zip_entry *entry, uint8_t **out);

#endif
