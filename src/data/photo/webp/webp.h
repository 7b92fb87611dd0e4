/* webp.h: decodes WebP pictures to bytes of red, green and blue. No other code uses libwebp.
 *
 * A message says what is wrong; the caller adds which picture it is. */
#ifndef TRI_DATA_PHOTO_WEBP_WEBP_H
#define TRI_DATA_PHOTO_WEBP_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

bool tri__webp_is(const uint8_t *data, size_t size); /* the bytes begin like a WebP picture */

/* Height and width from the header. TRI_BAD_DATA if it is not a WebP picture, or is an animation. */
TRI_MUST_CHECK tri_status tri__webp_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* Decode the picture → rgb: [height][width][3]. height and width must be those of tri__webp_size. Transparency is dropped. */
TRI_MUST_CHECK tri_status tri__webp_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb);

#endif
