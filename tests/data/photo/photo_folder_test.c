/* photo_folder_test.c: photos in folders as a source: classes, parts, sizes, damage. */
#include "data/photo/photo_folder.h"

#include <png.h>
#include <unistd.h>
#include <webp/encode.h>

#include "base/file/folder.h"
#include "data/fixture.h"
#include "data/photo/jpeg/encode.h"
#include "data/photo/png/png.h"

/* A photo of one shade. */
static void write_photo(const char *folder, const char *class, const char *name, int64_t height, int64_t width, uint8_t shade)
{
    char *path = test_path(folder, class), *file;
    uint8_t *pixels = malloc((size_t)(height * width * 3)), *photo;
    size_t size;
    memset(pixels, shade, (size_t)(height * width * 3));
    assert_ok(tri__jpeg_encode(pixels, height, width, 3, 90, &photo, &size));
    assert_ok(tri__folder_create(path));
    file = test_path(path, name);
    test_write(file, photo, size);
    free(path);
    free(file);
    free(pixels);
    free(photo);
}

static void check_photo(tri_source *source, int64_t record, int32_t label, uint8_t shade)
{
    const tri_shape shape = tri_source_describe(source)->shape;
    uint8_t *x = malloc((size_t)tri_shape_count(shape));
    int32_t got = -1;
    assert_ok(tri_source_read(source, &record, 1, x, &got));
    assert_int_equal(got, label);
    for (int64_t i = 0; i < tri_shape_count(shape); i++)
        assert_true(abs(x[i] - shade) <= 2);
    free(x);
}

static void folders_are_classes_and_photos_are_resized(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    write_photo(folder, "roses", "b.jpg", 20, 30, 40);
    write_photo(folder, "rose", "validation.jpg", 20, 30, 80); /* names of photos mean nothing */
    write_photo(folder, "roses", "a.jpg", 20, 30, 120);
    fixture_write(folder, "readme.md", (const uint8_t *)"# photos", 8);
    tri_source *source = fixture_open(folder, "jpeg", 3, 3);
    const tri_source_info *info = tri_source_describe(source);
    assert_true(info->bytes > 300);
    assert_int_equal(info->classes, 2);
    assert_string_equal(info->class_names[0], "rose");
    assert_string_equal(info->class_names[1], "roses");
    assert_true(tri_shape_equal(info->shape, TRI_SHAPE(20, 30, 3)));
    check_photo(source, 0, 0, 80);
    check_photo(source, 1, 1, 120);
    check_photo(source, 2, 1, 40);
    tri_source_destroy(source);
    assert_fails(tri_source_open(folder, TRI_PART_TEST, NULL, &source), TRI_NOT_FOUND, "has no test part");
    write_photo(folder, "tulips", "c.jpg", 21, 30, 200);
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "photos of several sizes");
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "tulips/c.jpg is 30×21");
    const tri_source_options options = {.height = 8, .width = 12};
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &options, &source));
    assert_true(tri_shape_equal(tri_source_describe(source)->shape, TRI_SHAPE(8, 12, 3)));
    check_photo(source, 3, 2, 200);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

/* Classes are those of both parts, and a glob keeps the parts apart. */
static void classes_are_those_of_both_parts(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *glob = test_path(folder, "*/*/*.jpg");
    write_photo(folder, "train/b", "1.jpg", 9, 9, 10);
    write_photo(folder, "val/a", "2.jpg", 9, 9, 20);
    write_photo(folder, "val/b", "3.jpg", 9, 9, 30);
    for (int i = 0; i < 2; i++) {
        tri_source *source;
        assert_ok(tri_source_open(i ? glob : folder, TRI_PART_TRAIN, NULL, &source));
        assert_int_equal(tri_source_describe(source)->examples, 1);
        assert_int_equal(tri_source_describe(source)->classes, 2);
        check_photo(source, 0, 1, 10);
        tri_source_destroy(source);
        assert_ok(tri_source_open(i ? glob : folder, TRI_PART_TEST, NULL, &source));
        assert_int_equal(tri_source_describe(source)->examples, 2);
        check_photo(source, 0, 0, 20);
        check_photo(source, 1, 1, 30);
        tri_source_destroy(source);
    }
    free(glob);
    test_folder_remove(folder);
}

static void damaged_photo_is_told_by_its_path(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *class = test_path(folder, "a");
    write_photo(folder, "a", "good.jpg", 9, 9, 10);
    fixture_write(class, "bad.jpg", (const uint8_t *)"<html>not found</html>", 22);
    fixture_write(class, "cut.jpg", (const uint8_t *)"\xFF\xD8\xFF\xE0", 4);
    tri_source *source;
    uint8_t x[9 * 9 * 3];
    int32_t label;
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    assert_int_equal(tri_source_describe(source)->examples, 3);
    assert_fails(tri_source_read(source, &(int64_t){0}, 1, x, &label), TRI_BAD_DATA, "a/bad.jpg: record 0: byte 0 of 22: ");
    assert_fails(tri_source_read(source, &(int64_t){1}, 1, x, &label), TRI_BAD_DATA, "a/cut.jpg: record 1: byte 4 of 4: ");
    assert_fails(tri_source_read(source, &(int64_t){1}, 1, x, &label), TRI_BAD_DATA, "--skip-bad skips it");
    check_photo(source, 2, 0, 10);
    char *good = test_path(class, "good.jpg");
    assert_int_equal(unlink(good), 0);
    assert_fails(tri_source_read(source, &(int64_t){2}, 1, x, &label), TRI_NOT_FOUND, "good.jpg: cannot open");
    tri_source_destroy(source);
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "none of the 2 photos can be read");
    free(good);
    free(class);
    test_folder_remove(folder);
}

/* In the data set's folder; in a part's; beside folders of classes, before and behind them. */
static void photo_outside_a_class_folder_is_refused(void **state)
{
    (void)state;
    static const char *const places[] = {".", "train", "test", "train/class", "train"};
    static const char *const names[] = {"photo.jpg", "0.jpg", "photo.jpg", "photo.jpg", "zzz.jpg"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *folder = test_folder_create();
        write_photo(folder, "train/class/below", "photo.jpg", 9, 9, 10);
        write_photo(folder, "train/class two", "photo.jpg", 9, 9, 10);
        tri_source *source;
        assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
        assert_int_equal(tri_source_describe(source)->classes, 2);
        tri_source_destroy(source);
        write_photo(folder, places[i], names[i], 9, 9, 10);
        assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "lies in no folder of a class");
        test_folder_remove(folder);
    }
}

static void write_bytes(const char *folder, const char *class, const char *name, const uint8_t *bytes, size_t size)
{
    char *path = test_path(folder, class), *file;
    assert_ok(tri__folder_create(path));
    file = test_path(path, name);
    test_write(file, bytes, size);
    free(path);
    free(file);
}

/* A PNG picture of one shade: grey, with colours, or with opacity as well. */
static void write_png(const char *folder, const char *class, const char *name, png_uint_32 format, uint8_t shade)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = 30, .height = 20, .format = format};
    uint8_t pixels[30 * 20 * 4], bytes[8192];
    png_alloc_size_t size = sizeof bytes;
    memset(pixels, shade, sizeof pixels);
    assert_true(png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL));
    write_bytes(folder, class, name, bytes, size);
}

static void write_webp(const char *folder, const char *class, const char *name, uint8_t shade)
{
    uint8_t pixels[30 * 20 * 3], *bytes;
    memset(pixels, shade, sizeof pixels);
    size_t size = WebPEncodeLosslessRGB(pixels, 30, 20, 30 * 3, &bytes);
    assert_true(size > 0);
    write_bytes(folder, class, name, bytes, size);
    WebPFree(bytes);
}

static void png_and_webp_photos_are_read_beside_jpeg_ones(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    tri_source *source;
    write_png(folder, "a", "1.png", PNG_FORMAT_GRAY, 10);
    write_png(folder, "a", "2.png", PNG_FORMAT_RGB, 60);
    write_png(folder, "a", "3.png", PNG_FORMAT_RGBA, 200);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    assert_string_equal(tri_source_describe(source)->format, "png");
    tri_source_destroy(source);
    write_webp(folder, "b", "1.webp", 90);
    write_photo(folder, "b", "2.jpg", 20, 30, 120);
    for (int resized = 0; resized < 2; resized++) {
        const tri_source_options options = {.height = resized ? 7 : 0, .width = resized ? 9 : 0};
        assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &options, &source));
        assert_string_equal(tri_source_describe(source)->format, "photos");
        assert_int_equal(tri_source_describe(source)->classes, 2);
        assert_int_equal(tri_source_describe(source)->shape.dim[1], resized ? 9 : 30);
        static const uint8_t shades[] = {10, 60, 200, 90, 120};
        for (int64_t i = 0; i < 5; i++)
            check_photo(source, i, i > 2, shades[i]);
        tri_source_destroy(source);
    }
    test_folder_remove(folder);
}

static void damaged_png_and_webp_photos_are_told(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    tri_source *source;
    uint8_t x[30 * 20 * 3], cut[33] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    int32_t label;
    write_png(folder, "a", "good.png", PNG_FORMAT_RGB, 10);
    write_bytes(folder, "a", "cut.png", cut, 20);
    write_bytes(folder, "a", "cut.webp", (const uint8_t *)"RIFF\x20\0\0\0WEBPVP8 ", 16);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    assert_fails(tri_source_read(source, &(int64_t){0}, 1, x, &label), TRI_BAD_DATA, "cut.png: record 0: not a PNG picture");
    assert_fails(tri_source_read(source, &(int64_t){1}, 1, x, &label), TRI_BAD_DATA, "cut.webp: record 1: the WebP picture");
    check_photo(source, 2, 0, 10);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void empty_photos_are_called_empty(void **state)
{
    static const char *const names[] = {"a.jpg", "b.png", "c.webp"};
    const char *folder = *state;
    tri_source *source;
    uint8_t x[30 * 20 * 3];
    int32_t label;
    for (int i = 0; i < 3; i++)
        write_bytes(folder, "a", names[i], (const uint8_t *)"", 0);
    write_png(folder, "a", "good.png", PNG_FORMAT_RGB, 10);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    for (int64_t i = 0; i < 3; i++) {
        char why[80];
        snprintf(why, sizeof why, "%s: record %d: the picture is empty: it has 0 bytes", names[i], (int)i);
        assert_fails(tri_source_read(source, &i, 1, x, &label), TRI_BAD_DATA, why);
    }
    check_photo(source, 3, 0, 10);
    tri_source_destroy(source);
}

/* Grey ones keep their bytes, coloured ones become bright as eyes see them; also where they are resized. */
static void photos_are_read_with_one_channel(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "a/4.png");
    write_photo(folder, "a", "1.jpg", 20, 30, 120);
    write_png(folder, "a", "2.png", PNG_FORMAT_GRAY, 10);
    write_webp(folder, "b", "3.webp", 200);
    uint8_t *pixels = malloc(20 * 30 * 3), *photo, x[20 * 30];
    size_t size;
    int32_t label;
    for (int i = 0; i < 20 * 30; i++)
        memcpy(pixels + 3L * i, ((uint8_t[]){250, 100, 30}), 3);
    assert_ok(tri__png_encode(pixels, 20, 30, 3, &photo, &size));
    test_write(path, photo, size);
    tri_source *source;
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &(tri_source_options){.grey = true}, &source));
    assert_true(tri_shape_equal(tri_source_describe(source)->shape, TRI_SHAPE(20, 30, 1)));
    check_photo(source, 0, 0, 120);
    check_photo(source, 1, 0, 10);
    check_photo(source, 3, 1, 200);
    assert_ok(tri_source_read(source, &(int64_t){2}, 1, x, &label));
    for (int i = 0; i < 20 * 30; i++)
        assert_int_equal(x[i], 137); /* 0.299 · 250 + 0.587 · 100 + 0.114 · 30 = 136.87 */
    tri_source_destroy(source);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &(tri_source_options){.grey = true, .height = 7, .width = 9}, &source));
    assert_true(tri_shape_equal(tri_source_describe(source)->shape, TRI_SHAPE(7, 9, 1)));
    check_photo(source, 0, 0, 120);
    check_photo(source, 2, 0, 137);
    tri_source_destroy(source);
    free(pixels);
    free(photo);
    free(path);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_classes_and_photos_are_resized),
        cmocka_unit_test(classes_are_those_of_both_parts),
        cmocka_unit_test(damaged_photo_is_told_by_its_path),
        cmocka_unit_test(photo_outside_a_class_folder_is_refused),
        cmocka_unit_test(png_and_webp_photos_are_read_beside_jpeg_ones),
        cmocka_unit_test(damaged_png_and_webp_photos_are_told),
        FOLDER_TEST(empty_photos_are_called_empty),
        cmocka_unit_test(photos_are_read_with_one_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
