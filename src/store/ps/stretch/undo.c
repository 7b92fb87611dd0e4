/* undo.c: copies a chunk's floats, or the rows that a step changes, before the step is applied. */
#include "store/ps/stretch/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/stretch/stretch_inside.h"
#include "store/table.h"

tri_status tri__undo_create(tri__stretch *stretch)
{
    size_t bytes = (stretch->range.count ? stretch->range.count : 1) * sizeof(float);
    tri__undo *undo = &stretch->undo;
    TRI_TRY(tri__allocate(stretch->chunks, sizeof *undo->steps, "a server's last step", &undo->steps));
    for (int slot = 0; slot < tri__stretch_slots(stretch); slot++)
        TRI_TRY(tri__buffer_allocate(bytes, "a server's last step", &undo->slot[slot]));
    return NULL;
}

void tri__undo_destroy(tri__stretch *stretch)
{
    tri__undo *undo = &stretch->undo;
    free(undo->steps);
    for (int i = 0; i < TRI_STRETCH_SLOTS; i++)
        tri__buffer_free(undo->slot[i]);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++) {
        free(undo->rows[i].rows);
        free(undo->rows[i].values);
    }
}

/* Keeps whole rows: the weights and the rule's state. */
static tri_status keep_rows(tri__row_sum *kept, const tri_table *table, const tri__row_part *rows)
{
    const char *what = "the rows of a server's last step";
    kept->count = 0;
    TRI_TRY(tri__grow(&kept->rows, &kept->rows_room, rows->count, sizeof *kept->rows, what));
    TRI_TRY(tri__grow(&kept->values, &kept->values_room, rows->count * table->stride, sizeof *kept->values, what));
    for (int64_t i = 0; i < rows->count; i++) {
        kept->rows[i] = rows->rows[i];
        memcpy(kept->values + i * table->stride, table->data + rows->rows[i] * table->stride, (size_t)table->stride * sizeof(float));
    }
    kept->count = rows->count;
    return NULL;
}

void tri__undo_keep(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__row_part *rows)
{
    tri__undo *undo = &stretch->undo;
    const ptrdiff_t index = chunk - stretch->chunk;
    if (!undo->steps)
        return;
    undo->steps[index] = chunk->step + 1;
    for (int slot = 0; !chunk->shard && slot < tri__stretch_slots(stretch); slot++) {
        size_t count;
        const float *from = tri__stretch_floats(stretch, stretch->first + (uint32_t)index, slot, &count);
        memcpy(undo->slot[slot] + chunk->range.first, from, count * sizeof *from);
    }
    if (!chunk->shard)
        return;
    tri__row_sum *kept = &undo->rows[chunk->shard - stretch->shard];
    kept->count = 0;
    tri_status status = rows ? keep_rows(kept, &chunk->shard->table, rows) : NULL;
    if (status)
        undo->steps[index] = 0; /* memory is short: if the copy is needed, the job goes back to a checkpoint */
    tri_status_free(status);
}

/* The chunk has made one step more, and undo has what it was before that. */
static bool is_kept(const tri__stretch *stretch, uint32_t chunk, int64_t step)
{
    return stretch->undo.steps && tri__stretch_step(stretch, chunk) == step + 1 && stretch->undo.steps[chunk - stretch->first] == step + 1;
}

bool tri__stretch_read_at(tri__stretch *stretch, uint32_t chunk, int slot, int64_t step, float *out)
{
    size_t count;
    const float *now = tri__stretch_floats(stretch, chunk, slot, &count);
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return false;
    memcpy(out, before ? stretch->undo.slot[slot] + tri__stretch_at(stretch, chunk)->range.first : now, count * sizeof *now);
    return true;
}

bool tri__stretch_read_rows_at(tri__stretch *stretch, uint32_t chunk, int64_t rows, int slot, int64_t step, float *out)
{
    const tri__table_shard *shard = tri__stretch_at(stretch, chunk)->shard;
    const tri_table *table = &shard->table;
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return false;
    tri__table_read(table, 0, 1, rows, slot, out);
    const tri__row_sum *kept = &stretch->undo.rows[shard - stretch->shard];
    for (int64_t i = 0; before && i < kept->count; i++)
        memcpy(out + kept->rows[i] * table->width, kept->values + i * table->stride + slot * table->width,
               (size_t)table->width * sizeof *out);
    return true;
}

bool tri__stretch_read_listed_at(tri__stretch *stretch, uint32_t chunk, const tri__row_list *list, int64_t step, float *out)
{
    const tri__table_shard *shard = tri__stretch_at(stretch, chunk)->shard;
    const tri_table *table = &shard->table;
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return false;
    tri__table_gather(table, (tri__table_keys){list->rows, list->count}, out);
    const tri__row_sum *kept = &stretch->undo.rows[shard - stretch->shard];
    for (int64_t i = 0, k = 0; before && i < list->count && k < kept->count;) { /* both rise */
        if (list->rows[i] == kept->rows[k])
            memcpy(out + i * table->width, kept->values + k * table->stride, (size_t)table->width * sizeof *out);
        if (list->rows[i] <= kept->rows[k])
            i++;
        else
            k++;
    }
    return true;
}
