/* png_test.c: a known picture, pictures of the wrong size, and damage. */
#include "data/photo/png/png.h"

#include "support.h"

#include <stdlib.h>

/* 2×1 pixels, red and (1, 2, 3), 8 bits RGB. */
static const uint8_t picture[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
    0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x7b, 0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00,
    0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0xc8, 0xc4, 0x0c, 0x00, 0x06, 0x0b,
    0x01, 0x06, 0x04, 0x0b, 0x99, 0x2d, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static void a_png_picture_is_decoded(void **state)
{
    (void)state;
    tri__picture out;
    assert_ok(tri__png_load("x.png", picture, sizeof picture, 2, 1, &out));
    assert_memory_equal(out.pixels, ((uint8_t[]){255, 0, 0, 1, 2, 3}), 6);
    free(out.pixels);
}

static void an_invalid_png_picture_is_refused(void **state)
{
    (void)state;
    tri__picture out;
    assert_fails(tri__png_load("x.png", picture, sizeof picture, 1024, 10000, &out), TRI_BAD_DATA,
                 "x.png: a picture of 2×1 where 1024×10000");
    assert_fails(tri__png_load("x.png", (const uint8_t *)"GIF89a", 6, 2, 1, &out), TRI_BAD_DATA, "not a PNG picture");
    for (size_t cut = 8; cut < 60; cut++)
        assert_fails(tri__png_load("x.png", picture, cut, 2, 1, &out), TRI_BAD_DATA, "damaged?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_picture_is_decoded),
        cmocka_unit_test(an_invalid_png_picture_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
