/* decode.h: pictures of every known encoding decoded to bytes of red, green and blue, or of brightness alone, and brought to a size.
 *
 * Messages tell what is wrong; the caller puts before them which picture it is. */
#ifndef TRI_DATA_PHOTO_DECODE_H
#define TRI_DATA_PHOTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

/* What decoding needs. Belongs to one thread; only a larger picture than ever before allocates. */
typedef struct tri__photo_decoder tri__photo_decoder;

TRI_MUST_CHECK tri_status tri__photo_decoder_create(tri__photo_decoder **out);
void tri__photo_decoder_destroy(tri__photo_decoder *decoder); /* accepts NULL */

/* Height and width as the header tells them, which is checked to be one that tri__photo_decode takes. */
TRI_MUST_CHECK tri_status tri__photo_size(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* The picture, brought to height × width → out: [height][width][channels]. Of 3 channels grey pictures have three equal ones; the only one
 * is the brightness, 0.299 red + 0.587 green + 0.114 blue. Transparency is left out. */
TRI_MUST_CHECK tri_status tri__photo_decode(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t height, int64_t width,
                                            int64_t channels, uint8_t *out);

#endif
