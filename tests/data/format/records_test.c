/* records_test.c: TFRecord files of clicks and of pictures as sources: what is learnt of them, what is read, and what is said of damage. */
#include "data/format/records.h"

#include <stdio.h>
#include <unistd.h>

#include "data/fixture.h"
#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/photo/jpeg/encode.h"

/* A file being filled. */
typedef struct {
    char *folder, *path;
    tri__tfrecord_writer *writer;
    tri__tf_example_writer example;
} maker;

static void begin(maker *self, const char *folder, const char *name)
{
    self->path = test_path(folder, name);
    self->example = (tri__tf_example_writer){0};
    assert_ok(tri__tfrecord_writer_create(self->path, strstr(name, ".gz") ? TRI_GZIP : TRI_UNCOMPRESSED, &self->writer));
}

static void put(maker *self)
{
    const uint8_t *data;
    size_t size;
    assert_ok(tri__tf_example_finish(&self->example, &data, &size));
    tri__tfrecord_write(self->writer, data, size);
}

static void end(maker *self)
{
    assert_ok(tri__tfrecord_writer_commit(self->writer));
    tri__tf_example_fini(&self->example);
    free(self->path);
}

static void put_click(maker *self, const int64_t *keys, size_t count, int64_t label)
{
    float values[8] = {0.5f, 1, 2, 3, 4, 5, 6, 7};
    tri__tf_example_begin(&self->example);
    tri__tf_example_add_integers(&self->example, "index", keys, count);
    tri__tf_example_add_floats(&self->example, "value", values, count);
    tri__tf_example_add_integers(&self->example, "label", &label, 1);
    put(self);
}

/* Three clicks, of 2, 3 and 0 features. */
static void make_clicks(const char *folder, const char *name)
{
    maker self;
    begin(&self, folder, name);
    put_click(&self, (int64_t[]){7, 1000}, 2, 1);
    put_click(&self, (int64_t[]){0, 5, 999999}, 3, 0);
    put_click(&self, NULL, 0, 1);
    end(&self);
}

enum { HEIGHT = 4, WIDTH = 6, BYTES = HEIGHT * WIDTH * 3 };

static void make_pixels(int salt, uint8_t *out)
{
    for (int i = 0; i < BYTES; i++)
        out[i] = (uint8_t)(i * 3 + salt * 50);
}

static void add_raw(tri__tf_example_writer *example, int64_t height, int64_t width, int64_t channels, const uint8_t *pixels, size_t size)
{
    tri__tf_example_add_integers(example, "image/height", &height, 1);
    tri__tf_example_add_integers(example, "image/width", &width, 1);
    tri__tf_example_add_integers(example, "image/channels", &channels, 1);
    tri__tf_example_add_bytes(example, "image/raw", pixels, size);
}

/* Pictures of classes 0, 1, 2, the last without a name; encoded: as JPEG. */
static void make_images(const char *folder, const char *name, bool encoded)
{
    static const char *const texts[] = {"roses", "tulips"};
    maker self;
    begin(&self, folder, name);
    for (int64_t i = 0; i < 3; i++) {
        uint8_t pixels[BYTES], *photo;
        size_t size;
        make_pixels((int)i, pixels);
        tri__tf_example_begin(&self.example);
        if (encoded) {
            assert_ok(tri__jpeg_encode(pixels, HEIGHT, WIDTH, 3, 90, &photo, &size));
            tri__tf_example_add_bytes(&self.example, "image/encoded", photo, size);
            free(photo);
        } else {
            add_raw(&self.example, HEIGHT, WIDTH, 3, pixels, sizeof pixels);
        }
        tri__tf_example_add_integers(&self.example, "image/class/label", &i, 1);
        if (i < 2)
            tri__tf_example_add_bytes(&self.example, "image/class/text", texts[i], strlen(texts[i]));
        put(&self);
    }
    end(&self);
}

static tri_status open_in(const char *folder, const char *name, const tri_source_options *options, tri_source **out)
{
    char *path = test_path(folder, name);
    tri_status status = tri_source_open(path, TRI_PART_TRAIN, options, out);
    free(path);
    return status;
}

/* Read one record of a source of clicks (at most 8 features) or pictures. */
typedef struct {
    int32_t keys[8], label;
    float values[8];
    uint8_t x[4096];
} example;

static tri_status read_one(tri_source *source, int64_t record, example *out)
{
    tri__reader *reader;
    TRI_TRY(tri__reader_create(source, &reader));
    int64_t count = 0;
    const tri__example_target target = {.x = out->x, .keys = out->keys, .values = out->values, .count = &count, .label = &out->label};
    tri_status status = source->kind->read(reader, record, &target);
    for (int64_t i = count; !status && i < source->info.width; i++) { /* what stands behind them means nothing */
        out->keys[i] = -1;
        out->values[i] = 0;
    }
    tri__reader_destroy(reader);
    return status;
}

static void clicks_are_read_from_tfrecords(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *cache = test_path(folder, "cache");
    make_clicks(folder, "a.tfrecord");
    make_clicks(folder, "b.tfrecord.gz");
    for (int again = 0; again < 2; again++) { /* the second time from the index */
        tri_source *source;
        assert_ok(open_in(folder, "*.tfrecord*", &(tri_source_options){.cache_folder = cache}, &source));
        assert_string_equal(source->info.format, "tfrecord-clicks");
        assert_int_equal(source->info.examples, 6);
        assert_int_equal(source->info.files, 2);
        assert_int_equal(source->info.width, 3);
        assert_int_equal(source->info.shape.dim[0], 1000000);
        assert_int_equal(source->info.classes, 2);
        example one;
        for (int64_t record = 0; record < 6; record += 3) {
            assert_ok(read_one(source, record, &one));
            assert_memory_equal(one.keys, ((int32_t[]){7, 1000, -1}), 12);
            assert_memory_equal(one.values, ((float[]){0.5f, 1, 0}), 12);
            assert_int_equal(one.label, 1);
            assert_ok(read_one(source, record + 1, &one));
            assert_memory_equal(one.keys, ((int32_t[]){0, 5, 999999}), 12);
            assert_int_equal(one.label, 0);
            assert_ok(read_one(source, record + 2, &one));
            assert_memory_equal(one.keys, ((int32_t[]){-1, -1, -1}), 12);
        }
        tri_source_destroy(source);
    }
    free(cache);
    test_folder_remove(folder);
}

static void clicks_keep_their_labels(void **state)
{
    (void)state;
    static const int64_t labels[][3] = {{-1, 1, -1}, {2, 4, 4}, {1, 2, 3}};
    static const int64_t classes[] = {2, 2, 3}, first[] = {-1, 2, 1}, step[] = {2, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        char *folder = test_folder_create(), *path = test_path(folder, "clicks.tfrecord");
        maker self;
        begin(&self, folder, "clicks.tfrecord");
        for (size_t j = 0; j < 3; j++)
            put_click(&self, (int64_t[]){1, 3}, 2, labels[i][j]);
        end(&self);
        tri_source *source;
        assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
        const tri_source_info *info = tri_source_describe(source);
        assert_int_equal(info->classes, classes[i]);
        assert_int_equal(info->numbering.first_label, first[i]);
        assert_int_equal(info->numbering.label_step, step[i]);
        assert_int_equal(info->numbering.first_index, -1);
        tri_source_destroy(source);
        free(path);
        test_folder_remove(folder);
    }
}

static void a_click_record_with_an_index_out_of_bounds_is_damaged(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    make_clicks(folder, "a.tfrecord");
    tri_source *source;
    example one;
    assert_ok(open_in(folder, "a.tfrecord", &(tri_source_options){.features = 1000}, &source));
    assert_int_equal(source->info.shape.dim[0], 1000);
    assert_fails(read_one(source, 0, &one), TRI_BAD_DATA, "record 0 at byte 0: index 1000 where features are 0 to 999; --features");
    assert_ok(read_one(source, 2, &one));
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void a_record_without_a_needed_feature_is_damaged(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    maker self;
    begin(&self, folder, "a.tfrecord");
    put_click(&self, (int64_t[]){1, 2}, 2, 1);
    put_click(&self, (int64_t[]){1, 2}, 2, -5); /* 1: no class */
    tri__tf_example_begin(&self.example);
    tri__tf_example_add_floats(&self.example, "label", (float[]){1}, 1);
    tri__tf_example_add_integers(&self.example, "index", (int64_t[]){2}, 1);
    put(&self); /* 2: label as a float, no values: all 1 */
    tri__tf_example_begin(&self.example);
    tri__tf_example_add_integers(&self.example, "label", (int64_t[]){1}, 1);
    put(&self); /* 3 */
    tri__tf_example_begin(&self.example);
    tri__tf_example_add_integers(&self.example, "index", (int64_t[]){1, 2}, 2);
    tri__tf_example_add_floats(&self.example, "value", (float[]){1}, 1);
    put(&self);                                  /* 4 */
    tri__tfrecord_write(self.writer, "text", 4); /* 5 */
    end(&self);
    tri_source *source;
    example one;
    assert_ok(open_in(folder, "a.tfrecord", NULL, &source));
    assert_fails(read_one(source, 1, &one), TRI_BAD_DATA, "record 1 at byte");
    assert_ok(read_one(source, 2, &one));
    assert_memory_equal(one.values, ((float[]){1, 0}), 8);
    assert_int_equal(one.label, 1);
    assert_fails(read_one(source, 3, &one), TRI_BAD_DATA, "no readable feature 'index'");
    assert_fails(read_one(source, 4, &one), TRI_BAD_DATA, "has 2 indices but 1 values");
    assert_fails(read_one(source, 5, &one), TRI_BAD_DATA, "is no tf.Example");
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void images_are_read_from_tfrecords(void **state)
{
    (void)state;
    for (int encoded = 0; encoded < 2; encoded++) {
        char *folder = test_folder_create();
        make_images(folder, "train.tfrecord", encoded);
        tri_source *source;
        assert_ok(open_in(folder, "train.tfrecord", NULL, &source));
        assert_string_equal(source->info.format, "tfrecord-images");
        assert_int_equal(source->info.examples, 3);
        assert_int_equal(source->info.classes, 3);
        assert_int_equal(source->info.width, 0);
        assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(HEIGHT, WIDTH, 3)));
        assert_string_equal(source->info.class_names[1], "tulips");
        assert_string_equal(source->info.class_names[2], "2");
        for (int i = 0; i < 3; i++) {
            example one;
            uint8_t pixels[BYTES];
            make_pixels(i, pixels);
            assert_ok(read_one(source, i, &one));
            assert_int_equal(one.label, i);
            if (!encoded)
                assert_memory_equal(one.x, pixels, BYTES);
        }
        tri_source_destroy(source);
        assert_ok(open_in(folder, "train.tfrecord", &(tri_source_options){.height = 2, .width = 3}, &source));
        assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(2, 3, 3)));
        example one;
        assert_ok(read_one(source, 2, &one));
        tri_source_destroy(source);
        test_folder_remove(folder);
    }
}

/* Damage of the first record does not hide the names that the others have; nor does it end a look for sizes. */
static void a_damaged_first_image_hides_no_names_and_no_sizes(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "a.tfrecord");
    make_images(folder, "a.tfrecord", false);
    size_t size;
    char *bytes = test_read(path, &size);
    bytes[TRI_TFRECORD_HEAD + 20] ^= 1;
    test_write(path, bytes, size);
    tri_source *source;
    assert_ok(open_in(folder, "a.tfrecord", NULL, &source));
    assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(HEIGHT, WIDTH, 3)));
    assert_non_null(source->info.class_names);
    assert_string_equal(source->info.class_names[0], "0");
    assert_string_equal(source->info.class_names[1], "tulips");
    tri_source_destroy(source);
    free(bytes);
    free(path);
    test_folder_remove(folder);
}

/* Where one only looks, pictures of several sizes are no damage. */
static void images_of_several_sizes_are_described(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    maker self;
    begin(&self, folder, "a.tfrecord");
    for (int64_t i = 0; i < 4; i++) {
        const uint8_t pixels[4 * 2 * 3] = {0};
        int64_t height = i < 2 ? 4 : 2;
        tri__tf_example_begin(&self.example);
        add_raw(&self.example, height, 2, 3, pixels, (size_t)height * 6);
        tri__tf_example_add_integers(&self.example, "image/class/label", (int64_t[]){1}, 1);
        put(&self);
    }
    end(&self);
    tri_source *source;
    example one;
    for (int any = 0; any < 2; any++) {
        assert_ok(open_in(folder, "a.tfrecord", &(tri_source_options){.any_size = any}, &source));
        assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(4, 2, 3)));
        assert_int_equal(source->info.several_sizes, any);
        if (any)
            assert_ok(read_one(source, 3, &one));
        else
            assert_fails(read_one(source, 3, &one), TRI_BAD_DATA, "a picture of 2x2x3 where the first is 4x2x3 (`trireme data convert");
        tri_source_destroy(source);
    }
    test_folder_remove(folder);
}

static void an_image_record_of_the_wrong_size_or_class_is_damaged(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    maker self;
    uint8_t pixels[BYTES];
    make_pixels(0, pixels);
    begin(&self, folder, "a.tfrecord");
    static const struct {
        int64_t height, width;
        size_t size;
        const char *message;
    } cases[] = {
        {HEIGHT, WIDTH, BYTES, NULL},
        {HEIGHT, WIDTH, BYTES - 1, "image/raw has 71 bytes, which is not 4x6x3"},
        {WIDTH, HEIGHT, BYTES, "a picture of 6x4x3 where the first is 4x6x3"},
        {INT64_MAX, INT64_MAX, BYTES, "which is not"},
        {-1, WIDTH, BYTES, "which is not"},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    for (int i = 0; i < CASES; i++) {
        tri__tf_example_begin(&self.example);
        add_raw(&self.example, cases[i].height, cases[i].width, 3, pixels, cases[i].size);
        tri__tf_example_add_integers(&self.example, "image/class/label", (int64_t[]){0}, 1);
        put(&self);
    }
    tri__tf_example_begin(&self.example);
    tri__tf_example_add_bytes(&self.example, "image/encoded", "no photo", 8);
    tri__tf_example_add_integers(&self.example, "image/class/label", (int64_t[]){0}, 1);
    put(&self);
    end(&self);
    tri_source *source;
    example one;
    assert_ok(open_in(folder, "a.tfrecord", NULL, &source));
    for (int i = 0; i < CASES; i++)
        if (cases[i].message)
            assert_fails(read_one(source, i, &one), TRI_BAD_DATA, cases[i].message);
        else
            assert_ok(read_one(source, i, &one));
    assert_fails(read_one(source, CASES, &one), TRI_BAD_DATA, "a.tfrecord: record 5 at byte");
    tri_source_destroy(source);
    test_folder_remove(folder);
}

/* Records before a damaged length are read; the place itself tells, once; the rest of that file is not there. */
static void records_before_a_damaged_length_are_read(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "a.tfrecord");
    make_clicks(folder, "a.tfrecord");
    make_clicks(folder, "b.tfrecord");
    size_t size;
    char *bytes = test_read(path, &size);
    const tri__tfrecord_file file = {path, (const uint8_t *)bytes, size};
    tri__record first;
    assert_ok(tri__tfrecord_at(&file, 0, 0, &first));
    size_t second = tri__record_end(&first);
    bytes[second + 2] ^= 1;
    test_write(path, bytes, size);
    tri_source *source;
    example one;
    assert_ok(open_in(folder, "*", NULL, &source));
    assert_int_equal(source->info.examples, 2 + 3);
    assert_ok(read_one(source, 0, &one));
    assert_fails(read_one(source, 1, &one), TRI_BAD_DATA, "nothing behind this place can be read");
    assert_ok(read_one(source, 2, &one)); /* of the next file */
    tri_source_destroy(source);
    free(bytes);
    free(path);
    test_folder_remove(folder);
}

/* A damaged record teaches nothing: not its label, nor its indices. */
static void a_damaged_record_adds_no_class_and_no_feature(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "a.tfrecord");
    make_clicks(folder, "a.tfrecord");
    size_t size;
    char *bytes = test_read(path, &size);
    for (size_t i = 12; i < size; i++) {
        bytes[i] ^= 0x40;
        test_write(path, bytes, size);
        tri_source *source;
        assert_ok(open_in(folder, "a.tfrecord", NULL, &source));
        assert_true(source->info.shape.dim[0] <= 1000000);
        assert_int_equal(source->info.classes, 2);
        assert_true(source->info.width <= 3);
        tri_source_destroy(source);
        bytes[i] ^= 0x40;
    }
    free(bytes);
    free(path);
    test_folder_remove(folder);
}

static void empty_foreign_and_mixed_record_files_are_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    tri_source *source;
    fixture_write(folder, "empty.tfrecord", (const uint8_t *)"", 0);
    assert_fails(open_in(folder, "empty.tfrecord", NULL, &source), TRI_BAD_DATA, "has no records");
    fixture_write(folder, "page.tfrecord", (const uint8_t *)"<html>not found</html>", 22);
    assert_fails(open_in(folder, "page.tfrecord", NULL, &source), TRI_BAD_DATA, "record 0 at byte 0: the checksum of its length");
    maker self;
    begin(&self, folder, "other.tfrecord");
    tri__tf_example_begin(&self.example);
    tri__tf_example_add_integers(&self.example, "age", (int64_t[]){33}, 1);
    put(&self);
    end(&self);
    assert_fails(open_in(folder, "other.tfrecord", NULL, &source), TRI_BAD_DATA, "neither a picture");
    make_clicks(folder, "clicks.tfrecord");
    make_images(folder, "images.tfrecord", false);
    assert_fails(open_in(folder, "{clicks,images}.tfrecord", NULL, &source), TRI_BAD_DATA, "images.tfrecord: holds pictures, other files");
    test_folder_remove(folder);
}

/* Both parts have as many classes and features. */
static void both_parts_of_record_files_have_the_same_classes_and_features(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    maker self;
    make_clicks(folder, "train.tfrecord");
    begin(&self, folder, "test.tfrecord");
    put_click(&self, (int64_t[]){2000000, 1, 2, 3}, 4, 2);
    end(&self);
    for (int part = 0; part < 2; part++) {
        tri_source *source;
        assert_ok(tri_source_open(folder, (tri_part)part, NULL, &source));
        assert_int_equal(source->info.examples, part == TRI_PART_TEST ? 1 : 3);
        assert_int_equal(source->info.classes, 3);
        assert_int_equal(source->info.width, 4);
        assert_int_equal(source->info.shape.dim[0], 2000001);
        tri_source_destroy(source);
    }
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clicks_are_read_from_tfrecords),
        cmocka_unit_test(a_click_record_with_an_index_out_of_bounds_is_damaged),
        cmocka_unit_test(a_record_without_a_needed_feature_is_damaged),
        cmocka_unit_test(images_are_read_from_tfrecords),
        cmocka_unit_test(a_damaged_first_image_hides_no_names_and_no_sizes),
        cmocka_unit_test(clicks_keep_their_labels),
        cmocka_unit_test(images_of_several_sizes_are_described),
        cmocka_unit_test(an_image_record_of_the_wrong_size_or_class_is_damaged),
        cmocka_unit_test(records_before_a_damaged_length_are_read),
        cmocka_unit_test(a_damaged_record_adds_no_class_and_no_feature),
        cmocka_unit_test(empty_foreign_and_mixed_record_files_are_refused),
        cmocka_unit_test(both_parts_of_record_files_have_the_same_classes_and_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
