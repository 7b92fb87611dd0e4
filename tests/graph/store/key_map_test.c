/* key_map_test.c: keys get rows by their sightings, within memory, and the same sightings give the same rows, also after a restart. */
#include "graph/store/key_map.h"

#include <stdlib.h>

#include "base/bytes/random.h"
#include "support.h"

static tri__key_map *make(int64_t features, int64_t bytes, int64_t min_count)
{
    tri__key_map *map;
    assert_ok(tri__key_map_create(features, features, 16, bytes, min_count, &map));
    return map;
}

static void a_key_gets_its_row_when_it_is_seen_often_enough(void **state)
{
    (void)state;
    bool fresh;
    tri__key_map *map = make(1000, 1000000, 3);
    const int32_t nobody = (int32_t)map->capacity;
    assert_int_equal(map->capacity, 1000);
    assert_int_equal(tri__key_map_see(map, 7, 1, &fresh), nobody);
    assert_int_equal(tri__key_map_see(map, 7, 1, &fresh), nobody);
    assert_int_equal(tri__key_map_find(map, 7), nobody);
    assert_false(fresh);
    assert_int_equal(tri__key_map_see(map, 7, 1, &fresh), 0);
    assert_true(fresh);
    assert_int_equal(tri__key_map_see(map, 7, 1, &fresh), 0);
    assert_false(fresh);
    assert_int_equal(tri__key_map_find(map, 7), 0);
    assert_int_equal(map->left_rare, 2);
    assert_int_equal(map->waiting, 0);
    tri__key_map_destroy(map);
}

/* Beside a plain array of all keys. */
static void rows_are_bounded_by_memory_and_the_rest_is_counted(void **state)
{
    (void)state;
    enum { KEYS = 5000, SIGHTINGS = 60000 };
    tri__key_map *map = make(KEYS, 40000, 1);
    assert_true(map->capacity > 500 && map->capacity < 2500);
    assert_true(map->capacity * 20 + map->cells * (int64_t)sizeof(tri__key_cell) <= 40000);
    int32_t row[KEYS];
    int64_t used = 0, left = 0;
    for (int i = 0; i < KEYS; i++)
        row[i] = -1;
    for (int i = 0; i < SIGHTINGS; i++) {
        const int32_t key = (int32_t)tri__random_below(tri__key_of(3), (uint64_t)i, KEYS);
        bool fresh;
        const int32_t got = tri__key_map_see(map, key, 1, &fresh);
        assert_int_equal(fresh, row[key] < 0 && used < map->capacity);
        if (fresh)
            row[key] = (int32_t)used++;
        left += row[key] < 0;
        assert_int_equal(got, row[key] < 0 ? map->capacity : row[key]);
        assert_true(row[key] < 0 || map->key[row[key]] == key);
    }
    assert_int_equal(map->used, map->capacity);
    assert_int_equal(map->left_full, left);
    assert_int_equal(map->left_rare, 0);
    tri__key_map_destroy(map);
    tri__key_map *none = NULL;
    assert_fails(tri__key_map_create(10, 10, 1000000, 1000, 1, &none), TRI_NO_MEMORY, "no room for a row");
}

/* A large batch may name a key often enough at once: it needs a cell too, though keys that wait have all that may be used. */
static void a_key_gets_its_row_at_once_while_others_fill_the_cells(void **state)
{
    (void)state;
    tri__key_map *map = make(1000000, 64 * (int64_t)sizeof(tri__key_cell) + 16 + 32 * 20, 2);
    bool fresh;
    assert_int_equal(map->cells, 64);
    assert_int_equal(map->capacity, 32);
    for (int32_t key = 0; key < 48; key++)
        tri__key_map_see(map, key, 1, &fresh);
    assert_int_equal(map->waiting, 48);
    for (int32_t i = 0; i < 32; i++) {
        assert_int_equal(tri__key_map_see(map, 1000 + i, 2, &fresh), i);
        assert_true(fresh && map->used + map->waiting <= 48);
    }
    tri__key_map_destroy(map);
}

/* Far more keys than cells, each seen a few times: those that wait are forgotten now and then, those with a row are not. */
static void keys_that_wait_never_fill_the_memory(void **state)
{
    (void)state;
    tri__key_map *map = make(INT32_MAX, 60000, 2);
    bool fresh;
    for (int32_t i = 0; i < 200000; i++) {
        tri__key_map_see(map, i * 1000 % INT32_MAX, 1, &fresh);
        if (i % 1000 == 0)
            tri__key_map_see(map, i * 1000 % INT32_MAX, 1, &fresh); /* twice in a row: it gets one */
        assert_true(map->used + map->waiting <= map->cells / 4 * 3);
    }
    assert_int_equal(map->used, 200);
    for (int64_t row = 0; row < map->used; row++)
        assert_int_equal(tri__key_map_find(map, map->key[row]), row);
    tri__key_map_destroy(map);
}

static void a_restored_map_goes_on_as_the_first(void **state)
{
    (void)state;
    tri__key_map *first = make(4000, 100000, 3), *second = make(4000, 100000, 3);
    bool fresh, again;
    for (int i = 0; i < 3000; i++)
        tri__key_map_see(first, (int32_t)tri__random_below(tri__key_of(5), (uint64_t)i, 1500), 1, &fresh);
    assert_true(first->used > 50 && first->waiting > 50);
    int32_t *waiting = calloc((size_t)first->waiting * 2, sizeof *waiting);
    assert_non_null(waiting);
    tri__key_map_waiting(first, waiting, waiting + first->waiting);
    for (int64_t i = 0; i < first->used; i++)
        assert_true(tri__key_map_give(second, first->key[i]));
    for (int64_t i = 0; i < first->waiting; i++)
        assert_true(tri__key_map_recall(second, waiting[i], waiting[first->waiting + i]));
    assert_false(tri__key_map_give(second, first->key[0]));
    assert_false(tri__key_map_recall(second, waiting[0], 1));
    free(waiting);
    for (int i = 3000; i < 9000; i++) {
        const int32_t key = (int32_t)tri__random_below(tri__key_of(5), (uint64_t)i, 1500);
        assert_int_equal(tri__key_map_see(first, key, 1, &fresh), tri__key_map_see(second, key, 1, &again));
        assert_int_equal(fresh, again);
    }
    tri__key_map_destroy(first);
    tri__key_map_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_gets_its_row_when_it_is_seen_often_enough),
        cmocka_unit_test(rows_are_bounded_by_memory_and_the_rest_is_counted),
        cmocka_unit_test(a_key_gets_its_row_at_once_while_others_fill_the_cells),
        cmocka_unit_test(keys_that_wait_never_fill_the_memory),
        cmocka_unit_test(a_restored_map_goes_on_as_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
