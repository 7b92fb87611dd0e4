/* jpeg.h: decodes photos to bytes of red, green and blue. Only this folder uses libjpeg-turbo.
 *
 * A message says what is wrong and at which byte of the photo; the caller adds which photo it is. A photo that ends early or does not
 * decode cleanly is TRI_BAD_DATA; other programs would fill the rest with grey. */
#ifndef TRI_DATA_PHOTO_JPEG_JPEG_H
#define TRI_DATA_PHOTO_JPEG_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

/* What decoding needs. One thread uses a decoder. It allocates memory only for a photo that is larger than all before. */
typedef struct tri__jpeg tri__jpeg;

TRI_MUST_CHECK tri_status tri__jpeg_create(tri__jpeg **out);
void tri__jpeg_destroy(tri__jpeg *jpeg); /* accepts NULL */

/* Whether the bytes begin like a JPEG photo. */
bool tri__jpeg_is(const uint8_t *data, size_t size);

/* Height and width from the header. Fails if tri__jpeg_decode cannot take such a photo. */
TRI_MUST_CHECK tri_status tri__jpeg_size(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* Decode the photo and resize it → rgb: [height][width][3]. If that is at most half of the photo's size, the decoder itself leaves out
 * detail that would not be seen, which is faster. Grey photos get three equal channels; CMYK photos are converted. */
TRI_MUST_CHECK tri_status tri__jpeg_decode(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb);

#endif
