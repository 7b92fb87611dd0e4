/* safetensors.h: named tensors in a file, in the format of the `safetensors` package.
 *
 * A file is the length of its header (8 bytes, little-endian), the header (JSON: name → dtype, shape, data_offsets, and a map of strings
 * under "__metadata__"), and the tensors' bytes without gaps. Reading maps the file and trusts nothing that the header says. */
#ifndef TRI_TENSOR_SAFETENSORS_H
#define TRI_TENSOR_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/tensor.h"

#define TRI_TENSOR_ROWS 65536 /* bytes of a buffer */

/* Rows that change while they are written to a file. `where` is a place in a row; find returns where the bytes to write for it are now. It
 * is called between lock(true) and lock(false). */
typedef struct {
    void (*lock)(void *context, bool locked);
    const void *(*find)(void *context, int64_t row, const void *where);
    void *context;
} tri__moving_rows;

typedef struct {
    const char *name;
    tri_tensor tensor;
    size_t pitch;           /* to write: bytes from one row of the first dimension to the next in memory; 0: rows lie one after another */
    const uint64_t *chosen; /* to write: only rows whose bit is set, as many as the first dimension says; NULL: all rows. Where there are no
                             * data (I32), the tensor is the numbers of the chosen rows */
    tri__moving_rows moving; /* to write: rows, of at most TRI_TENSOR_ROWS bytes each, change meanwhile; {0}: they do not */
} tri__named_tensor;

/* A walk over the rows of a tensor: {0} before the first call. */
typedef struct {
    const void *data; /* some rows, one after another: where they lie, or in the buffer, as a copy */
    size_t bytes;
    int64_t next;   /* the index of the row behind them, among the rows that are written */
    int64_t number; /* with chosen rows: the row number in memory from which to look for that row */
} tri__tensor_rows;

/* Go on to the next rows; false where there are no more. */
bool tri__tensor_next(const tri__named_tensor *named, tri__tensor_rows *rows, uint8_t buffer[TRI_TENSOR_ROWS]);

typedef struct {
    const char *key, *value;
} tri__metadata;

/* Write tensors to path: whole and durably, or not at all. The same arguments give the same bytes. Tensors with larger elements come first
 * in the file, so that each is aligned to its type. The arguments are not kept. */
TRI_MUST_CHECK tri_status tri__safetensors_write(const char *path, const tri__named_tensor *tensors, size_t count,
                                                 const tri__metadata *metadata, size_t entries);

typedef struct tri__safetensors tri__safetensors;

/* The names, tensors and metadata of a file are borrowed from it, and read-only. */
TRI_MUST_CHECK tri_status tri__safetensors_open(const char *path, tri__safetensors **out);
void tri__safetensors_close(tri__safetensors *file); /* accepts NULL */

/* The same for bytes in memory, which must outlive file; name is what messages call them. */
TRI_MUST_CHECK tri_status tri__safetensors_parse(const char *name, const uint8_t *data, size_t size, tri__safetensors **out);

size_t tri__safetensors_count(const tri__safetensors *file);
const tri__named_tensor *tri__safetensors_at(const tri__safetensors *file, size_t index); /* in the order of the file's data */
const char *tri__safetensors_metadata(const tri__safetensors *file, const char *key);     /* NULL where there is none */

/* The tensor of that name. TRI_NOT_FOUND where there is none, TRI_BAD_DATA where its type or shape is another. */
TRI_MUST_CHECK tri_status tri__safetensors_find(const tri__safetensors *file, const char *name, tri_type type, tri_shape shape,
                                                tri_tensor *out);

#endif
