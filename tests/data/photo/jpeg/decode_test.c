/* decode_test.c: photos made and decoded again: whole, resized, grey, CMYK, cut short, damaged, and with headers that lie. */
#include "data/photo/jpeg/encode.h"
#include "data/photo/jpeg/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "support.h"

/* Soft waves of colour, which survive JPEG well. [height][width][channels] */
static uint8_t *waves(int64_t height, int64_t width, int64_t channels)
{
    uint8_t *pixels = malloc((size_t)(height * width * channels));
    assert_non_null(pixels);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                double down = (double)y / (double)height, along = (double)x / (double)width;
                pixels[(y * width + x) * channels + c] =
                    (uint8_t)(128 + 60 * sin(5 * along + 2 * (double)c) + 50 * cos(4 * down - (double)c));
            }
    return pixels;
}

typedef struct {
    uint8_t *data;
    size_t size;
} photo;

static photo photo_of(int64_t height, int64_t width, int64_t channels)
{
    uint8_t *pixels = waves(height, width, channels);
    photo out;
    assert_ok(tri__jpeg_encode(pixels, height, width, channels, 95, &out.data, &out.size));
    free(pixels);
    return out;
}

/* The mean difference between [count] bytes. */
static double distance(const uint8_t *a, const uint8_t *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += abs(a[i] - b[i]);
    return sum / (double)count;
}

static void a_photo_of_the_wanted_size_is_decoded(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {7, 9}, {16, 16}, {33, 70}, {120, 90}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t height = sizes[i][0], width = sizes[i][1], told_height, told_width;
        photo made = photo_of(height, width, 3);
        uint8_t *pixels = waves(height, width, 3), *decoded = malloc((size_t)(height * width * 3));
        assert_true(tri__jpeg_is(made.data, made.size));
        assert_ok(tri__jpeg_size(*state, made.data, made.size, &told_height, &told_width));
        assert_int_equal(told_height, height);
        assert_int_equal(told_width, width);
        assert_ok(tri__jpeg_decode(*state, made.data, made.size, height, width, decoded));
        assert_true(distance(pixels, decoded, height * width * 3) < (height < 20 ? 15 : 4)); /* small waves are steep */
        free(pixels);
        free(decoded);
        free(made.data);
    }
}

/* Up, down, by scaled decoding and without, and with sides of odd lengths: as the waves would look at that size. */
static void a_photo_of_another_size_is_resized(void **state)
{
    static const int64_t sizes[][4] = {{240, 320, 192, 192}, {241, 321, 192, 192}, {240, 320, 96, 96}, {240, 320, 120, 160},
                                       {500, 333, 60, 40},   {640, 640, 64, 80},   {50, 60, 100, 100}, {200, 800, 100, 100},
                                       {90, 90, 45, 44},     {800, 800, 10, 10}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t height = sizes[i][2], width = sizes[i][3];
        photo made = photo_of(sizes[i][0], sizes[i][1], 3);
        uint8_t *expected = waves(height, width, 3), *decoded = malloc((size_t)(height * width * 3));
        assert_ok(tri__jpeg_decode(*state, made.data, made.size, height, width, decoded));
        assert_true(distance(expected, decoded, height * width * 3) < (height < 20 ? 15 : 4));
        free(expected);
        free(decoded);
        free(made.data);
    }
}

/* Planes resized and then converted are the same as pixels converted and then resized, but for rounding. */
static void resizing_planes_gives_what_resizing_rows_gives_but_for_rounding(void **state)
{
    enum { HEIGHT = 100, WIDTH = 130, TO_HEIGHT = 77, TO_WIDTH = 90 };
    photo made = photo_of(HEIGHT, WIDTH, 3);
    uint8_t whole[HEIGHT * WIDTH * 3], expected[TO_HEIGHT * TO_WIDTH * 3], decoded[sizeof expected];
    assert_ok(tri__jpeg_decode(*state, made.data, made.size, HEIGHT, WIDTH, whole));
    tri__resizer resizer = {0};
    assert_ok(tri__resize(&resizer, &(tri__pixels){whole, HEIGHT, WIDTH, 3, 3 * WIDTH}, TO_HEIGHT, TO_WIDTH, expected));
    assert_ok(tri__jpeg_decode(*state, made.data, made.size, TO_HEIGHT, TO_WIDTH, decoded));
    assert_true(distance(expected, decoded, sizeof expected) < 1);
    tri__resizer_fini(&resizer);
    free(made.data);
}

static void a_grey_photo_gets_three_equal_channels(void **state)
{
    photo made = photo_of(60, 50, 1);
    uint8_t *pixels = waves(60, 50, 1), *small = waves(30, 25, 1), decoded[60 * 50 * 3];
    assert_ok(tri__jpeg_decode(*state, made.data, made.size, 60, 50, decoded));
    for (int i = 0; i < 60 * 50; i++) {
        assert_true(abs(decoded[3 * i] - pixels[i]) < 8);
        assert_true(decoded[3 * i] == decoded[3 * i + 1] && decoded[3 * i] == decoded[3 * i + 2]);
    }
    assert_ok(tri__jpeg_decode(*state, made.data, made.size, 30, 25, decoded));
    for (int i = 0; i < 30 * 25; i++)
        assert_true(abs(decoded[3 * i + 1] - small[i]) < 12);
    free(pixels);
    free(small);
    free(made.data);
}

/* A photo of one shade of CMYK, stored as Adobe does (inverted, with its marker) or plainly. */
static photo ink_photo(const uint8_t ink[4], bool adobe)
{
    struct jpeg_compress_struct library;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    library.err = jpeg_std_error(&errors);
    jpeg_create_compress(&library);
    jpeg_mem_dest(&library, &data, &size);
    library.image_width = library.image_height = 24;
    library.input_components = 4;
    library.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&library);
    jpeg_set_quality(&library, 100, TRUE);
    library.write_Adobe_marker = adobe;
    jpeg_start_compress(&library, TRUE);
    uint8_t row[24 * 4];
    for (int i = 0; i < 24 * 4; i++)
        row[i] = adobe ? (uint8_t)(255 - ink[i % 4]) : ink[i % 4];
    while (library.next_scanline < library.image_height)
        jpeg_write_scanlines(&library, &(JSAMPROW){row}, 1);
    jpeg_finish_compress(&library);
    jpeg_destroy_compress(&library);
    return (photo){data, size};
}

static void a_cmyk_photo_is_converted_to_rgb(void **state)
{
    static const uint8_t ink[4] = {200, 100, 0, 55}; /* (255 − ink) · (255 − black) / 255 */
    static const int light[3] = {43, 122, 200};
    for (int adobe = 0; adobe < 2; adobe++)
        for (int side = 12; side <= 24; side += 6) {
            photo made = ink_photo(ink, adobe);
            uint8_t decoded[24 * 24 * 3];
            assert_ok(tri__jpeg_decode(*state, made.data, made.size, side, side, decoded));
            for (int i = 0; i < side * side * 3; i++)
                assert_true(abs(decoded[i] - light[i % 3]) <= 3);
            free(made.data);
        }
}

/* However it is cut, a photo is damaged, and the decoder is good for the next one. */
static void a_photo_cut_anywhere_is_refused(void **state)
{
    photo made = photo_of(40, 60, 3);
    uint8_t decoded[40 * 60 * 3];
    for (size_t size = 0; size < made.size; size++) {
        assert_fails(tri__jpeg_decode(*state, made.data, size, 20, 30, decoded), TRI_BAD_DATA, "byte ");
        assert_fails(tri__jpeg_decode(*state, made.data, size, 40, 60, decoded), TRI_BAD_DATA, "byte ");
    }
    assert_fails(tri__jpeg_decode(*state, made.data, made.size - 10, 40, 60, decoded), TRI_BAD_DATA, "Premature end of JPEG file");
    assert_ok(tri__jpeg_decode(*state, made.data, made.size, 40, 60, decoded));
    free(made.data);
}

static void changed_bytes_of_a_photo_are_refused_or_decoded(void **state)
{
    photo made = photo_of(40, 60, 3);
    uint8_t decoded[40 * 60 * 3];
    int refused = 0;
    for (size_t i = 0; i < made.size; i++) {
        uint8_t kept = made.data[i];
        made.data[i] ^= (uint8_t)(1 + i % 255);
        tri_status status = tri__jpeg_decode(*state, made.data, made.size, 33, 44, decoded);
        assert_true(!status || tri_status_code(status) == TRI_BAD_DATA);
        refused += status != NULL;
        tri_status_free(status);
        made.data[i] = kept;
    }
    assert_true(refused > 20);
    free(made.data);
}

static size_t find_frame(const photo *made)
{
    for (size_t i = 0; i + 1 < made->size; i++)
        if (made->data[i] == 0xFF && made->data[i + 1] == 0xC0)
            return i;
    fail_msg("no frame header in the photo");
    return 0;
}

static void a_photo_larger_than_its_data_allows_is_refused(void **state)
{
    photo made = photo_of(16, 16, 3);
    uint8_t decoded[16 * 16 * 3];
    int64_t height, width;
    size_t frame = find_frame(&made);
    memcpy(made.data + frame + 5, (const uint8_t[]){0xF0, 0, 0xF0, 0}, 4);
    assert_fails(tri__jpeg_size(*state, made.data, made.size, &height, &width), TRI_BAD_DATA, "61440×61440 pixels");
    assert_fails(tri__jpeg_decode(*state, made.data, made.size, 16, 16, decoded), TRI_BAD_DATA, "cannot be right");
    memcpy(made.data + frame + 5, (const uint8_t[]){0, 0, 0, 0}, 4);
    assert_fails(tri__jpeg_decode(*state, made.data, made.size, 16, 16, decoded), TRI_BAD_DATA, "byte ");
    free(made.data);
}

static void bytes_that_are_no_photo_are_refused(void **state)
{
    uint8_t decoded[3];
    assert_fails(tri__jpeg_decode(*state, (const uint8_t *)"", 0, 1, 1, decoded), TRI_BAD_DATA, "byte 0 of 0");
    assert_fails(tri__jpeg_decode(*state, (const uint8_t *)"GIF89a", 6, 1, 1, decoded), TRI_BAD_DATA, "does not begin as a JPEG");
    assert_false(tri__jpeg_is((const uint8_t *)"\xFF\xD8", 2));
}

static void colours_are_converted_by_the_formula_of_jfif(void **state)
{
    (void)state;
    enum { COUNT = 52 * 52 * 52 };
    uint8_t *planes = malloc(3 * COUNT), *rgb = malloc(3 * COUNT + 1);
    for (int i = 0; i < COUNT; i++) {
        planes[i] = (uint8_t)(i % 52 * 5);
        planes[COUNT + i] = (uint8_t)(i / 52 % 52 * 5);
        planes[2 * COUNT + i] = (uint8_t)(i / 52 / 52 * 5);
    }
    rgb[3 * COUNT] = 77;
    tri__jpeg_convert(planes, planes + COUNT, planes + 2 * COUNT, COUNT, rgb);
    for (int i = 0; i < COUNT; i++) {
        double y = planes[i], cb = planes[COUNT + i] - 128.0, cr = planes[2 * COUNT + i] - 128.0;
        double expected[3] = {y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb};
        for (int c = 0; c < 3; c++)
            assert_true(fabs(fmin(fmax(expected[c], 0), 255) - rgb[3 * i + c]) < 0.8);
    }
    assert_int_equal(rgb[3 * COUNT], 77); /* nothing is written behind the last pixel */
    free(planes);
    free(rgb);
}

static void the_jpeg_encoder_refuses_impossible_sizes(void **state)
{
    (void)state;
    uint8_t pixel[4] = {0}, *out;
    size_t size;
    assert_fails(tri__jpeg_encode(pixel, 0, 1, 3, 90, &out, &size), TRI_BAD_CALL, "1×0");
    assert_fails(tri__jpeg_encode(pixel, 1, 70000, 3, 90, &out, &size), TRI_BAD_CALL, "70000×1");
    assert_fails(tri__jpeg_encode(pixel, 1, 1, 4, 90, &out, &size), TRI_BAD_CALL, "4 channels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_photo_of_the_wanted_size_is_decoded),
        cmocka_unit_test(a_photo_of_another_size_is_resized),
        cmocka_unit_test(resizing_planes_gives_what_resizing_rows_gives_but_for_rounding),
        cmocka_unit_test(a_grey_photo_gets_three_equal_channels),
        cmocka_unit_test(a_cmyk_photo_is_converted_to_rgb),
        cmocka_unit_test(a_photo_cut_anywhere_is_refused),
        cmocka_unit_test(changed_bytes_of_a_photo_are_refused_or_decoded),
        cmocka_unit_test(a_photo_larger_than_its_data_allows_is_refused),
        cmocka_unit_test(bytes_that_are_no_photo_are_refused),
        cmocka_unit_test(colours_are_converted_by_the_formula_of_jfif),
        cmocka_unit_test(the_jpeg_encoder_refuses_impossible_sizes),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
