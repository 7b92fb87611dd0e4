/* jpeg.h: photos decoded to bytes of red, green and blue. Only this folder knows libjpeg-turbo.
 *
 * Messages tell what is wrong and at which byte of the photo; the caller puts before them which photo it is. A photo that ends early
 * or does not decode cleanly is TRI_BAD_DATA, where other programs would fill up with grey. */
#ifndef TRI_DATA_PHOTO_JPEG_JPEG_H
#define TRI_DATA_PHOTO_JPEG_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

/* What decoding needs. Belongs to one thread; only a larger photo than ever before allocates. */
typedef struct tri__jpeg tri__jpeg;

TRI_MUST_CHECK tri_status tri__jpeg_create(tri__jpeg **out);
void tri__jpeg_destroy(tri__jpeg *jpeg); /* accepts NULL */

/* Whether the bytes begin as a JPEG photo does. */
bool tri__jpeg_is(const uint8_t *data, size_t size);

/* Height and width as the header tells them, which is checked to be one that tri__jpeg_decode takes. */
TRI_MUST_CHECK tri_status tri__jpeg_size(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t *height, int64_t *width);

/* The photo, brought to height × width → rgb: [height][width][3]. Where that is at most half the photo, the decoder itself leaves out
 * detail that would not be seen, which is quicker. Grey photos get three equal channels; CMYK ones are converted. */
TRI_MUST_CHECK tri_status tri__jpeg_decode(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb);

#endif
