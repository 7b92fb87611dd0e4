/* resize_test.c: resizing against the same in plain floating point, for sizes at and beside every edge case. */
#include "data/photo/resize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* A picture of one channel in floating point. */
typedef struct {
    int64_t height, width;
    double *at;
} picture;

static picture picture_of(int64_t height, int64_t width)
{
    picture out = {height, width, calloc((size_t)(height * width), sizeof *out.at)};
    assert_non_null(out.at);
    return out;
}

static picture halve(picture from, bool rows)
{
    picture out = picture_of(rows ? from.height / 2 : from.height, rows ? from.width : from.width / 2);
    for (int64_t y = 0; y < out.height; y++)
        for (int64_t x = 0; x < out.width; x++) {
            double a = rows ? from.at[2 * y * from.width + x] : from.at[y * from.width + 2 * x];
            double b = rows ? from.at[(2 * y + 1) * from.width + x] : from.at[y * from.width + 2 * x + 1];
            out.at[y * out.width + x] = (a + b) / 2;
        }
    free(from.at);
    return out;
}

static double position_in_source(int64_t i, int64_t to, int64_t from)
{
    return fmin(fmax(((double)i + 0.5) * (double)from / (double)to - 0.5, 0), (double)(from - 1));
}

static double interpolated(picture from, double y, double x)
{
    int64_t top = (int64_t)y, left = (int64_t)x, bottom = top + 1 < from.height ? top + 1 : top,
            right = left + 1 < from.width ? left + 1 : left;
    double down = y - (double)top, along = x - (double)left;
    double upper = from.at[top * from.width + left] * (1 - along) + from.at[top * from.width + right] * along;
    double lower = from.at[bottom * from.width + left] * (1 - along) + from.at[bottom * from.width + right] * along;
    return upper * (1 - down) + lower * down;
}

/* The definition in resize.h, word by word. */
static picture resized(picture from, int64_t height, int64_t width)
{
    while (from.height >= 2 * height)
        from = halve(from, true);
    while (from.width >= 2 * width)
        from = halve(from, false);
    picture out = picture_of(height, width);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            out.at[y * width + x] =
                interpolated(from, position_in_source(y, height, from.height), position_in_source(x, width, from.width));
    free(from.at);
    return out;
}

static void compare(tri__resizer *resizer, int64_t from_height, int64_t from_width, int64_t height, int64_t width, int64_t channels)
{
    size_t stride = (size_t)(from_width * channels) + 5, guard = 8;
    uint8_t *from = malloc((size_t)from_height * stride), *to = malloc((size_t)(height * width * channels) + guard);
    assert_non_null(from);
    assert_non_null(to);
    for (size_t i = 0; i < (size_t)from_height * stride; i++)
        from[i] = (uint8_t)(i * 2654435761U >> 13);
    memset(to, 0xA5, (size_t)(height * width * channels) + guard);
    assert_ok(tri__resize(resizer, &(tri__pixels){from, from_height, from_width, channels, stride}, height, width, to));
    double worst = 0;
    for (int64_t c = 0; c < channels; c++) {
        picture one = picture_of(from_height, from_width);
        for (int64_t y = 0; y < from_height; y++)
            for (int64_t x = 0; x < from_width; x++)
                one.at[y * from_width + x] = from[(size_t)y * stride + (size_t)(x * channels + c)];
        picture expected = resized(one, height, width);
        for (int64_t i = 0; i < height * width; i++)
            worst = fmax(worst, fabs(expected.at[i] - to[i * channels + c]));
        free(expected.at);
    }
    /* Each of two blends rounds its weight to 1/512 and its result to 1/2; a halving rounds up by up to 1/2. */
    double halvings = fmax(floor(log2((double)from_height / (double)height)), 0) + fmax(floor(log2((double)from_width / (double)width)), 0);
    assert_true(worst < 2.1 + 0.5 * halvings);
    for (size_t i = 0; i < guard; i++)
        assert_int_equal(to[(size_t)(height * width * channels) + i], 0xA5);
    free(from);
    free(to);
}

static void pictures_of_any_size_are_resized_as_the_reference_does(void **state)
{
    (void)state;
    static const int64_t sides[] = {1, 2, 3, 15, 16, 17, 31, 33, 64, 100};
    enum { SIDES = sizeof sides / sizeof *sides };
    tri__resizer resizer = {0};
    for (int a = 0; a < SIDES; a++)
        for (int b = 0; b < SIDES; b++) {
            compare(&resizer, sides[a], sides[(a + 3) % SIDES], sides[b], sides[(b + 5) % SIDES], 1);
            compare(&resizer, sides[a], sides[b], sides[b], sides[a], 3);
        }
    compare(&resizer, 240, 320, 192, 192, 1);
    compare(&resizer, 120, 160, 192, 192, 1);
    tri__resizer_fini(&resizer);
}

static void a_picture_resized_to_its_own_size_is_a_copy(void **state)
{
    (void)state;
    uint8_t from[17 * 19 * 3], to[sizeof from];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 31);
    tri__resizer resizer = {0};
    assert_ok(tri__resize(&resizer, &(tri__pixels){from, 17, 19, 3, 19 * 3}, 17, 19, to));
    assert_memory_equal(from, to, sizeof from);
    tri__resizer_fini(&resizer);
}

/* What is even stays even, up to the ends of the range. */
static void a_picture_of_one_colour_keeps_it_when_resized(void **state)
{
    (void)state;
    tri__resizer resizer = {0};
    uint8_t from[50 * 40], to[23 * 61];
    for (int value = 0; value < 256; value += 51) {
        memset(from, value, sizeof from);
        assert_ok(tri__resize(&resizer, &(tri__pixels){from, 50, 40, 1, 40}, 23, 61, to));
        for (size_t i = 0; i < sizeof to; i++)
            assert_int_equal(to[i], value);
    }
    tri__resizer_fini(&resizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_of_any_size_are_resized_as_the_reference_does),
        cmocka_unit_test(a_picture_resized_to_its_own_size_is_a_copy),
        cmocka_unit_test(a_picture_of_one_colour_keeps_it_when_resized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
