/* png.h: decodes PNG pictures to bytes of red, green and blue, and encodes them. No other code uses libpng.
 *
 * A message says what is wrong; the caller adds which picture it is. */
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

bool tri__png_is(const uint8_t *data, size_t size); /* the bytes begin like a PNG picture */

/* Height and width from the header. */
TRI_MUST_CHECK tri_status tri__png_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* Decode the picture → rgba: [height][width][4]. height and width must be those of tri__png_size. The fourth byte is the opacity. Grey
 * pictures get three equal channels; 16 bits become 8. */
TRI_MUST_CHECK tri_status tri__png_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgba);

/* Encode pixels, [height][width][channels], with 1 channel (grey) or 3. free() *out. */
TRI_MUST_CHECK tri_status tri__png_encode(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, uint8_t **out,
                                          size_t *size);

/* Decode a picture that must have exactly the given size; free() out->pixels. name is for messages. */
TRI_MUST_CHECK tri_status tri__png_load(const char *name, const uint8_t *data, size_t size, int64_t width, int64_t height,
                                        tri__picture *out);

#endif
