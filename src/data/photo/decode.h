/* decode.h: decodes pictures of every known encoding to bytes of red, green and blue, or of brightness alone, and resizes them.
 *
 * A message says what is wrong; the caller adds which picture it is. */
#ifndef TRI_DATA_PHOTO_DECODE_H
#define TRI_DATA_PHOTO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

/* What decoding needs. One thread uses a decoder. It allocates memory only for a picture that is larger than all before. */
typedef struct tri__photo_decoder tri__photo_decoder;

TRI_MUST_CHECK tri_status tri__photo_decoder_create(tri__photo_decoder **out);
void tri__photo_decoder_destroy(tri__photo_decoder *decoder); /* accepts NULL */

/* Height and width from the header. Fails if tri__photo_decode cannot take such a picture. */
TRI_MUST_CHECK tri_status tri__photo_size(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* Decode the picture and resize it → out: [height][width][channels]. channels: 3 (grey pictures get three equal channels) or 1 (the
 * brightness, 0.299 red + 0.587 green + 0.114 blue). Transparency is dropped. */
TRI_MUST_CHECK tri_status tri__photo_decode(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t height, int64_t width,
                                            int64_t channels, uint8_t *out);

#endif
