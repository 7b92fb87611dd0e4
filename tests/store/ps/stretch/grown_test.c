/* grown_test.c: two tables of a server that grow with what is pushed: every sighting counts once, whichever table comes first. */
#include <stdlib.h>

#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/replay.h"
#include "store/ps/stretch/stretch.h"
#include "store/ps/stretch/undo.h"
#include "support.h"

/* Server 1 of 2 has the odd keys of 200, and room for three. */
static tri__stretch *new_stretch(tri__ps_mode mode)
{
    const tri__table_shapes tables = {.count = 2, .table = {{200, 1}, {200, 2}}, .growth = {.most = 3, .min_count = 2}};
    const tri__ps_settings settings = {.mode = mode, .workers = 2, .servers = 2, .replicas = 2};
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

/* Some odd keys, from `key` on, each with a gradient of 1. */
static tri__push_outcome push_some(tri__stretch *stretch, int table, int task, int64_t serial, int32_t key, int64_t count, float seen)
{
    tri__row_part *part;
    tri__push_outcome outcome;
    assert_ok(tri__row_part_create(count, table + 2, &part));
    for (int64_t k = 0; k < count; k++) {
        part->rows[k] = key + 2 * (int32_t)k;
        for (int i = 0; i <= table; i++)
            part->values[k * (table + 2) + i] = 1;
        part->values[k * (table + 2) + table + 1] = seen;
    }
    const tri__push made = {
        .chunk = chunk_of(stretch, table), .task = task, .step = serial, .serial = serial, .weight = 1, .rate = 1, .rows = part};
    assert_ok(tri__stretch_push(stretch, &made, &outcome));
    if (outcome != TRI_PUSH_HELD)
        free(part);
    return outcome;
}

static tri__push_outcome push(tri__stretch *stretch, int table, int task, int64_t serial, int32_t key, float seen)
{
    return push_some(stretch, table, task, serial, key, 1, seen);
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

/* ---- two servers ---- */

static void repeat(void *context, const tri__applied *update)
{
    assert_ok(tri__stretch_replay(context, update));
}

/* The standby gets the keys, and what is counted, as a primary sends it; rows are all 0 here. Updates follow. */
static void fill(tri__stretch *primary, tri__stretch *standby)
{
    tri__key_cells cells = {0};
    const tri__key_map *map = tri__stretch_map(primary);
    assert_ok(tri__key_cells_take(&cells, map, 1, 2, (tri__left_out){map->left_rare, map->left_full}));
    assert_ok(tri__stretch_learn_keys(standby, 1, 2, 0, cells.cell, cells.count));
    tri__stretch_learn_counted_step(standby, tri__stretch_counted_step(primary));
    tri__stretch_learn_counted(standby, 0, tri__stretch_counted(primary, 0));
    for (uint32_t i = 0; i < tri__stretch_chunks(primary); i++) {
        const uint32_t chunk = tri__stretch_first(primary) + i;
        tri__stretch_stand(standby, chunk, tri__stretch_step(primary, chunk));
    }
    tri__stretch_on_applied(primary, repeat, standby);
    tri__key_cells_fini(&cells);
}

static void expect_same(tri__stretch *primary, tri__stretch *standby, int32_t key)
{
    const tri__key_map *one = tri__stretch_map(primary), *other = tri__stretch_map(standby);
    assert_int_equal(other->used, one->used);
    assert_int_equal(other->waiting, one->waiting);
    assert_int_equal(other->left_rare, one->left_rare);
    assert_int_equal(tri__key_map_seen(other, key), tri__key_map_seen(one, key));
    for (int table = 0; table < 2; table++)
        assert_true(weight_of(standby, table, key) == weight_of(primary, table, key));
}

/* It is filled when one table has the step and the other has not. */
static void a_standby_counts_what_its_primary_counts(void **state)
{
    (void)state;
    static const tri__ps_mode modes[] = {TRI_PS_ASYNC, TRI_PS_SYNC};
    for (int i = 0; i < 2; i++) {
        tri__stretch *primary = new_stretch(modes[i]), *standby = new_stretch(modes[i]);
        const int task = 0;
        assert_ok(tri__stretch_view(primary, 0, &task, 1));
        for (int64_t serial = 0; serial < 3; serial++)
            for (int table = 0; table < 2; table++) {
                push(primary, table, 0, serial, 7, 1);
                if (serial == 0 && table == 0)
                    fill(primary, standby);
                expect_same(primary, standby, 7);
            }
        assert_true(weight_of(primary, 0, 7) == -2 && weight_of(primary, 1, 7) == -2);
        tri__stretch_destroy(primary);
        tri__stretch_destroy(standby);
    }
}

/* How often the keys before a step were seen: the cell of a key; value 0: there is none. */
static tri__key_cell cell_before(tri__stretch *stretch, int64_t step, int32_t key, int64_t *rows, int64_t *cells, tri__left_out *left)
{
    tri__key_cells taken = {0};
    tri__key_cell found = {0};
    assert_ok(tri__stretch_read_keys_at(stretch, 1, 2, step, &taken, rows));
    assert_ok(tri__key_cells_left_out(taken.cell, left));
    *cells = taken.count - TRI_CELLS_HEAD;
    for (int64_t i = TRI_CELLS_HEAD; i < taken.count; i++)
        if (taken.cell[i].key == key)
            found = taken.cell[i];
    tri__key_cells_fini(&taken);
    return found;
}

static void keys_can_be_read_as_they_were_before_a_step(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_SYNC);
    const int task = 0;
    int64_t rows, cells;
    tri__left_out left;
    tri__key_cells none = {0};
    assert_ok(tri__stretch_view(stretch, 0, &task, 1));
    for (int64_t step = 0; step < 2; step++)
        for (int table = 0; table < 2; table++)
            push_some(stretch, table, 0, step, 5 + 2 * (int32_t)step, 2, 1); /* 5 and 7, then 7 and 9 */
    assert_int_equal(cell_before(stretch, 1, 7, &rows, &cells, &left).value, -1);
    assert_int_equal(rows, 0);
    assert_int_equal(cells, 2);
    assert_int_equal(left.rare, 2);
    assert_int_equal(cell_before(stretch, 2, 7, &rows, &cells, &left).value, 0);
    assert_int_equal(rows, 1);
    assert_int_equal(cells, 3);
    assert_int_equal(left.rare, 3);
    assert_fails(tri__stretch_read_keys_at(stretch, 1, 2, 0, &none, &rows), TRI_NOT_FOUND, "past step 0");
    tri__stretch_destroy(stretch);
}

/* A map of so few rows has 64 cells, and forgets the keys that wait when it has 48 keys and a new one comes. */
static void keys_that_a_step_made_the_map_forget_can_be_read(void **state)
{
    (void)state;
    tri__stretch *stretch = new_stretch(TRI_PS_SYNC);
    const int task = 0;
    int64_t rows, cells;
    tri__left_out left;
    assert_ok(tri__stretch_view(stretch, 0, &task, 1));
    push_some(stretch, 0, 0, 0, 1, 48, 1);
    push_some(stretch, 1, 0, 0, 1, 48, 1);
    push(stretch, 0, 0, 1, 97, 1);
    assert_int_equal(tri__stretch_map(stretch)->waiting, 1);
    assert_int_equal(cell_before(stretch, 1, 95, &rows, &cells, &left).value, -1);
    assert_int_equal(cells, 48);
    tri__stretch_destroy(stretch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_async_push_counts_once_for_all_tables),         cmocka_unit_test(a_restored_push_is_not_counted_again),
        cmocka_unit_test(a_sync_step_has_the_sightings_of_all_workers),     cmocka_unit_test(a_full_server_leaves_keys_out),
        cmocka_unit_test(a_standby_counts_what_its_primary_counts),         cmocka_unit_test(keys_can_be_read_as_they_were_before_a_step),
        cmocka_unit_test(keys_that_a_step_made_the_map_forget_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
