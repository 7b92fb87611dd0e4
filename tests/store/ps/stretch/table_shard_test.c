/* table_shard_test.c: parts that several workers push are added up row by row, and applied as one. */
#include "store/ps/stretch/table_shard.h"

#include <stdlib.h>
#include <string.h>

#include "graph/rule/rule.h"
#include "store/table.h"
#include "support.h"

enum { ROWS = 50, WIDTH = 3 };

static tri__row_part *part_of(const int32_t *rows, int64_t count, float value)
{
    tri__row_part *part;
    assert_ok(tri__row_part_create(count, WIDTH, &part));
    for (int64_t i = 0; i < count; i++)
        part->rows[i] = rows[i];
    for (int64_t i = 0; i < count * WIDTH; i++)
        part->values[i] = value + (float)i;
    return part;
}

static void add(tri__table_shard *shard, const int32_t *rows, int64_t count, float value)
{
    tri__row_part *part = part_of(rows, count, value);
    assert_ok(tri__table_shard_reserve(shard, count));
    tri__table_shard_add(shard, part);
    free(part);
}

static void rows_that_two_workers_push_are_added(void **state)
{
    (void)state;
    tri__table_shard shard;
    assert_ok(tri__table_shard_init(&shard, ROWS, WIDTH, 0));
    add(&shard, (const int32_t[]){2, 7, 49}, 3, 1);
    add(&shard, (const int32_t[]){0, 7, 8}, 3, 100);
    add(&shard, NULL, 0, 0);
    const int32_t rows[] = {0, 2, 7, 8, 49};
    assert_int_equal(shard.sum.count, 5);
    assert_memory_equal(shard.sum.rows, rows, sizeof rows);
    assert_true(shard.sum.values[0] == 100 && shard.sum.values[3] == 1);
    assert_true(shard.sum.values[6] == 1 + 3 + 100 + 3 && shard.sum.values[12] == 1 + 6);
    tri__table_shard_begin(&shard);
    assert_int_equal(shard.sum.count, 0);
    tri__table_shard_fini(&shard);
}

/* sgd at rate 1: a row becomes less by its gradient, and no other row moves. */
static void a_step_moves_the_rows_that_were_pushed(void **state)
{
    (void)state;
    tri__table_shard shard;
    tri_rule rule = {0};
    assert_ok(tri__rule_complete(&rule));
    assert_ok(tri__table_shard_init(&shard, ROWS, WIDTH, 0));
    add(&shard, (const int32_t[]){2, 7}, 2, 4);
    tri__table_shard_apply(&shard, &rule, 0.5, &(tri_step){.rate = 1});
    float row[WIDTH];
    for (int32_t i = 0; i < ROWS; i++) {
        tri__table_read(&shard.table, i, 1, 1, 0, row);
        assert_true(row[0] == (i == 2 ? -2.0F : i == 7 ? -3.5F : 0));
    }
    tri__table_shard_fini(&shard);
}

static void pieces_of_a_table_go_out_and_back(void **state)
{
    (void)state;
    tri__table_shard shard;
    assert_ok(tri__table_shard_init(&shard, ROWS, WIDTH, 2));
    float out[ROWS * WIDTH], back[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        out[i] = (float)i;
    for (int slot = 0; slot < 3; slot++) {
        tri__table_write(&shard.table, 1, 3, 10, slot, out);
        tri__table_read(&shard.table, 1, 3, 10, slot, back);
        assert_memory_equal(back, out, 10 * WIDTH * sizeof *out);
    }
    tri__table_write(&shard.table, 1, 3, 10, 1, NULL);
    tri__table_read(&shard.table, 0, 1, ROWS, 1, back);
    assert_true(tri__all_zero(back, ROWS * WIDTH));
    tri__table_read(&shard.table, 0, 1, ROWS, 2, back);
    assert_false(tri__all_zero(back, ROWS * WIDTH));
    tri__table_shard_fini(&shard);
}

static void only_pieces_of_the_table_are_taken(void **state)
{
    (void)state;
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, 16, &(tri__table_shapes){.count = 1, .table = {{100000, 2}}}, 1));
    const uint32_t chunk = tri__layout_table_chunk(&layout, 0, 0), piece = TRI_CHUNK_FLOATS / 2;
    tri__message message = {.type = TRI_MSG_COPY, .chunk = chunk, .size = TRI_CHUNK_BYTES, .position = piece};
    assert_ok(tri__table_piece_check(&layout, &message, 1));
    message.size = 0;
    assert_ok(tri__table_piece_check(&layout, &message, 1));
    const tri__message none[] = {
        {.chunk = chunk, .size = TRI_CHUNK_BYTES, .position = 1},
        {.chunk = chunk, .size = TRI_CHUNK_BYTES - 4},
        {.chunk = chunk, .size = 0, .position = 4 * (int64_t)piece},
        {.chunk = chunk, .size = 0, .position = -(int64_t)piece},
        {.chunk = chunk, .size = TRI_CHUNK_BYTES, .slot = 1},
        {.chunk = 0, .size = TRI_CHUNK_BYTES},
        {.chunk = chunk, .size = TRI_CHUNK_BYTES, .position = 3 * piece},
        {.chunk = UINT32_MAX, .size = 0},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_fails(tri__table_piece_check(&layout, &none[i], 1), TRI_BAD_DATA, "no piece of a table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_two_workers_push_are_added),
        cmocka_unit_test(a_step_moves_the_rows_that_were_pushed),
        cmocka_unit_test(pieces_of_a_table_go_out_and_back),
        cmocka_unit_test(only_pieces_of_the_table_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
