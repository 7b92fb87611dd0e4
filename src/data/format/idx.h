/* idx.h: IDX files, as MNIST and its relatives come in: a magic number, the dimensions, the elements. */
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

/* The number of dimensions where the bytes begin as an IDX file of any element type does; 0 otherwise. */
int tri__idx_rank(const uint8_t *data, size_t size);

/* A source over a file of images (or rows of features) and the file of their labels, either of them gzipped or plain.
 * classes: labels must be below it; 0: as many as the labels show. */
TRI_MUST_CHECK tri_status tri__idx_open(const char *images, const char *labels, int64_t classes, const char *cache_folder,
                                        tri_source **out);

/* As many classes as the labels in this file show. */
TRI_MUST_CHECK tri_status tri__idx_count_classes(const char *labels, const char *cache_folder, int64_t *out);

#endif
