/* planes.h: decodes photos plane by plane. */
#ifndef TRI_DATA_PHOTO_JPEG_PLANES_H
#define TRI_DATA_PHOTO_JPEG_PLANES_H

#include "data/photo/jpeg/decode.h"

/* Call it after the header is read and the scale is chosen. Decodes the planes Y, Cb and Cr, resizes each, and only then converts them to
 * red, green and blue: that is less work than to convert all pixels of the photo. */
TRI_MUST_CHECK tri_status tri__jpeg_decode_planes(tri__jpeg *jpeg);

/* y, cb, cr: [count] → rgb: [count][3], by the formula of JFIF. */
void tri__jpeg_convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t count, uint8_t *rgb);

#endif
