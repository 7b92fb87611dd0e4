/* row_keeper_test.c: rows are read as they were when a checkpoint began, whatever changes meanwhile. */
#include "graph/store/row_keeper.h"

#include <pthread.h>
#include <stdlib.h>

#include "support.h"

enum { ROWS = 400000, STRIDE = 2 };

static tri_table make_table(void)
{
    tri_table table = {.rows = ROWS, .width = 1, .stride = STRIDE, .slots = 1, .data = calloc(ROWS * STRIDE, sizeof(float))};
    for (int64_t i = 0; i < ROWS * STRIDE; i++)
        table.data[i] = (float)i;
    return table;
}

typedef struct {
    const tri_table *table;
    tri__row_keeper *keeper;
    int64_t wrong;
} reading;

/* As who writes a checkpoint does. */
static void *read_all(void *context)
{
    reading *self = context;
    for (int64_t first = 0; first < ROWS; first += 100) {
        tri__row_keeper_lock(self->keeper, true);
        for (int64_t row = first; row < first + 100; row++)
            for (int64_t k = 0; k < STRIDE; k++)
                self->wrong += *(const float *)tri__row_keeper_find(self->keeper, row, self->table->data + row * STRIDE + k) !=
                               (float)(row * STRIDE + k);
        tri__row_keeper_lock(self->keeper, false);
    }
    tri__row_keeper_end(self->keeper);
    return NULL;
}

static void change(const tri_table *table, tri__row_keeper *keeper, int32_t row)
{
    const int32_t rows[] = {row, row, (row + 1) % ROWS};
    tri__row_keeper_touch(keeper, rows, 3);
    for (int i = 0; i < 3; i++)
        table->data[rows[i] * STRIDE] = table->data[rows[i] * STRIDE + 1] = -1;
}

/* Rows that were copied since begin. */
static int64_t count_kept(const tri_table *table, tri__row_keeper *keeper)
{
    int64_t kept = 0;
    tri__row_keeper_lock(keeper, true);
    for (int64_t row = 0; row < ROWS; row++) {
        const float *where = table->data + row * STRIDE;
        kept += tri__row_keeper_find(keeper, row, where) != where;
    }
    tri__row_keeper_lock(keeper, false);
    return kept;
}

/* More rows are changed than there is room for: those who change them wait for the end. */
static void rows_are_read_as_they_were_while_they_change(void **state)
{
    (void)state;
    const tri_table table = make_table();
    tri__row_keeper *keeper;
    assert_ok(tri__row_keeper_create(&table, &keeper));
    change(&table, keeper, 7); /* nothing is kept before it begins */
    assert_int_equal(count_kept(&table, keeper), 0);
    for (int64_t i = 0; i < ROWS * STRIDE; i++)
        table.data[i] = (float)i;
    tri__row_keeper_begin(keeper);
    reading self = {.table = &table, .keeper = keeper};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_all, &self), 0);
    for (int64_t i = 0; i < ROWS; i += 2)
        change(&table, keeper, (int32_t)(i * 7919 % ROWS));
    pthread_join(thread, NULL);
    assert_int_equal(self.wrong, 0);
    assert_true(count_kept(&table, keeper) <= 65536);
    tri__row_keeper_destroy(keeper);
    free(table.data);
}

static void a_second_checkpoint_sees_what_changed_after_the_first(void **state)
{
    (void)state;
    const tri_table table = make_table();
    tri__row_keeper *keeper;
    assert_ok(tri__row_keeper_create(&table, &keeper));
    tri__row_keeper_begin(keeper);
    change(&table, keeper, 5);
    tri__row_keeper_end(keeper);
    tri__row_keeper_begin(keeper);
    assert_true(*(const float *)tri__row_keeper_find(keeper, 5, table.data + 5 * STRIDE) == -1);
    change(&table, keeper, ROWS - 1); /* and row 0, which is next to it */
    assert_int_equal(count_kept(&table, keeper), 2);
    assert_true(*(const float *)tri__row_keeper_find(keeper, 0, table.data + 1) == 1);
    tri__row_keeper_end(keeper);
    tri__row_keeper_destroy(keeper);
    free(table.data);
}

/* All rows change. The first four were passed before, and need no copies. */
static void a_keeper_that_grows_has_room_for_every_row(void **state)
{
    (void)state;
    const tri_table table = make_table();
    tri__row_keeper *keeper;
    assert_ok(tri__row_keeper_create_growing(&table, &keeper));
    tri__row_keeper_begin(keeper);
    const float other[STRIDE] = {-3, -4};
    assert_ok(tri__row_keeper_keep(keeper, 9, other)); /* what it was at begin is known from elsewhere */
    tri__row_keeper_pass(keeper, 4);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t row = i * 7919 % ROWS;
        assert_ok(tri__row_keeper_keep(keeper, (int32_t)row, NULL));
        table.data[row * STRIDE] = table.data[row * STRIDE + 1] = -1;
    }
    assert_int_equal(count_kept(&table, keeper), ROWS - 4);
    int64_t wrong = 0;
    for (int64_t row = 4; row < ROWS; row++)
        for (int64_t k = 0; k < STRIDE; k++) {
            const float was = row == 9 ? other[k] : (float)(row * STRIDE + k);
            wrong += *(const float *)tri__row_keeper_find(keeper, row, table.data + row * STRIDE + k) != was;
        }
    assert_int_equal(wrong, 0);
    tri__row_keeper_destroy(keeper);
    free(table.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_as_they_were_while_they_change),
        cmocka_unit_test(a_second_checkpoint_sees_what_changed_after_the_first),
        cmocka_unit_test(a_keeper_that_grows_has_room_for_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
