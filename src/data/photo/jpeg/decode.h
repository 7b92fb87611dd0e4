/* decode.h: a decoder as its own files see it: decode.c reads headers and rows, planes.c the planes of a photo that is resized. */
#ifndef TRI_DATA_PHOTO_JPEG_DECODE_H
#define TRI_DATA_PHOTO_JPEG_DECODE_H

#include "data/photo/jpeg/error.h"
#include "data/photo/jpeg/huffman.h"
#include "data/photo/jpeg/jpeg.h"
#include "data/photo/resize.h"

enum { TRI_JPEG_PLANES = 3 };

struct tri__jpeg {
    struct jpeg_decompress_struct library;
    tri__jpeg_errors errors;
    struct jpeg_progress_mgr progress;
    bool ready;      /* library has been created */
    uint8_t *pixels; /* decoded and not yet resized; room bytes */
    int64_t room;
    tri__resizer resizer;
    tri__huffman huffman;
    bool own_huffman; /* decode by it where it can; a test may clear it, and the library decodes alone */

    /* The photo that is being decoded. */
    const uint8_t *data;
    size_t size;
    int64_t height, width; /* wanted */
    uint8_t *rgb;          /* [height][width][3] */
};

/* jpeg_start_decompress, and our Huffman decoder in the place of the library's. */
void tri__jpeg_start(tri__jpeg *jpeg);

/* At least this many bytes of jpeg->pixels. */
TRI_MUST_CHECK tri_status tri__jpeg_reserve(tri__jpeg *jpeg, size_t bytes);

#endif
