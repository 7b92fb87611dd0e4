/* held_out_test.c: a part of a source that is held out, and the rest. */
#include "data/source/held_out.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { EXAMPLES = 1000 };

static tri_source *open_numbers(int64_t examples)
{
    static uint8_t x[EXAMPLES * 2];
    static int32_t labels[EXAMPLES];
    for (int i = 0; i < EXAMPLES; i++)
        x[2 * i] = (uint8_t)(i >> 8), x[2 * i + 1] = (uint8_t)i;
    const tri_arrays arrays = {
        .type = TRI_U8, .shape = {.rank = 1, .dim = {2}}, .examples = examples, .x = x, .labels = labels, .classes = 2};
    tri_source *source;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    return source;
}

/* The number that stands in each example, and whether they rise. */
static void count_seen(tri_source *source, int seen[EXAMPLES])
{
    int before = -1;
    for (int64_t record = 0; record < tri_source_describe(source)->examples; record++) {
        uint8_t x[2];
        int32_t label;
        assert_ok(tri_source_read(source, &record, 1, x, &label));
        int number = x[0] << 8 | x[1];
        assert_true(number > before);
        before = number;
        seen[number]++;
    }
}

static void every_example_is_in_one_of_the_two_parts(void **state)
{
    (void)state;
    static const double shares[] = {0.1, 0.5, 0.001, 0.999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        tri_source *source = open_numbers(EXAMPLES), *part;
        int seen[EXAMPLES] = {0};
        assert_ok(tri__source_hold_out(&source, shares[i], 1, &part));
        assert_int_equal(tri_source_describe(part)->examples, (int64_t)(shares[i] * EXAMPLES + 0.5));
        count_seen(part, seen);
        count_seen(source, seen);
        for (int number = 0; number < EXAMPLES; number++)
            assert_int_equal(seen[number], 1);
        tri_source_destroy(source); /* the other one goes on */
        memset(seen, 0, sizeof seen);
        count_seen(part, seen);
        tri_source_destroy(part);
    }
}

static void the_seed_decides_which_examples_are_held_out(void **state)
{
    (void)state;
    int seen[3][EXAMPLES] = {{0}};
    const uint64_t seeds[] = {7, 7, 8};
    for (int i = 0; i < 3; i++) {
        tri_source *source = open_numbers(EXAMPLES), *part;
        assert_ok(tri__source_hold_out(&source, 0.1, seeds[i], &part));
        count_seen(part, seen[i]);
        tri_source_destroy(part);
        tri_source_destroy(source);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_memory_not_equal(seen[0], seen[2], sizeof seen[0]);
}

static void a_source_of_one_example_cannot_be_split(void **state)
{
    (void)state;
    tri_source *source = open_numbers(1), *part;
    assert_fails(tri__source_hold_out(&source, 0.1, 1, &part), TRI_BAD_CALL, "has 1 example: too few");
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_is_in_one_of_the_two_parts),
                                       cmocka_unit_test(the_seed_decides_which_examples_are_held_out),
                                       cmocka_unit_test(a_source_of_one_example_cannot_be_split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
