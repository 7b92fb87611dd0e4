/* row_keeper.c: copies lie one after another in the order in which rows were touched; a hash table of open addressing finds them. Memory is
 * mapped and untouched until it is used. */
#include "graph/store/row_keeper.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"

enum {
    SHARE = 8,     /* there is room for an eighth of a table's rows */
    LEAST = 65536, /* there is room for at least this many rows */
};

static const int64_t PATIENCE = TRI_SECOND; /* time until a thread that waits looks again */

struct tri__row_keeper {
    const tri_table *table;
    atomic_bool writing; /* a checkpoint is being written; changed only with the lock held */
    pthread_mutex_t lock;
    pthread_cond_t written;

    /* guarded by lock */
    int64_t count, room;
    int64_t passed; /* rows below this one need no copy any more */
    uint32_t mask;  /* of cells, a power of two less one; at least twice the room */
    uint32_t *cell; /* [mask + 1] the number of a copy, from 1; 0: none */
    int32_t *row;   /* [room] the row of each copy */
    float *copy;    /* [room][stride] */
};

static tri_status allocate(tri__row_keeper *keeper, int64_t wanted)
{
    const tri_table *table = keeper->table;
    const char *what = "rows that change while a checkpoint is written";
    keeper->room = wanted < table->rows ? wanted : table->rows;
    for (keeper->mask = 1; keeper->mask < 2 * keeper->room; keeper->mask = 2 * keeper->mask + 1) {
    }
    const size_t room = (size_t)keeper->room, stride = (size_t)table->stride;
    TRI_TRY(tri__buffer_allocate(((size_t)keeper->mask + 1) * sizeof *keeper->cell, what, &keeper->cell));
    TRI_TRY(tri__buffer_allocate(room * sizeof *keeper->row, what, &keeper->row));
    return tri__buffer_allocate(room * stride * sizeof *keeper->copy, what, &keeper->copy);
}

static tri_status create(const tri_table *table, int64_t room, tri__row_keeper **out)
{
    tri__row_keeper *keeper;
    TRI_TRY(tri__allocate(1, sizeof *keeper, "a keeper of rows", &keeper));
    keeper->table = table;
    pthread_mutex_init(&keeper->lock, NULL);
    tri__condition_init(&keeper->written);
    tri_status status = allocate(keeper, room);
    if (status)
        tri__row_keeper_destroy(keeper);
    else
        *out = keeper;
    return status;
}

tri_status tri__row_keeper_create(const tri_table *table, tri__row_keeper **out)
{
    return create(table, table->rows / SHARE > LEAST ? table->rows / SHARE : LEAST, out);
}

tri_status tri__row_keeper_create_growing(const tri_table *table, tri__row_keeper **out)
{
    return create(table, LEAST, out);
}

static void free_copies(tri__row_keeper *keeper)
{
    tri__buffer_free(keeper->cell);
    tri__buffer_free(keeper->row);
    tri__buffer_free(keeper->copy);
}

void tri__row_keeper_destroy(tri__row_keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_destroy(&keeper->lock);
    pthread_cond_destroy(&keeper->written);
    free_copies(keeper);
    free(keeper);
}

void tri__row_keeper_begin(tri__row_keeper *keeper)
{
    pthread_mutex_lock(&keeper->lock);
    memset(keeper->cell, 0, ((size_t)keeper->mask + 1) * sizeof *keeper->cell);
    keeper->count = keeper->passed = 0;
    keeper->writing = true;
    pthread_mutex_unlock(&keeper->lock);
}

void tri__row_keeper_end(tri__row_keeper *keeper)
{
    pthread_mutex_lock(&keeper->lock);
    keeper->writing = false;
    pthread_cond_broadcast(&keeper->written);
    pthread_mutex_unlock(&keeper->lock);
}

/* The cell that has the row's copy, or the empty cell where it would be. */
static uint32_t *cell_of(const tri__row_keeper *keeper, int32_t row)
{
    uint32_t at = (uint32_t)((uint64_t)row * UINT64_C(0x9E3779B97F4A7C15) >> 32); /* all 32 bits: a large table has as many cells */
    for (;; at++) {
        uint32_t *cell = &keeper->cell[at & keeper->mask];
        if (*cell == 0 || keeper->row[*cell - 1] == row)
            return cell;
    }
}

/* Copy a row, unless it has a copy. from: where the row is. False where there is no room. */
static bool keep(tri__row_keeper *keeper, int32_t row, const float *from)
{
    uint32_t *cell = cell_of(keeper, row);
    if (*cell)
        return true;
    if (keeper->count == keeper->room)
        return false;
    const int64_t stride = keeper->table->stride;
    memcpy(keeper->copy + keeper->count * stride, from, (size_t)stride * sizeof *keeper->copy);
    keeper->row[keeper->count++] = row;
    *cell = (uint32_t)keeper->count;
    return true;
}

void tri__row_keeper_touch(tri__row_keeper *keeper, const int32_t *rows, int64_t count)
{
    if (!keeper->writing)
        return;
    pthread_mutex_lock(&keeper->lock);
    for (int64_t i = 0; i < count && keeper->writing; i++)
        if (!keep(keeper, rows[i], keeper->table->data + rows[i] * keeper->table->stride))
            while (keeper->writing)
                tri__condition_wait(&keeper->written, &keeper->lock, tri__clock_now() + PATIENCE);
    pthread_mutex_unlock(&keeper->lock);
}

/* Copies of rows that are passed are left behind. */
static tri_status make_room(tri__row_keeper *keeper)
{
    tri__row_keeper larger = {.table = keeper->table};
    tri_status status = allocate(&larger, 2 * keeper->room);
    for (int64_t i = 0; !status && i < keeper->count; i++)
        if (keeper->row[i] >= keeper->passed)
            (void)keep(&larger, keeper->row[i], keeper->copy + i * keeper->table->stride); /* there is room for it */
    if (status) {
        free_copies(&larger);
        return status;
    }
    free_copies(keeper);
    keeper->count = larger.count;
    keeper->room = larger.room;
    keeper->mask = larger.mask;
    keeper->cell = larger.cell;
    keeper->row = larger.row;
    keeper->copy = larger.copy;
    return NULL;
}

tri_status tri__row_keeper_keep(tri__row_keeper *keeper, int32_t row, const float *from)
{
    tri_status status = NULL;
    const float *where = from ? from : keeper->table->data + row * keeper->table->stride;
    pthread_mutex_lock(&keeper->lock);
    while (!status && row >= keeper->passed && !keep(keeper, row, where))
        status = make_room(keeper);
    pthread_mutex_unlock(&keeper->lock);
    return status;
}

void tri__row_keeper_pass(tri__row_keeper *keeper, int64_t rows)
{
    pthread_mutex_lock(&keeper->lock);
    keeper->passed = rows;
    pthread_mutex_unlock(&keeper->lock);
}

void tri__row_keeper_lock(void *context, bool locked)
{
    tri__row_keeper *keeper = context;
    if (locked)
        pthread_mutex_lock(&keeper->lock);
    else
        pthread_mutex_unlock(&keeper->lock);
}

const void *tri__row_keeper_find(void *context, int64_t row, const void *where)
{
    const tri__row_keeper *keeper = context;
    const int64_t stride = keeper->table->stride;
    const uint32_t cell = *cell_of(keeper, (int32_t)row);
    return cell ? keeper->copy + (cell - 1) * stride + ((const float *)where - (keeper->table->data + row * stride)) : where;
}
