/* epoch_order_test.c: every order is a permutation, windows bound how far a record comes forward, and nothing but seed and
 * epoch matters. */
#include "data/order/epoch_order.h"

#include "data/fixture.h"

static void positions_and_records_of_a_sample_belong_together(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {1, 1000}, {7, 7}, {7, 8}, {8, 400}, {333, 1000}, {999, 1000}, {5, INT64_C(1) << 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tri__epoch_order order;
        assert_ok(tri__epoch_order_init(&order, 9, sizes[i][0], 0));
        tri__epoch_order_sample(&order, sizes[i][1]);
        for (int64_t position = 0; position < sizes[i][0]; position++) {
            const int64_t record = tri__epoch_order_record(&order, position);
            assert_in_range(record, 0, sizes[i][1] - 1);
            assert_int_equal(tri__epoch_order_position(&order, record), position);
        }
        tri__epoch_order_fini(&order);
    }
}

static void assert_permutation(const int64_t *sequence, int64_t count)
{
    bool *seen = calloc((size_t)count, sizeof *seen);
    for (int64_t i = 0; i < count; i++) {
        assert_in_range(sequence[i], 0, count - 1);
        assert_false(seen[sequence[i]]);
        seen[sequence[i]] = true;
    }
    free(seen);
}

static void the_order_of_an_epoch_is_a_permutation(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 3, 1000}, windows[] = {0, 1, 2, 100, 999, 1000, INT64_MAX};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 7; j++) {
            tri__epoch_order order;
            assert_ok(tri__epoch_order_init(&order, 9, counts[i], windows[j]));
            for (int64_t epoch = 0; epoch < 3; epoch++)
                assert_permutation(tri__epoch_order_of(&order, epoch), counts[i]);
            tri__epoch_order_fini(&order);
        }
}

static void the_shuffle_window_bounds_how_far_a_record_moves(void **state)
{
    (void)state;
    tri__epoch_order order;
    assert_ok(tri__epoch_order_init(&order, 9, 1000, 10));
    const int64_t *sequence = tri__epoch_order_of(&order, 4);
    int64_t moved = 0;
    for (int64_t i = 0; i < 1000; i++) {
        assert_true(sequence[i] < i + 10);
        moved += sequence[i] != i;
    }
    assert_true(moved > 500);
    tri__epoch_order_fini(&order);
}

/* One record of each tenth of a tenth of the source, other ones by another seed, the same in every epoch. */
static void sample_has_a_record_of_every_stretch_of_the_source(void **state)
{
    (void)state;
    enum { COUNT = 100, SOURCE = 1007 };
    static const int64_t windows[] = {0, 10, INT64_MAX};
    int64_t firsts[3][COUNT], blocks[COUNT];
    for (size_t i = 0; i < 3; i++) {
        tri__epoch_order order;
        assert_ok(tri__epoch_order_init(&order, i == 2 ? 10 : 9, COUNT, windows[i]));
        tri__epoch_order_sample(&order, SOURCE);
        for (int64_t epoch = 0; epoch < 2; epoch++) {
            bool seen[COUNT] = {0};
            const int64_t *sequence = tri__epoch_order_of(&order, epoch);
            for (int j = 0; j < COUNT; j++) {
                int64_t stretch = ((sequence[j] + 1) * COUNT - 1) / SOURCE;
                assert_false(seen[stretch]);
                seen[stretch] = true;
                if (epoch == 0)
                    firsts[i][stretch] = sequence[j];
                else
                    assert_int_equal(firsts[i][stretch], sequence[j]);
            }
        }
        tri__epoch_order_fini(&order);
    }
    assert_memory_equal(firsts[0], firsts[1], sizeof firsts[0]);
    assert_memory_not_equal(firsts[0], firsts[2], sizeof firsts[0]);
    tri__epoch_order order;
    assert_ok(tri__epoch_order_init_blocks(&order, 9, COUNT, 1, 7));
    tri__epoch_order_sample(&order, SOURCE);
    tri__epoch_order_take(&order, 0, 0, COUNT, blocks);
    assert_memory_equal(blocks, firsts[0], sizeof blocks);
    tri__epoch_order_fini(&order);
}

static void epochs_can_be_asked_for_in_any_order(void **state)
{
    (void)state;
    tri__epoch_order a, b;
    assert_ok(tri__epoch_order_init(&a, 9, 100, INT64_MAX));
    assert_ok(tri__epoch_order_init(&b, 9, 100, INT64_MAX));
    tri__epoch_order_of(&a, 0);
    tri__epoch_order_of(&a, 1);
    assert_memory_equal(tri__epoch_order_of(&a, 2), tri__epoch_order_of(&b, 2), 100 * sizeof(int64_t));
    assert_memory_not_equal(tri__epoch_order_of(&a, 3), tri__epoch_order_of(&b, 2), 100 * sizeof(int64_t));
    tri__epoch_order_fini(&a);
    tri__epoch_order_fini(&b);
}

static void records_of_a_block_stay_together(void **state)
{
    (void)state;
    enum { RECORDS = 1003, BLOCK = 10, WINDOW = 7 };
    int64_t ids[RECORDS], again[RECORDS];
    tri__epoch_order order;
    assert_ok(tri__epoch_order_init_blocks(&order, 9, RECORDS, WINDOW, BLOCK));
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        tri__epoch_order_take(&order, epoch, 0, RECORDS, ids);
        assert_permutation(ids, RECORDS);
        int64_t near = 0;
        for (int64_t i = 1; i < RECORDS; i++)
            near += llabs(ids[i] / BLOCK - ids[i - 1] / BLOCK) <= 1;
        assert_true(near > RECORDS / 4); /* by chance it would be 3 in 100 */
    }
    tri__epoch_order_take(&order, 0, 0, RECORDS, again);
    assert_memory_not_equal(ids, again, sizeof ids);
    tri__epoch_order_fini(&order);
}

/* Whatever was asked for before, a position of an epoch holds the same record. */
static void blocks_can_be_asked_for_at_any_position(void **state)
{
    (void)state;
    enum { RECORDS = 500 };
    static const int64_t windows[] = {0, 1, 33, 499, 500, 10000}, blocks[] = {1, 7, 100, 500, 501};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 5; j++) {
            int64_t whole[RECORDS], part[100];
            tri__epoch_order order;
            assert_ok(tri__epoch_order_init_blocks(&order, 3, RECORDS, windows[i], blocks[j]));
            tri__epoch_order_take(&order, 1, 0, RECORDS, whole);
            assert_permutation(whole, RECORDS);
            static const int64_t firsts[] = {400, 50, 150, 0, 399};
            for (size_t k = 0; k < 5; k++) {
                tri__epoch_order_take(&order, 1, firsts[k], 100, part);
                assert_memory_equal(part, whole + firsts[k], sizeof part);
            }
            tri__epoch_order_fini(&order);
        }
}

/* One block that holds all is what a window without blocks is. */
static void one_block_gives_what_a_window_gives(void **state)
{
    (void)state;
    int64_t ids[300];
    tri__epoch_order blocks, plain;
    assert_ok(tri__epoch_order_init_blocks(&blocks, 3, 300, 20, 300));
    assert_ok(tri__epoch_order_init(&plain, 3, 300, 20));
    tri__epoch_order_take(&blocks, 5, 0, 300, ids);
    assert_memory_equal(ids, tri__epoch_order_of(&plain, 5), sizeof ids);
    tri__epoch_order_fini(&blocks);
    tri__epoch_order_fini(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_an_epoch_is_a_permutation),
        cmocka_unit_test(the_shuffle_window_bounds_how_far_a_record_moves),
        cmocka_unit_test(epochs_can_be_asked_for_in_any_order),
        cmocka_unit_test(records_of_a_block_stay_together),
        cmocka_unit_test(blocks_can_be_asked_for_at_any_position),
        cmocka_unit_test(one_block_gives_what_a_window_gives),
        cmocka_unit_test(sample_has_a_record_of_every_stretch_of_the_source),
        cmocka_unit_test(positions_and_records_of_a_sample_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
