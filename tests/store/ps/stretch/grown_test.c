/* grown_test.c: two tables of a server that grow with what is pushed: every sighting counts once, whichever table comes first. */
#include <stdlib.h>

#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/replay.h"
#include "store/ps/stretch/stretch.h"
#include "support.h"

/* Server 1 of 2 has the odd keys of 20, and room for three. */
static tri__stretch *new_stretch(tri__ps_mode mode)
{
    const tri__table_shapes tables = {.count = 2, .table = {{20, 1}, {20, 2}}, .growth = {.most = 3, .min_count = 2}};
    const tri__ps_settings settings = {.mode = mode, .workers = 2, .servers = 2};
    const tri_rule rule = {.name = "sgd"};
    tri__layout layout;
    tri__stretch *stretch;
    assert_ok(tri__layout_init(&layout, 32, &tables, 2));
    assert_ok(tri__stretch_create(&layout, 1, &rule, &settings, &stretch));
    return stretch;
}

static uint32_t chunk_of(const tri__stretch *stretch, int table)
{
    return tri__stretch_first(stretch) + tri__stretch_chunks(stretch) - 2 + (uint32_t)table;
}

/* One key, with a gradient of 1. */
static tri__push_outcome push(tri__stretch *stretch, int table, int task, int64_t serial, int32_t key, float seen)
{
    tri__row_part *part;
    tri__push_outcome outcome;
    assert_ok(tri__row_part_create(1, table + 2, &part));
    part->rows[0] = key;
    for (int i = 0; i <= table; i++)
        part->values[i] = 1;
    part->values[table + 1] = seen;
    const tri__push made = {
        .chunk = chunk_of(stretch, table), .task = task, .step = serial, .serial = serial, .weight = 1, .rate = 1, .rows = part};
    assert_ok(tri__stretch_push(stretch, &made, &outcome));
    if (outcome != TRI_PUSH_HELD)
        free(part);
    return outcome;
}

static float weight_of(tri__stretch *stretch, int table, int32_t key)
{
    float out[2];
    assert_ok(tri__table_shard_gather(tri__stretch_shard(stretch, chunk_of(stretch, table)), &key, 1, out));
    return out[0];
}

static void an_async_push_counts_once_for_all_tables(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_ASYNC);
    const tri__key_map *map = tri__stretch_map(stretch);
    assert_int_equal(push(stretch, 1, 0, 1, 7, 1), TRI_PUSH_APPLIED);
    assert_int_equal(push(stretch, 0, 0, 1, 7, 1), TRI_PUSH_APPLIED);
    assert_int_equal(push(stretch, 0, 0, 1, 7, 1), TRI_PUSH_STALE); /* sent again */
    assert_int_equal(map->left_rare, 1);
    assert_int_equal(map->used, 0);
    assert_true(weight_of(stretch, 0, 7) == 0);
    push(stretch, 0, 1, 1, 7, 1); /* another worker's */
    push(stretch, 1, 1, 1, 7, 1);
    assert_int_equal(map->used, 1);
    assert_int_equal(map->left_rare, 1);
    assert_true(weight_of(stretch, 0, 7) == -1 && weight_of(stretch, 1, 7) == -1);
    tri__stretch_destroy(stretch);
}

/* Of a push that was in a copy with one of its tables, the other comes again. */
static void a_restored_push_is_not_counted_again(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_ASYNC);
    assert_ok(tri__stretch_know(stretch, chunk_of(stretch, 0), 0, 5));
    assert_int_equal(push(stretch, 1, 0, 5, 7, 1), TRI_PUSH_APPLIED);
    assert_int_equal(tri__stretch_map(stretch)->left_rare, 0);
    push(stretch, 1, 0, 6, 7, 1);
    assert_int_equal(tri__stretch_map(stretch)->left_rare, 1);
    tri__stretch_destroy(stretch);
}

static void a_sync_step_has_the_sightings_of_all_workers(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_SYNC);
    const int tasks[] = {0, 1};
    assert_ok(tri__stretch_view(stretch, 0, tasks, 2));
    for (int table = 1; table >= 0; table--) {
        assert_int_equal(push(stretch, table, 1, 0, 9, 1), TRI_PUSH_HELD);
        assert_int_equal(push(stretch, table, 0, 0, 9, 1), TRI_PUSH_APPLIED);
    }
    assert_int_equal(tri__stretch_map(stretch)->used, 1);
    assert_int_equal(tri__stretch_map(stretch)->left_rare, 0);
    assert_true(weight_of(stretch, 0, 9) == -1 && weight_of(stretch, 1, 9) == -1);
    tri__stretch_destroy(stretch);
}

static void a_full_server_leaves_keys_out(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_ASYNC);
    for (int32_t key = 1; key < 11; key += 2)
        push(stretch, 0, 0, key, key, 2);
    assert_int_equal(tri__stretch_map(stretch)->used, 3);
    assert_int_equal(tri__stretch_map(stretch)->left_full, 4);
    assert_true(weight_of(stretch, 0, 5) == -1 && weight_of(stretch, 0, 7) == 0);
    tri__stretch_destroy(stretch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_async_push_counts_once_for_all_tables),
        cmocka_unit_test(a_restored_push_is_not_counted_again),
        cmocka_unit_test(a_sync_step_has_the_sightings_of_all_workers),
        cmocka_unit_test(a_full_server_leaves_keys_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
