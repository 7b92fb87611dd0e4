/* table_shard.c: parts are lists of rising rows. So adding a part to the sum so far merges two lists, and each row's sum is made in the
 * order in which parts are added. */
#include "store/ps/stretch/table_shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/norm.h"
#include "store/table.h"

tri_status tri__row_part_create(int64_t count, int64_t width, tri__row_part **out)
{
    size_t bytes;
    if (!tri__size_multiply((size_t)count, (size_t)(width + 1) * sizeof(float), &bytes))
        return tri_fail(TRI_BAD_DATA, "%" PRId64 " rows of %" PRId64 " are more than memory can hold", count, width);
    TRI_TRY(tri__allocate(1, sizeof **out + bytes, "a worker's gradient of rows", out));
    **out = (tri__row_part){.count = count, .values = (float *)(*out + 1), .rows = (int32_t *)(*out + 1) + count * width};
    return NULL;
}

size_t tri__row_part_bytes(const tri__row_part *part, int64_t width)
{
    return sizeof *part + (size_t)part->count * (size_t)(width + 1) * sizeof(float);
}

tri_status tri__table_shard_init(tri__table_shard *shard, int64_t rows, int64_t width, int slots)
{
    *shard = (tri__table_shard){.width = width};
    return tri__table_init(&shard->table, rows > 0 ? rows : 1, width, slots);
}

static void sum_fini(tri__row_sum *sum)
{
    free(sum->rows);
    free(sum->values);
}

void tri__table_shard_fini(tri__table_shard *shard)
{
    sum_fini(&shard->sum);
    sum_fini(&shard->other);
    tri__table_rows_fini(&shard->taken);
    tri__table_shard_end_copy(shard);
    tri__table_fini(&shard->table);
}

void tri__table_shard_begin(tri__table_shard *shard)
{
    shard->sum.count = shard->reserved = 0;
}

static tri_status grow(tri__row_sum *sum, int64_t count, int64_t width)
{
    const char *what = "the rows of a table that a step gathers";
    TRI_TRY(tri__grow(&sum->rows, &sum->rows_room, count, sizeof *sum->rows, what));
    return tri__grow(&sum->values, &sum->values_room, count * width, sizeof *sum->values, what);
}

tri_status tri__table_shard_reserve(tri__table_shard *shard, int64_t rows)
{
    shard->reserved += rows;
    if (shard->grown)
        TRI_TRY(tri__table_rows_reserve(&shard->taken, shard->table.width, shard->reserved));
    TRI_TRY(grow(&shard->sum, shard->reserved, shard->width));
    return grow(&shard->other, shard->reserved, shard->width);
}

tri_status tri__table_shard_reserve_alone(tri__table_shard *shard, int64_t rows)
{
    return shard->grown ? tri__table_rows_reserve(&shard->taken, shard->table.width, rows) : NULL;
}

static void take(tri__row_sum *sum, int32_t row, const float *values, int64_t width)
{
    sum->rows[sum->count] = row;
    memcpy(sum->values + sum->count * width, values, (size_t)width * sizeof *values);
    sum->count++;
}

/* A row that both have: the sum so far, plus the part. */
static void take_both(tri__row_sum *sum, int32_t row, const float *before, const float *more, int64_t width)
{
    float *to = sum->values + sum->count * width;
    sum->rows[sum->count++] = row;
    for (int64_t k = 0; k < width; k++)
        to[k] = before[k] + more[k];
}

void tri__table_shard_add(tri__table_shard *shard, const tri__row_part *part)
{
    const int64_t width = shard->width;
    const tri__row_sum *before = &shard->sum;
    tri__row_sum *sum = &shard->other;
    sum->count = 0;
    int64_t i = 0, k = 0;
    while (i < before->count || k < part->count) {
        const bool first = k == part->count || (i < before->count && before->rows[i] < part->rows[k]);
        if (first) {
            take(sum, before->rows[i], before->values + i * width, width);
            i++;
        } else if (i < before->count && before->rows[i] == part->rows[k]) {
            take_both(sum, part->rows[k], before->values + i * width, part->values + k * width, width);
            i++, k++;
        } else {
            take(sum, part->rows[k], part->values + k * width, width);
            k++;
        }
    }
    const tri__row_sum swapped = shard->sum;
    shard->sum = shard->other;
    shard->other = swapped;
}

tri__row_part tri__table_shard_sum(const tri__table_shard *shard)
{
    return (tri__row_part){.count = shard->sum.count, .rows = shard->sum.rows, .values = shard->sum.values};
}

void tri__table_shard_set_grown(tri__table_shard *shard, tri_store *grown, int number)
{
    shard->grown = grown;
    shard->number = number;
    shard->width = tri__offered_width(grown, shard->table.width);
}

tri_status tri__table_shard_gather(tri__table_shard *shard, const int32_t *rows, int64_t count, float *out)
{
    if (shard->grown)
        return tri__table_rows_gather(&shard->taken, shard->grown, shard->number, (tri__table_keys){rows, count}, out);
    tri__table_gather(&shard->table, (tri__table_keys){rows, count}, out);
    return NULL;
}

double tri__table_shard_squares(const tri__table_shard *shard)
{
    if (shard->grown)
        return tri__table_rows_squares(shard->grown, shard->number, shard->sum.values, shard->sum.count);
    return tri__sum_of_squares(shard->sum.values, (size_t)(shard->sum.count * shard->table.width));
}

/* ---- copies ---- */

tri_status tri__table_shard_begin_copy(tri__table_shard *shard)
{
    tri__table_shard_end_copy(shard);
    TRI_TRY(tri__row_keeper_create_growing(&shard->table, &shard->kept));
    tri__row_keeper_begin(shard->kept);
    return NULL;
}

void tri__table_shard_end_copy(tri__table_shard *shard)
{
    tri__row_keeper_destroy(shard->kept);
    shard->kept = NULL;
    tri_status_free(shard->unkept);
    shard->unkept = NULL;
}

void tri__table_shard_read_copy(const tri__table_shard *shard, int64_t first, int64_t count, int slot, float *out)
{
    const tri_table *table = &shard->table;
    tri__row_keeper_lock(shard->kept, true);
    for (int64_t row = first; row < first + count; row++, out += table->width)
        memcpy(out, tri__row_keeper_find(shard->kept, row, table->data + row * table->stride + slot * table->width),
               (size_t)table->width * sizeof *out);
    tri__row_keeper_lock(shard->kept, false);
}

/* Called before rows change. Where tables grow, a key without a row gets one that the copy does not have. */
static void keep_rows(tri__table_shard *shard, tri__table_keys keys)
{
    const tri__key_map *map = shard->grown ? shard->grown->map : NULL;
    for (int64_t i = 0; i < keys.count && !shard->unkept; i++) {
        const int32_t row = map ? tri__key_map_find(map, keys.keys[i]) : keys.keys[i];
        if (!map || row < map->capacity)
            shard->unkept = tri__row_keeper_keep(shard->kept, row, NULL);
    }
}

static void apply(tri__table_shard *shard, tri__table_keys keys, const float *values, const tri_rule *rule, double scale,
                  const tri_step *step)
{
    if (shard->kept)
        keep_rows(shard, keys);
    if (shard->grown) /* it cannot fail, since there is room for the rows */
        tri_status_free(tri__table_rows_apply(&shard->taken, shard->grown, shard->number, keys, values, (float)scale, step));
    else
        tri__table_apply(&shard->table, keys, values, (float)scale, rule, step);
}

void tri__table_shard_apply(tri__table_shard *shard, const tri_rule *rule, double scale, const tri_step *step)
{
    apply(shard, (tri__table_keys){shard->sum.rows, shard->sum.count}, shard->sum.values, rule, scale, step);
}

void tri__table_shard_apply_part(tri__table_shard *shard, const tri__row_part *part, const tri_rule *rule, double scale,
                                 const tri_step *step)
{
    apply(shard, (tri__table_keys){part->rows, part->count}, part->values, rule, scale, step);
}

tri_status tri__table_piece_check(const tri__layout *layout, const tri__message *message, uint32_t slots)
{
    const int table = message->chunk < tri__layout_chunks(layout) ? tri__layout_table(layout, message->chunk) : -1;
    const int64_t first = message->position;
    bool known = table >= 0 && message->slot < slots && first >= 0 && first % tri__layout_piece(layout, table) == 0 &&
                 (first == 0 || first < tri__layout_rows(layout, tri__layout_server(layout, message->chunk), table));
    if (known && message->size == 0)
        return NULL;
    const int64_t width = known ? layout->tables.table[table].width : 0;
    if (known && message->size == (size_t)(tri__layout_piece_rows(layout, message->chunk, first) * width) * sizeof(float))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%u bytes for slot %u of chunk %u from row %" PRId64 " on, which is no piece of a table", message->size,
                    message->slot, message->chunk, first);
}

/* Values are compared by their bits: −0 is not 0, and NaN equals itself. */
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void tri__table_read(const tri_table *table, int64_t first, int64_t stride, int64_t count, int slot, float *out)
{
    for (int64_t i = 0; i < count; i++, out += table->width)
        memcpy(out, table->data + (first + i * stride) * table->stride + slot * table->width, (size_t)table->width * sizeof *out);
}

/* Memory that is zero already is not touched: pages that no key has touched take no memory. */
void tri__table_write(tri_table *table, int64_t first, int64_t stride, int64_t count, int slot, const float *from)
{
    for (int64_t i = 0; i < count; i++) {
        float *to = table->data + (first + i * stride) * table->stride + slot * table->width;
        for (int64_t k = 0; k < table->width; k++) {
            const float value = from ? from[i * table->width + k] : 0;
            if (bits_of(to[k]) != bits_of(value))
                to[k] = value;
        }
    }
}
