/* decode.c: decodes photos to red, green and blue.
 *
 * The header is not trusted: if the bytes are too few for the size that it claims, the photo is refused before anything is allocated. A
 * photo of too many scans is refused, too. planes.c decodes photos that are resized; all others are decoded row by row here. */
#include "data/photo/jpeg/decode.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "data/photo/jpeg/planes.h"

#define MOST_PIXELS          (INT64_C(1) << 28)
#define MOST_PIXELS_PER_BYTE 1024 /* an empty picture still needs a bit for every block of 64 pixels */
#define MOST_SCANS           200  /* of a progressive photo; ten are usual */
#define MOST_ROWS            16   /* read at a time */

/* The library calls this now and then. Without a limit, a small file could ask for thousands of passes over a large photo. */
static void limit_scans(j_common_ptr common)
{
    struct jpeg_decompress_struct *library = (struct jpeg_decompress_struct *)common;
    if (library->input_scan_number <= MOST_SCANS)
        return;
    tri__jpeg_errors *errors = (tri__jpeg_errors *)common->err;
    snprintf(errors->message, sizeof errors->message, "more than %d scans of one photo", MOST_SCANS);
    errors->out_of_memory = false;
    longjmp(errors->escape, 1);
}

static tri_status create(void *context)
{
    tri__jpeg *jpeg = context;
    jpeg_create_decompress(&jpeg->library);
    jpeg->ready = true;
    jpeg->library.client_data = jpeg;
    jpeg->progress.progress_monitor = limit_scans;
    jpeg->library.progress = &jpeg->progress;
    jpeg->own_huffman = tri__huffman_fits();
    return NULL;
}

tri_status tri__jpeg_create(tri__jpeg **out)
{
    tri__jpeg *jpeg;
    TRI_TRY(tri__allocate(1, sizeof *jpeg, "a decoder of photos", &jpeg));
    jpeg->library.err = tri__jpeg_errors_init(&jpeg->errors);
    tri_status status = tri__jpeg_guard(&jpeg->errors, create, jpeg);
    if (status) {
        tri__jpeg_destroy(jpeg);
        return status;
    }
    *out = jpeg;
    return NULL;
}

void tri__jpeg_destroy(tri__jpeg *jpeg)
{
    if (!jpeg)
        return;
    if (jpeg->ready)
        jpeg_destroy_decompress(&jpeg->library);
    tri__resizer_fini(&jpeg->resizer);
    tri__buffer_free(jpeg->pixels);
    free(jpeg);
}

void tri__jpeg_start(tri__jpeg *jpeg)
{
    jpeg_start_decompress(&jpeg->library);
    if (jpeg->own_huffman)
        tri__huffman_take_over(&jpeg->huffman, &jpeg->library);
}

tri_status tri__jpeg_reserve(tri__jpeg *jpeg, size_t bytes)
{
    return tri__buffer_reserve(&jpeg->pixels, &jpeg->room, (int64_t)bytes, 1, "the pixels of a photo");
}

bool tri__jpeg_is(const uint8_t *data, size_t size)
{
    return size >= 3 && data[0] == 0xFF && data[1] == 0xD8 && data[2] == 0xFF;
}

static tri_status check_header(const tri__jpeg *jpeg)
{
    const struct jpeg_decompress_struct *library = &jpeg->library;
    int64_t pixels = (int64_t)library->image_width * library->image_height;
    if (pixels > MOST_PIXELS || (uint64_t)pixels / MOST_PIXELS_PER_BYTE > jpeg->size)
        return tri_fail(TRI_BAD_DATA, "a header of %u×%u pixels in a photo of %zu bytes cannot be right", library->image_width,
                        library->image_height, jpeg->size);
    if (library->jpeg_color_space == JCS_UNKNOWN)
        return tri_fail(TRI_BAD_DATA, "%d components of an unknown sort (store it as RGB, grey or CMYK)", library->num_components);
    return NULL;
}

static tri_status read_header(void *context)
{
    tri__jpeg *jpeg = context;
    jpeg_mem_src(&jpeg->library, jpeg->data, jpeg->size);
    jpeg_read_header(&jpeg->library, TRUE);
    return check_header(jpeg);
}

/* Let the library scale by 1/2, 1/4 or 1/8 if the wanted size is no larger: it does these quickly. */
static void choose_scale(tri__jpeg *jpeg)
{
    struct jpeg_decompress_struct *library = &jpeg->library;
    int64_t scale = 1;
    while (scale < 8 && 2 * scale * jpeg->height <= library->image_height && 2 * scale * jpeg->width <= library->image_width)
        scale *= 2;
    library->scale_num = 1;
    library->scale_denom = (unsigned)scale;
    jpeg_calc_output_dimensions(library);
}

static bool is_of_wanted_size(const tri__jpeg *jpeg)
{
    return jpeg->library.output_height == jpeg->height && jpeg->library.output_width == jpeg->width;
}

/* Read all rows into to: [output height][output width][components] */
static void read_rows(struct jpeg_decompress_struct *library, uint8_t *to)
{
    size_t stride = (size_t)library->output_width * (size_t)library->output_components;
    while (library->output_scanline < library->output_height) {
        JSAMPROW rows[MOST_ROWS];
        for (size_t i = 0; i < MOST_ROWS; i++)
            rows[i] = to + (library->output_scanline + i) * stride;
        JDIMENSION left = library->output_height - library->output_scanline;
        jpeg_read_scanlines(library, rows, left < MOST_ROWS ? left : MOST_ROWS);
    }
    jpeg_finish_decompress(library);
}

/* CMYK to RGB, in place: [count][4] → [count][3]. Adobe's programs store CMYK inverted. */
static void convert_cmyk(uint8_t *pixels, size_t count, bool inverted)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *cmyk = pixels + 4 * i;
        int black = inverted ? cmyk[3] : 255 - cmyk[3];
        for (size_t c = 0; c < 3; c++)
            pixels[3 * i + c] = (uint8_t)(((inverted ? cmyk[c] : 255 - cmyk[c]) * black + 127) / 255);
    }
}

/* Decode red, green and blue of the whole photo, then resize it. */
static tri_status decode_rows(tri__jpeg *jpeg)
{
    struct jpeg_decompress_struct *library = &jpeg->library;
    bool cmyk = library->jpeg_color_space == JCS_CMYK || library->jpeg_color_space == JCS_YCCK;
    library->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    bool straight = is_of_wanted_size(jpeg) && !cmyk;
    tri__jpeg_start(jpeg);
    size_t count = (size_t)library->output_width * library->output_height;
    if (!straight)
        TRI_TRY(tri__jpeg_reserve(jpeg, count * (size_t)library->output_components));
    read_rows(library, straight ? jpeg->rgb : jpeg->pixels);
    if (straight)
        return NULL;
    if (cmyk)
        convert_cmyk(jpeg->pixels, count, library->saw_Adobe_marker);
    const tri__pixels from = {jpeg->pixels, library->output_height, library->output_width, 3, 3 * (size_t)library->output_width};
    return tri__resize(&jpeg->resizer, &from, jpeg->height, jpeg->width, jpeg->rgb);
}

static tri_status decode(void *context)
{
    tri__jpeg *jpeg = context;
    TRI_TRY(read_header(jpeg));
    choose_scale(jpeg);
    return jpeg->library.jpeg_color_space == JCS_YCbCr && !is_of_wanted_size(jpeg) ? tri__jpeg_decode_planes(jpeg) : decode_rows(jpeg);
}

/* Call work on the photo. If it fails, add to the message at which byte. */
static tri_status with_photo(tri__jpeg *jpeg, const uint8_t *data, size_t size, tri_status (*work)(void *context))
{
    if (!tri__jpeg_is(data, size))
        return tri_fail(TRI_BAD_DATA, "byte 0 of %zu: does not begin as a JPEG photo does", size);
    jpeg->data = data;
    jpeg->size = size;
    tri_status status = tri__jpeg_guard(&jpeg->errors, work, jpeg);
    size_t left = jpeg->library.src ? jpeg->library.src->bytes_in_buffer : size;
    jpeg_abort_decompress(&jpeg->library);
    return tri_wrap(status, "byte %zu of %zu", left <= size ? size - left : size, size);
}

tri_status tri__jpeg_size(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t *height, int64_t *width)
{
    TRI_TRY(with_photo(jpeg, data, size, read_header));
    *height = jpeg->library.image_height;
    *width = jpeg->library.image_width;
    return NULL;
}

tri_status tri__jpeg_decode(tri__jpeg *jpeg, const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb)
{
    jpeg->height = height;
    jpeg->width = width;
    jpeg->rgb = rgb;
    return with_photo(jpeg, data, size, decode);
}
