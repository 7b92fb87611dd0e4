/* decode.c: the first bytes of a picture choose its decoder. JPEG photos are resized while they are decoded; other pictures are decoded
 * whole and then resized. */
#include "data/photo/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/photo/jpeg/jpeg.h"
#include "data/photo/png/png.h"
#include "data/photo/resize.h"
#include "data/photo/webp/webp.h"

#define MOST_PIXELS          (INT64_C(1) << 28)
#define MOST_PIXELS_PER_BYTE 16384 /* a few bytes can claim an empty picture of any size; one with more pixels a byte is not a photo */

struct tri__photo_decoder {
    tri__jpeg *jpeg;
    tri__resizer resizer;
    uint8_t *pixels; /* [room] a picture that is decoded whole */
    int64_t room;
    uint8_t *coloured; /* [coloured_room] a picture that becomes grey */
    int64_t coloured_room;
};

tri_status tri__photo_decoder_create(tri__photo_decoder **out)
{
    tri__photo_decoder *decoder;
    TRI_TRY(tri__allocate(1, sizeof *decoder, "a decoder of pictures", &decoder));
    tri_status status = tri__jpeg_create(&decoder->jpeg);
    if (status) {
        tri__photo_decoder_destroy(decoder);
        return status;
    }
    *out = decoder;
    return NULL;
}

void tri__photo_decoder_destroy(tri__photo_decoder *decoder)
{
    if (!decoder)
        return;
    tri__jpeg_destroy(decoder->jpeg);
    tri__resizer_fini(&decoder->resizer);
    free(decoder->pixels);
    free(decoder->coloured);
    free(decoder);
}

/* A header is not trusted: if the bytes are too few for the size that it claims, the picture is refused before anything is allocated. */
static tri_status check_size(size_t bytes, int64_t height, int64_t width)
{
    if (height < 1 || width < 1 || height > MOST_PIXELS / width)
        return tri_fail(TRI_BAD_DATA, "a picture of %" PRId64 "×%" PRId64 " pixels (up to %" PRId64 " are read)", width, height,
                        MOST_PIXELS);
    if (height * width / MOST_PIXELS_PER_BYTE > (int64_t)bytes)
        return tri_fail(TRI_BAD_DATA, "%zu bytes cannot hold a picture of %" PRId64 "×%" PRId64 " pixels", bytes, width, height);
    return NULL;
}

static tri_status check_not_empty(size_t bytes)
{
    return bytes ? NULL : tri_fail(TRI_BAD_DATA, "the picture is empty: it has 0 bytes");
}

tri_status tri__photo_size(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t *height, int64_t *width)
{
    TRI_TRY(check_not_empty(size));
    if (tri__png_is(data, size))
        TRI_TRY(tri__png_size(data, size, height, width));
    else if (tri__webp_is(data, size))
        TRI_TRY(tri__webp_size(data, size, height, width));
    else
        return tri__jpeg_size(decoder->jpeg, data, size, height, width);
    return check_size(size, *height, *width);
}

/* [pixels][4] → [pixels][3], in place */
static void drop_opacity(uint8_t *pixels, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memmove(pixels + 3 * i, pixels + 4 * i, 3);
}

/* Decode the whole picture into decoder->pixels: [height][width][3] */
static tri_status decode_whole(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t height, int64_t width)
{
    bool png = tri__png_is(data, size);
    TRI_TRY(tri__reserve(&decoder->pixels, &decoder->room, height * width * (png ? 4 : 3), 1, "a picture"));
    if (!png)
        return tri__webp_decode(data, size, height, width, decoder->pixels);
    TRI_TRY(tri__png_decode(data, size, height, width, decoder->pixels));
    drop_opacity(decoder->pixels, height * width);
    return NULL;
}

static tri_status decode_colours(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb)
{
    TRI_TRY(check_not_empty(size));
    if (!tri__png_is(data, size) && !tri__webp_is(data, size))
        return tri__jpeg_decode(decoder->jpeg, data, size, height, width, rgb);
    int64_t own_height, own_width;
    TRI_TRY(tri__photo_size(decoder, data, size, &own_height, &own_width));
    TRI_TRY(decode_whole(decoder, data, size, own_height, own_width));
    if (own_height == height && own_width == width) {
        memcpy(rgb, decoder->pixels, (size_t)(height * width) * 3);
        return NULL;
    }
    const tri__pixels from = {
        .data = decoder->pixels, .height = own_height, .width = own_width, .channels = 3, .stride = (size_t)own_width * 3};
    return tri__resize(&decoder->resizer, &from, height, width, rgb);
}

/* rgb: [count][3] → grey: [count]. The weights of BT.601, in 1/65536, add up to 1, so grey pixels do not change. */
static void take_brightness(const uint8_t *restrict rgb, int64_t count, uint8_t *restrict grey)
{
    enum { RED = 19595, GREEN = 38470, BLUE = 7471, HALF = 1 << 15, BITS = 16 };
    for (int64_t i = 0; i < count; i++)
        grey[i] = (uint8_t)((rgb[3 * i] * RED + rgb[3 * i + 1] * GREEN + rgb[3 * i + 2] * BLUE + HALF) >> BITS);
}

tri_status tri__photo_decode(tri__photo_decoder *decoder, const uint8_t *data, size_t size, int64_t height, int64_t width, int64_t channels,
                             uint8_t *out)
{
    if (channels != 1)
        return decode_colours(decoder, data, size, height, width, out);
    TRI_TRY(tri__reserve(&decoder->coloured, &decoder->coloured_room, height * width * 3, 1, "a picture"));
    TRI_TRY(decode_colours(decoder, data, size, height, width, decoder->coloured));
    take_brightness(decoder->coloured, height * width, out);
    return NULL;
}
