/* decode.h: the decoder's struct, for its own files: decode.c reads headers and rows, planes.c reads the planes of a photo that is
 * resized. */
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
    uint8_t *pixels; /* [room] decoded and not yet resized */
    int64_t room;
    tri__resizer resizer;
    tri__huffman huffman;
    bool own_huffman; /* use our Huffman decoder where it can; a test may clear this, so that the library decodes alone */

    /* The photo that is being decoded. */
    const uint8_t *data;
    size_t size;
    int64_t height, width; /* wanted */
    uint8_t *rgb;          /* [height][width][3] */
};

/* Call jpeg_start_decompress, and put our Huffman decoder in the place of the library's. */
void tri__jpeg_start(tri__jpeg *jpeg);

/* Make jpeg->pixels at least this large. */
TRI_MUST_CHECK tri_status tri__jpeg_reserve(tri__jpeg *jpeg, size_t bytes);

#endif
