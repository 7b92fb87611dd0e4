/* idx.h: IDX files, the format of MNIST and its relatives: a magic number, the dimensions, the elements. */
#ifndef TRI_DATA_FORMAT_IDX_H
#define TRI_DATA_FORMAT_IDX_H

#include "data/source/source.h"

/* The magic bytes 0, 0, element type, number of dimensions; then the dimensions, 4 bytes each, most significant first. */
#define TRI_IDX_MAGIC_BYTES 4

typedef struct {
    tri_shape shape;         /* all dimensions; the first counts the records */
    const uint8_t *elements; /* borrowed from the bytes that were parsed */
} tri__idx;

/* Read a whole IDX file of unsigned bytes. name is for messages. Every length is checked against size. */
TRI_MUST_CHECK tri_status tri__idx_parse(const char *name, const uint8_t *data, size_t size, tri__idx *out);

/* The number of dimensions, if the bytes begin like an IDX file of any element type; 0 otherwise. */
int tri__idx_rank(const uint8_t *data, size_t size);

/* Open a source over a file of images (or rows of features) and the file of their labels; each may be gzipped.
 * classes: labels must be below it; 0: the largest label + 1. */
TRI_MUST_CHECK tri_status tri__idx_open(const char *images, const char *labels, int64_t classes, const char *cache_folder,
                                        tri_source **out);

/* The largest label in this file + 1. */
TRI_MUST_CHECK tri_status tri__idx_count_classes(const char *labels, const char *cache_folder, int64_t *out);

#endif
