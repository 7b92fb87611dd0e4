/* dense_test.c: a sparse source under a dense one. */
#include "data/source/dense.h"

#include "data/fixture.h"

static tri_source *open_text(const char *folder, const char *text)
{
    fixture_write(folder, "some.libsvm", (const uint8_t *)text, strlen(text));
    char *path = test_path(folder, "some.libsvm");
    tri_source *source;
    assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
    free(path);
    return source;
}

static void sparse_examples_are_spread_over_zeros(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    tri_source *source = open_text(folder, "2 4:1.5 1:-2\n1\n3 2:1 2:0.25 3:4\n1 1:x\n");
    assert_ok(tri__source_make_dense(&source));
    const tri_source_info *info = tri_source_describe(source);
    assert_int_equal(info->width, 0);
    assert_int_equal(info->type, TRI_F32);
    assert_int_equal(info->classes, 3);
    assert_int_equal(info->examples, 4);
    assert_true(tri_shape_equal(info->shape, TRI_SHAPE(4)));
    float x[3][4];
    int32_t labels[3];
    assert_ok(tri_source_read(source, (int64_t[]){2, 0, 1}, 3, x, labels));
    static const float expected[3][4] = {{0, 1.25F, 4, 0}, {-2, 0, 0, 1.5F}, {0, 0, 0, 0}};
    assert_memory_equal(x, expected, sizeof x);
    assert_int_equal(labels[0], 2);
    assert_int_equal(labels[1], 1);
    assert_int_equal(labels[2], 0);
    assert_fails(tri_source_read(source, (int64_t[]){3}, 1, x, labels), TRI_BAD_DATA, "line 4, column 5 (record 3 at byte");
    tri_source *same = source;
    assert_ok(tri__source_make_dense(&same)); /* what is dense stays as it is */
    assert_ptr_equal(same, source);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void a_dense_view_of_too_many_features_is_refused(void **state)
{
    (void)state;
    tri_source *source;
    assert_ok(tri_source_open("clicks:100001:10", TRI_PART_TRAIN, NULL, &source));
    tri_source *same = source;
    assert_fails(tri__source_make_dense(&same), TRI_BAD_CALL, "clicks:100001:10: examples are sparse, of 100001 features");
    assert_ptr_equal(same, source);
    tri_source_destroy(source);
    assert_ok(tri_source_open("clicks:100000:10", TRI_PART_TRAIN, NULL, &source));
    assert_ok(tri__source_make_dense(&source));
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_examples_are_spread_over_zeros),
                                       cmocka_unit_test(a_dense_view_of_too_many_features_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
