/* planes.c: decodes photos plane by plane (Y, Cb, Cr), resizes the planes, and then converts them to red, green and blue.
 *
 * Most photos have chroma at half the resolution of luma. The library would first upsample chroma and convert every pixel of the photo.
 * Resizing the planes as they are stored does the same in one pass, and only the wanted pixels are converted. */
#include "data/photo/jpeg/planes.h"

#include <string.h>

#include "base/bytes/vector.h"

enum {
    MOST_ROWS = MAX_SAMP_FACTOR * DCTSIZE, /* rows of one plane in one row of blocks */
    STRIP = 8,                             /* pixels converted at a time */
};

typedef uint8_t byte_lanes __attribute__((vector_size(STRIP)));
typedef int16_t lanes __attribute__((vector_size(2 * STRIP)));

/* A plane in jpeg->pixels. Whole blocks are decoded, so it is a little larger than its visible part. */
typedef struct {
    uint8_t *data;
    size_t stride;
    int64_t height, width; /* of the visible part */
    int rows;              /* in one row of blocks */
} plane;

static size_t plane_bytes(const struct jpeg_decompress_struct *library, const jpeg_component_info *component)
{
    size_t stride = (size_t)component->width_in_blocks * (size_t)component->DCT_scaled_size;
    return stride * library->total_iMCU_rows * (size_t)(component->v_samp_factor * component->DCT_scaled_size);
}

/* Reserve memory for the planes of the photo and, after them, for those of the wanted size. */
static tri_status lay_out(tri__jpeg *jpeg, plane planes[TRI_JPEG_PLANES], uint8_t **resized)
{
    const struct jpeg_decompress_struct *library = &jpeg->library;
    size_t bytes = 0, at[TRI_JPEG_PLANES];
    for (int i = 0; i < TRI_JPEG_PLANES; i++) {
        at[i] = bytes;
        bytes += plane_bytes(library, &library->comp_info[i]);
    }
    TRI_TRY(tri__jpeg_reserve(jpeg, bytes + TRI_JPEG_PLANES * (size_t)(jpeg->height * jpeg->width)));
    *resized = jpeg->pixels + bytes;
    for (int i = 0; i < TRI_JPEG_PLANES; i++) {
        const jpeg_component_info *component = &library->comp_info[i];
        planes[i] = (plane){
            .data = jpeg->pixels + at[i],
            .stride = (size_t)component->width_in_blocks * (size_t)component->DCT_scaled_size,
            .height = component->downsampled_height,
            .width = component->downsampled_width,
            .rows = component->v_samp_factor * component->DCT_scaled_size,
        };
    }
    return NULL;
}

/* Read one row of blocks after another, straight into the planes. */
static void read_planes(struct jpeg_decompress_struct *library, const plane planes[TRI_JPEG_PLANES])
{
    JSAMPROW rows[TRI_JPEG_PLANES][MOST_ROWS];
    JSAMPARRAY arrays[TRI_JPEG_PLANES] = {rows[0], rows[1], rows[2]};
    JDIMENSION lines = (JDIMENSION)(library->max_v_samp_factor * library->min_DCT_scaled_size);
    for (size_t band = 0; library->output_scanline < library->output_height; band++) {
        for (int i = 0; i < TRI_JPEG_PLANES; i++)
            for (int row = 0; row < planes[i].rows; row++)
                rows[i][row] = planes[i].data + (band * (size_t)planes[i].rows + (size_t)row) * planes[i].stride;
        jpeg_read_raw_data(library, arrays, lines);
    }
}

static inline lanes load(const uint8_t bytes[STRIP])
{
    byte_lanes vector;
    memcpy(&vector, bytes, sizeof vector);
    return __builtin_convertvector(vector, lanes);
}

/* Limit values to 0 … 255. A shift by 15 copies the sign to all bits. */
static inline lanes clamp(lanes value)
{
    value &= ~(value >> 15);
    return (value | ((255 - value) >> 15)) & 255;
}

/* R = Y + 1.402 Cr, G = Y − 0.344 Cb − 0.714 Cr, B = Y + 1.772 Cb, where Cb and Cr are −128 … 127. Factors are in 256ths, and their
 * nearest whole number is taken out, so that every product fits 16 bits. Pixels are made as words of four bytes, and stored so that each
 * overlaps the next. */
static inline void convert_strip(const uint8_t y[STRIP], const uint8_t cb[STRIP], const uint8_t cr[STRIP], uint8_t rgb[3 * STRIP + 1])
{
    lanes luma = load(y), b = load(cb) - 128, r = load(cr) - 128;
    lanes red = clamp(luma + r + ((r * 103 + 128) >> 8));
    lanes green = clamp(luma - r + ((r * 73 - b * 88 + 128) >> 8));
    lanes blue = clamp(luma + 2 * b - ((b * 58 + 128) >> 8));
    lanes two = red | green << 8;
    lanes words[2] = {__builtin_shufflevector(two, blue, 0, 8, 1, 9, 2, 10, 3, 11),
                      __builtin_shufflevector(two, blue, 4, 12, 5, 13, 6, 14, 7, 15)};
    for (int i = 0; i < STRIP; i++)
        memcpy(rgb + 3 * i, (const uint8_t *)words + 4 * i, 4);
}

TRI_FOR_EVERY_CPU void tri__jpeg_convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t count, uint8_t *rgb)
{
    int64_t i = 0;
    for (; i + STRIP < count; i += STRIP) /* there is room for the last word's fourth byte */
        convert_strip(y + i, cb + i, cr + i, rgb + 3 * i);
    uint8_t rest[3][STRIP] = {0}, strip[3 * STRIP + 1];
    size_t left = (size_t)(count - i);
    memcpy(rest[0], y + i, left);
    memcpy(rest[1], cb + i, left);
    memcpy(rest[2], cr + i, left);
    convert_strip(rest[0], rest[1], rest[2], strip);
    memcpy(rgb + 3 * i, strip, 3 * left);
}

static tri_status resize_planes(tri__jpeg *jpeg, const plane planes[TRI_JPEG_PLANES], uint8_t *resized)
{
    int64_t count = jpeg->height * jpeg->width;
    for (int i = 0; i < TRI_JPEG_PLANES; i++) {
        const tri__pixels from = {planes[i].data, planes[i].height, planes[i].width, 1, planes[i].stride};
        TRI_TRY(tri__resize(&jpeg->resizer, &from, jpeg->height, jpeg->width, resized + i * count));
    }
    tri__jpeg_convert(resized, resized + count, resized + 2 * count, count, jpeg->rgb);
    return NULL;
}

tri_status tri__jpeg_decode_planes(tri__jpeg *jpeg)
{
    struct jpeg_decompress_struct *library = &jpeg->library;
    library->raw_data_out = TRUE;
    library->out_color_space = JCS_YCbCr;
    tri__jpeg_start(jpeg);
    plane planes[TRI_JPEG_PLANES];
    uint8_t *resized;
    TRI_TRY(lay_out(jpeg, planes, &resized));
    read_planes(library, planes);
    jpeg_finish_decompress(library);
    return resize_planes(jpeg, planes, resized);
}
