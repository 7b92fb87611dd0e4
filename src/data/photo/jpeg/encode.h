/* encode.h: encodes pixels as JPEG photos. */
#ifndef TRI_DATA_PHOTO_JPEG_ENCODE_H
#define TRI_DATA_PHOTO_JPEG_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

/* Encode pixels, [height][width][channels], with 1 channel or 3. free() *out. quality: 1 … 100. */
TRI_MUST_CHECK tri_status tri__jpeg_encode(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, int quality,
                                           uint8_t **out, size_t *size);

#endif
