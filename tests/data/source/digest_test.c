/* digest_test.c: the digest of a source is the same for the same examples, wherever and however they are stored, and another for others. */
#include "data/source/digest.h"

#include <stdio.h>

#include "base/file/folder.h"
#include "data/fixture.h"

enum { COUNT = 100 };

static void digest_of(const char *spec, char digest[TRI_DATA_DIGEST_SIZE])
{
    tri_source *source;
    assert_ok(tri_source_open(spec, TRI_PART_TRAIN, NULL, &source));
    assert_ok(tri__source_digest(source, digest));
    tri_source_destroy(source);
}

static char *make_folder(const char *parent, const char *name)
{
    char *folder = test_path(parent, name);
    assert_ok(tri__folder_create(folder));
    return folder;
}

static void the_same_images_have_the_same_digest_wherever_they_stand(void **state)
{
    char *plain = make_folder(*state, "plain"), *packed = make_folder(*state, "packed");
    fixture_pair(plain, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", COUNT, 10, false);
    fixture_pair(packed, "my-images-idx3-ubyte.gz", "my-labels-idx1-ubyte.gz", COUNT, 10, true);
    char first[TRI_DATA_DIGEST_SIZE], second[TRI_DATA_DIGEST_SIZE];
    digest_of(plain, first);
    digest_of(packed, second);
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), TRI_DATA_DIGEST_SIZE - 1);
    free(plain);
    free(packed);
}

/* Same shape, same classes, same number: other pixels, other labels, or one example less. */
static void other_examples_of_the_same_shape_have_another_digest(void **state)
{
    char *folder = make_folder(*state, "images"), before[TRI_DATA_DIGEST_SIZE], after[TRI_DATA_DIGEST_SIZE];
    fixture_pair(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", COUNT, 10, false);
    digest_of(folder, before);
    size_t size;
    uint32_t count = COUNT;
    uint8_t *images = fixture_idx(3, (uint32_t[]){COUNT, 4, 3}, 251, 2, &size);
    fixture_write(folder, "train-images-idx3-ubyte", images, size);
    free(images);
    digest_of(folder, after);
    assert_string_not_equal(before, after);
    fixture_pair(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", COUNT, 10, false);
    uint8_t *labels = fixture_idx(1, &count, 10, 3, &size);
    fixture_write(folder, "train-labels-idx1-ubyte", labels, size);
    free(labels);
    digest_of(folder, after);
    assert_string_not_equal(before, after);
    fixture_pair(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", COUNT - 1, 10, false);
    digest_of(folder, after);
    assert_string_not_equal(before, after);
    free(folder);
}

static void write_lines(const char *folder, const char *name, int count, const char *last)
{
    char text[8192] = "";
    for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), "%d 1:%d 7:0.5\n", i % 2, i);
    strcat(text, last);
    fixture_write(folder, name, (const uint8_t *)text, strlen(text));
}

static void the_digest_covers_the_last_sparse_example(void **state)
{
    char *folder = make_folder(*state, "text"), before[TRI_DATA_DIGEST_SIZE], after[TRI_DATA_DIGEST_SIZE];
    write_lines(folder, "a.libsvm", 200, "1 2:1\n");
    digest_of(folder, before);
    digest_of(folder, after);
    assert_string_equal(before, after);
    write_lines(folder, "a.libsvm", 200, "1 2:2\n");
    digest_of(folder, after);
    assert_string_not_equal(before, after);
    free(folder);
}

static void digest_of_damaged_examples_is_unknown(void **state)
{
    char *folder = make_folder(*state, "damaged"), before[TRI_DATA_DIGEST_SIZE], after[TRI_DATA_DIGEST_SIZE];
    write_lines(folder, "a.libsvm", 200, "1 2:1\n");
    digest_of(folder, before);
    write_lines(folder, "a.libsvm", 200, "1 2:x\n");
    digest_of(folder, after);
    assert_string_equal(after, "");
    assert_false(tri__data_differs(before, after));
    assert_false(tri__data_differs(after, before));
    assert_false(tri__data_differs(before, before));
    assert_true(tri__data_differs(before, "00000000"));
    free(folder);
}

static void any_number_of_examples_has_a_digest_of_its_own(void **state)
{
    (void)state;
    char before[TRI_DATA_DIGEST_SIZE] = "";
    for (int count = 1; count < 40; count++) {
        char spec[32], digest[TRI_DATA_DIGEST_SIZE], again[TRI_DATA_DIGEST_SIZE];
        snprintf(spec, sizeof spec, "digits:%d", count);
        digest_of(spec, digest);
        digest_of(spec, again);
        assert_string_equal(digest, again);
        assert_string_not_equal(digest, before);
        memcpy(before, digest, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_images_have_the_same_digest_wherever_they_stand),
        cmocka_unit_test(other_examples_of_the_same_shape_have_another_digest),
        cmocka_unit_test(the_digest_covers_the_last_sparse_example),
        cmocka_unit_test(digest_of_damaged_examples_is_unknown),
        cmocka_unit_test(any_number_of_examples_has_a_digest_of_its_own),
    };
    return cmocka_run_group_tests(tests, test_folder_set_up, test_folder_tear_down);
}
