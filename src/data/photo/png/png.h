/* png.h: PNG pictures decoded to bytes of red, green and blue; the only code that knows libpng.
 *
 * Messages tell what is wrong; the caller puts before them which picture it is. */
#ifndef TRI_DATA_PHOTO_PNG_PNG_H
#define TRI_DATA_PHOTO_PNG_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    int64_t width, height;
    uint8_t *pixels; /* [height][width][3]; free() it */
} tri__picture;

bool tri__png_is(const uint8_t *data, size_t size); /* the bytes begin as a PNG picture does */

/* Height and width as the header tells them. */
TRI_MUST_CHECK tri_status tri__png_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* The picture → rgba: [height][width][4], which has room for what tri__png_size told. The fourth byte is the opacity. Grey pictures get
 * three equal channels, 16 bits become 8. */
TRI_MUST_CHECK tri_status tri__png_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgba);

/* Bytes [height][width][channels], of 1 channel (grey) or 3, as a PNG picture; free() it. */
TRI_MUST_CHECK tri_status tri__png_encode(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, uint8_t **out,
                                          size_t *size);

/* A picture that must be of exactly the given size, in memory of its own. name is for messages. */
TRI_MUST_CHECK tri_status tri__png_load(const char *name, const uint8_t *data, size_t size, int64_t width, int64_t height,
                                        tri__picture *out);

#endif
