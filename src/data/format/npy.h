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
    int64_t count;       /* how many elements there are */
    const uint8_t *data; /* [count] in C's order; not aligned */
} tri__npy;

/* Parse an array. name is for messages. out->data points into data, which must have exactly as many bytes as the array needs: fewer mean
 * that the file is cut, and more would never be read. */
TRI_MUST_CHECK tri_status tri__npy_parse(const char *name, const uint8_t *data, size_t size, tri__npy *out);

enum { TRI_NPY_HEAD = 8192 }; /* bytes: more than the longest header */

/* How many bytes an array has in all, header included. head: its first TRI_NPY_HEAD bytes, or all if it has fewer. */
TRI_MUST_CHECK tri_status tri__npy_bytes(const char *name, const uint8_t *head, size_t size, uint64_t *out);

/* TRI_BAD_DATA if an array needs `bytes` bytes and has `size`, a different number. */
TRI_MUST_CHECK tri_status tri__npy_fits(const char *name, uint64_t bytes, uint64_t size);

double tri__npy_at(const tri__npy *array, int64_t index);

/* A file of an archive. */
typedef struct {
    const uint8_t *data; /* [stored] as it is in the archive, maybe deflated */
    size_t stored, size; /* bytes in the archive, and bytes when inflated */
    bool deflated;
    uint32_t checksum; /* CRC-32 of the inflated content */
} tri__zip_entry;

/* Find the entry of this name, or of this name with .npy added. TRI_NOT_FOUND if the archive has neither. */
TRI_MUST_CHECK tri_status tri__zip_find(const char *name, const uint8_t *data, size_t size, const char *entry, tri__zip_entry *out);

/* The first bytes of an entry's content, inflated if it is deflated: up to room. *size: how many there are. */
TRI_MUST_CHECK tri_status tri__zip_peek(const char *name, const tri__zip_entry *entry, uint8_t *out, size_t room, size_t *size);

/* Verify the checksum of an entry's content. plain: [entry->size] */
TRI_MUST_CHECK tri_status tri__zip_check(const char *name, const tri__zip_entry *entry, const uint8_t *plain);

/* Inflate an entry's content; tri__buffer_free *out. This allocates entry->size bytes, which the archive alone claims: compare it with
 * tri__npy_bytes first. */
TRI_MUST_CHECK tri_status tri__zip_inflate(const char *name, const tri__zip_entry *entry, uint8_t **out);

#endif
