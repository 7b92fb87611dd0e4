/* fake_test.c: random examples in any shape, the same for the same seed and record. */
#include "data/fixture.h"

static void a_fake_example_depends_on_seed_part_and_number_alone(void **state)
{
    (void)state;
    tri_source *source, *twin, *test;
    tri_source_options options = {.seed = 8};
    assert_ok(tri_source_open("fake:5x4x3:7:100", TRI_PART_TRAIN, &options, &source));
    assert_ok(tri_source_open("fake:5x4x3:7:900", TRI_PART_TRAIN, &options, &twin));
    assert_ok(tri_source_open("fake:5x4x3:7:100", TRI_PART_TEST, &options, &test));
    const tri_source_info *info = tri_source_describe(source);
    assert_true(tri_shape_equal(info->shape, TRI_SHAPE(5, 4, 3)));
    assert_int_equal(info->classes, 7);
    assert_int_equal(info->examples, 100);
    assert_int_equal(info->bytes, 0);
    uint8_t a[2][60], b[2][60], c[2][60];
    int32_t labels[2], twin_labels[2];
    assert_ok(tri_source_read(source, (int64_t[]){3, 14}, 2, a, labels));
    assert_ok(tri_source_read(twin, (int64_t[]){14, 3}, 2, b, twin_labels));
    assert_ok(tri_source_read(test, (int64_t[]){3, 14}, 2, c, twin_labels + 0));
    assert_memory_equal(a[0], b[1], 60);
    assert_memory_equal(a[1], b[0], 60);
    assert_memory_not_equal(a[0], a[1], 60);
    assert_memory_not_equal(a[0], c[0], 60);
    assert_in_range(labels[0], 0, 6);
    tri_source_destroy(source);
    tri_source_destroy(twin);
    tri_source_destroy(test);
}

static void the_number_of_fake_examples_has_a_default(void **state)
{
    (void)state;
    tri_source *source;
    assert_ok(tri_source_open("fake:224x224x3:1000", TRI_PART_TRAIN, NULL, &source));
    assert_int_equal(tri_source_describe(source)->examples, 1024);
    tri_source_destroy(source);
}

static void an_invalid_name_of_a_fake_source_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "fake",          "fake:",          "fake:28",          "fake:28x28",         "fake:28x28x1",
        "fake:28x28x1:", "fake:0x28x1:10", "fake:28x28x1:10:", "fake:28x28x1:10:5:", "fake:28x28x1:10x",
    };
    tri_source *source;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri_source_open(wrong[i], TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "should be fake:HxWxC:CLASSES[:N]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fake_example_depends_on_seed_part_and_number_alone),
        cmocka_unit_test(the_number_of_fake_examples_has_a_default),
        cmocka_unit_test(an_invalid_name_of_a_fake_source_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
