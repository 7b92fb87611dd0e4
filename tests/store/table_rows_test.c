/* table_rows_test.c: where tables grow, sums bring sightings, keys get their rows by them, once a step for all tables, and others teach
 * nothing. */
#include "store/table_rows.h"

#include "graph/store/key_map.h"
#include "graph/store/row_keeper.h"
#include "support.h"

enum { FEATURES = 100, WIDTH = 2, PITCH = WIDTH + 1 };

static tri_store *make(int64_t min_count)
{
    tri_store *store;
    assert_ok(tri_store_local_create(0, &(tri_rule){.name = "sgd"}, &store));
    assert_ok(tri__key_map_create(FEATURES, 3, WIDTH * (int64_t)sizeof(float), 1 << 20, min_count, &store->map));
    for (int i = 0; i < 2; i++)
        assert_ok(tri_store_add_table(store, store->map->capacity + 1, WIDTH));
    store->map->initial[0] = (tri__initial_row){.init = TRI_INIT_CONSTANT, .value = 0.5F};
    return store;
}

static void keys_get_rows_by_the_sum_of_their_sightings(void **state)
{
    (void)state;
    tri_store *store = make(3);
    tri__table_rows rows[2] = {{0}};
    const tri__table_keys keys = {(const int32_t[]){70, 7, 9}, 3};
    const float sum[3][PITCH] = {{1, 2, 2}, {3, 4, 3}, {5, 6, 1}};
    float read[3][WIDTH];
    for (int64_t step = 0; step < 2; step++)
        for (int table = 1; table >= 0; table--)
            assert_ok(tri__table_rows_apply(&rows[table], store, table, keys, sum[0], 1, &(tri_step){.step = step, .rate = 0.1F}));
    assert_int_equal(store->map->used, 2); /* 7 in the first step, 70 in the second; 9 was seen twice */
    assert_int_equal(store->map->left_rare, 2 + 1 + 1);
    for (int table = 0; table < 2; table++) {
        const float begin = table == 0 ? 0.5F : 0;
        assert_ok(tri__table_rows_gather(&rows[table], store, table, keys, read[0]));
        for (int k = 0; k < WIDTH; k++) {
            assert_float_equal(read[0][k], begin - 0.1F * sum[0][k], 1e-6);
            assert_float_equal(read[1][k], begin - 0.2F * sum[1][k], 1e-6);
            assert_true(read[2][k] == 0);
        }
        tri__table_rows_fini(&rows[table]);
    }
    tri_store_destroy(store);
}

static void a_first_sighting_reads_what_the_row_will_begin_with(void **state)
{
    (void)state;
    tri_store *store = make(1);
    tri__table_rows rows = {0};
    const tri__table_keys keys = {(const int32_t[]){1, 2, 3}, 3};
    float read[3][WIDTH];
    assert_ok(tri__table_rows_gather(&rows, store, 0, keys, read[0]));
    assert_true(read[0][0] == 0.5F && read[2][1] == 0.5F && store->map->used == 0);
    const float sum[3][PITCH] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    assert_ok(tri__table_rows_apply(&rows, store, 0, keys, sum[0], 1, &(tri_step){.step = 0, .rate = 1}));
    assert_int_equal(store->map->used, store->map->capacity);
    assert_ok(tri__table_rows_gather(&rows, store, 0, (tri__table_keys){(const int32_t[]){99, 3}, 2}, read[0]));
    assert_true(read[0][0] == 0 && read[1][0] == 0.5F); /* there is no room for another one */
    tri__table_rows_fini(&rows);
    tri_store_destroy(store);
}

static void sightings_are_no_part_of_the_norm(void **state)
{
    (void)state;
    tri_store *store = make(1);
    const float sum[2][PITCH] = {{1, 2, 100}, {3, 4, 100}};
    assert_float_equal(tri__table_rows_squares(store, 0, sum[0], 2), 30, 1e-6);
    tri__table_rows rows = {0};
    const float *offered;
    store->sightings = (const int32_t[]){4, 5};
    assert_ok(tri__table_rows_offer(&rows, store, 0, (tri__table_keys){(const int32_t[]){1, 2}, 2}, (const float[]){1, 2, 3, 4}, &offered));
    const float expected[2 * PITCH] = {1, 2, 4, 3, 4, 5};
    for (int i = 0; i < 2 * PITCH; i++)
        assert_true(offered[i] == expected[i]);
    tri__table_rows_fini(&rows);
    tri_store_destroy(store);
}

/* What a checkpoint writes of the keys is what they were when it began. */
static void a_frozen_map_stays_as_it_was(void **state)
{
    (void)state;
    tri_store *store = make(2);
    tri__key_map *map = store->map, *frozen;
    bool fresh;
    tri__key_map_see(map, 5, 2, &fresh);
    tri__key_map_see(map, 6, 1, &fresh);
    assert_ok(tri__key_map_freeze(map, &frozen));
    tri__key_map_see(map, 6, 1, &fresh);
    tri__key_map_see(map, 7, 1, &fresh);
    int32_t key, count;
    assert_int_equal(frozen->used, 1);
    assert_int_equal(frozen->key[0], 5);
    assert_int_equal(frozen->waiting, 1);
    assert_int_equal(frozen->left_rare, 1);
    tri__key_map_waiting(frozen, &key, &count);
    assert_true(key == 6 && count == 1);
    tri__key_map_thaw(frozen);
    tri_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_get_rows_by_the_sum_of_their_sightings),
        cmocka_unit_test(a_first_sighting_reads_what_the_row_will_begin_with),
        cmocka_unit_test(sightings_are_no_part_of_the_norm),
        cmocka_unit_test(a_frozen_map_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
