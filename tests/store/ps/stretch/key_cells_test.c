/* key_cells_test.c: keys of a whole model to the maps of servers. */
#include <stdlib.h>
#include <string.h>

#include "store/ps/stretch/key_cells.h"
#include "support.h"

static tri__key_map *new_map(int64_t most)
{
    tri__key_map *map;
    assert_ok(tri__key_map_create(100, most, 1, INT64_MAX / 2, 3, &map));
    return map;
}

static void a_server_gets_its_own_keys(void **state)
{
    (void)state;
    tri__key_map *whole = new_map(50), *server = new_map(10);
    tri__key_cells cells = {0};
    static const int32_t keys[] = {8, 5, 2, 41, 11};
    for (int i = 0; i < 5; i++)
        assert_true(tri__key_map_give(whole, keys[i]));
    assert_true(tri__key_map_recall(whole, 17, 2) && tri__key_map_recall(whole, 18, 1));
    assert_ok(tri__key_cells_take(&cells, whole, 2, 3, (tri__left_out){.rare = 7, .full = 9}));
    assert_int_equal(cells.count, TRI_CELLS_HEAD + 6);
    assert_true(tri__key_map_give(server, 50)); /* which it is to forget */
    assert_ok(tri__key_cells_restore(server, 2, 3, 0, cells.cell, cells.count));
    assert_int_equal(server->used, 5);
    assert_int_equal(server->left_rare, 7);
    assert_int_equal(server->left_full, 9);
    for (int i = 0; i < 5; i++)
        assert_int_equal(tri__key_map_find(server, keys[i]), i);
    int32_t key, count;
    assert_int_equal(server->waiting, 1);
    tri__key_map_waiting(server, &key, &count);
    assert_true(key == 17 && count == 2);
    tri__key_cells_fini(&cells);
    tri__key_map_destroy(whole);
    tri__key_map_destroy(server);
}

static void keys_that_are_not_the_server_s_are_refused(void **state)
{
    (void)state;
    tri__key_map *map = new_map(2);
    static const tri__key_cell bad[][3] = {
        {{5, 0}, {4, 1}},         /* another server's */
        {{5, 1}},                 /* not its next row */
        {{5, 0}, {5, 1}},         /* twice */
        {{102, 0}},               /* beyond all */
        {{-1, 0}},                /* none */
        {{2, 0}, {5, 1}, {8, 2}}, /* too many */
        {{5, INT32_MIN}},         /* a count that cannot be negated */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t count = i == 5 ? 3 : i == 0 || i == 2 ? 2 : 1;
        tri__key_map_empty(map);
        assert_fails(tri__key_cells_restore(map, 2, 3, TRI_CELLS_PIECE, bad[i], count), TRI_BAD_DATA, "none of ps:2");
    }
    static const tri__message wrong[] = {{.size = 8}, {.size = 20}, {.position = 1, .size = 16}, {.position = -1, .size = 16}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri__key_cells_check(&wrong[i]), TRI_BAD_DATA, "no such list");
    assert_ok(tri__key_cells_check(&(tri__message){.size = 16}));
    assert_ok(tri__key_cells_check(&(tri__message){.position = TRI_CELLS_PIECE, .size = 8}));
    tri__key_map_destroy(map);
}

static void counts_of_what_was_left_out_are_checked(void **state)
{
    (void)state;
    tri__key_map *map = new_map(2);
    static const tri__left_out bad[] = {{.rare = -1}, {.full = -1}, {.rare = INT64_MAX}, {.full = INT64_MAX}};
    tri__key_cell cells[TRI_CELLS_HEAD];
    assert_true(tri__key_map_give(map, 5));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(cells, &bad[i], sizeof cells);
        assert_fails(tri__key_cells_restore(map, 2, 3, 0, cells, TRI_CELLS_HEAD), TRI_BAD_DATA, "no counts");
        assert_int_equal(map->used, 1); /* it is as it was */
    }
    tri__key_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_gets_its_own_keys),
        cmocka_unit_test(keys_that_are_not_the_server_s_are_refused),
        cmocka_unit_test(counts_of_what_was_left_out_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
