/* digits_test.c: drawn digits are the same for the same seed, differ otherwise, and look like digits. */
#include "data/fixture.h"

static tri_source *open_digits(const char *spec, tri_part part, uint64_t seed)
{
    tri_source *source;
    assert_ok(tri_source_open(spec, part, &(tri_source_options){.seed = seed}, &source));
    return source;
}

static void read_some(tri_source *source, uint8_t x[20][784], int32_t labels[20])
{
    int64_t records[20];
    for (int i = 0; i < 20; i++)
        records[i] = i;
    assert_ok(tri_source_read(source, records, 20, x, labels));
}

static void the_same_seed_draws_the_same_digits(void **state)
{
    (void)state;
    /* Drawn all at once, and drawn as they are read. */
    tri_source *few = open_digits("digits:100", TRI_PART_TRAIN, 3), *many = open_digits("digits:1000000", TRI_PART_TRAIN, 3);
    uint8_t a[20][784], b[20][784];
    int32_t a_labels[20], b_labels[20];
    read_some(few, a, a_labels);
    read_some(many, b, b_labels);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a_labels, b_labels, sizeof a_labels);
    tri_source_destroy(few);
    tri_source_destroy(many);
}

static void other_seeds_and_parts_draw_other_digits(void **state)
{
    (void)state;
    tri_source *sources[] = {open_digits("digits:200", TRI_PART_TRAIN, 3), open_digits("digits:200", TRI_PART_TRAIN, 4),
                             open_digits("digits:200", TRI_PART_TEST, 3)};
    uint8_t x[3][20][784];
    int32_t labels[20];
    for (int i = 0; i < 3; i++)
        read_some(sources[i], x[i], labels);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            assert_memory_not_equal(x[0][i], x[1][j], 784);
            assert_memory_not_equal(x[0][i], x[2][j], 784);
        }
    for (int i = 0; i < 3; i++)
        tri_source_destroy(sources[i]);
}

/* Some ink, not too much, and every class about as often. */
static void digits_have_some_ink_and_even_classes(void **state)
{
    (void)state;
    tri_source *source = open_digits("digits:2000", TRI_PART_TRAIN, 1);
    int counts[10] = {0};
    for (int64_t record = 0; record < 2000; record++) {
        uint8_t x[784];
        int32_t label;
        assert_ok(tri_source_read(source, &record, 1, x, &label));
        assert_in_range(label, 0, 9);
        counts[label]++;
        int ink = 0;
        for (int i = 0; i < 784; i++)
            ink += x[i] > 96;
        assert_in_range(ink, 15, 400);
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(counts[i], 140, 260);
    tri_source_destroy(source);
}

static void the_source_name_gives_the_number_of_digits(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        tri_part part;
        int64_t examples;
    } cases[] = {
        {"digits:12", TRI_PART_TEST, 2}, {"digits:1", TRI_PART_TRAIN, 1}, {"digits:1", TRI_PART_TEST, 1}, {"digits", TRI_PART_TEST, 10000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri_source *source = open_digits(cases[i].spec, cases[i].part, 1);
        const tri_source_info *info = tri_source_describe(source);
        assert_int_equal(info->examples, cases[i].examples);
        assert_true(tri_shape_equal(info->shape, TRI_SHAPE(28, 28, 1)));
        assert_string_equal(info->class_names[7], "7");
        tri_source_destroy(source);
    }
    tri_source *source;
    static const char *const wrong[] = {"digits:", "digits:0", "digits:x", "digits:5x", "digits:-5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri_source_open(wrong[i], TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "should be digits or digits:N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_draws_the_same_digits),
        cmocka_unit_test(other_seeds_and_parts_draw_other_digits),
        cmocka_unit_test(digits_have_some_ink_and_even_classes),
        cmocka_unit_test(the_source_name_gives_the_number_of_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
