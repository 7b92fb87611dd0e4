/* webp.h: WebP pictures decoded to bytes of red, green and blue; the only code that knows libwebp.
 *
 * Messages tell what is wrong; the caller puts before them which picture it is. */
#ifndef TRI_DATA_PHOTO_WEBP_WEBP_H
#define TRI_DATA_PHOTO_WEBP_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

bool tri__webp_is(const uint8_t *data, size_t size); /* the bytes begin as a WebP picture does */

/* Height and width as the header tells them. TRI_BAD_DATA where it is none, and for animations. */
TRI_MUST_CHECK tri_status tri__webp_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* The picture → rgb: [height][width][3], which has room for what tri__webp_size told. Transparency is left out. */
TRI_MUST_CHECK tri_status tri__webp_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb);

#endif
