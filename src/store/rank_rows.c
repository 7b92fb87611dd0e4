/* rank_rows.c: how ranks exchange rows of a table. First the ranks tell each other how many rows they have. Then one call sends every
 * rank's list to all ranks, each padded to the longest: lists of equal batches are about equally long. */
#include "store/rank_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "base/memory/memory.h"

#define MOST_BYTES ((int64_t)1 << 30) /* the most that one rank may send of a table in a step */

void tri__rank_rows_init(tri__rank_rows *rows, int64_t features, int64_t width)
{
    *rows = (tri__rank_rows){.features = features, .width = width};
}

void tri__rank_rows_fini(tri__rank_rows *rows)
{
    tri__buffer_free(rows->sent);
    tri__buffer_free(rows->all);
    free(rows->counts);
    tri__merge_fini(&rows->merge);
}

void tri__rank_rows_offer(tri__rank_rows *rows, tri__offered_rows mine)
{
    rows->mine = mine;
}

/* Keys take a multiple of 64 bytes, so that gradients are aligned. */
static size_t key_bytes(int64_t count)
{
    return ((size_t)count * sizeof(int32_t) + 63) / 64 * 64;
}

static size_t row_bytes(const tri__rank_rows *rows, int64_t count)
{
    return key_bytes(count) + ((size_t)(count * rows->width) * sizeof(float) + 63) / 64 * 64;
}

static void pack(const tri__rank_rows *rows)
{
    const tri__offered_rows *mine = &rows->mine;
    if (!mine->count)
        return;
    memcpy(rows->sent, mine->keys, (size_t)mine->count * sizeof *mine->keys);
    memcpy(rows->sent + key_bytes(mine->count), mine->gradient, (size_t)(mine->count * rows->width) * sizeof *mine->gradient);
}

/* Fills rows->counts; *longest receives the largest of them. */
static tri_status exchange_counts(tri__rank_rows *rows, tri__ranks *ranks, int64_t *longest)
{
    if (!rows->counts) {
        rows->ranks = tri__ranks_size(ranks);
        TRI_TRY(tri__allocate((size_t)rows->ranks, sizeof *rows->counts, "the rows of all ranks", &rows->counts));
    }
    TRI_TRY(tri__ranks_gather(ranks, &rows->mine.count, sizeof rows->mine.count, rows->counts));
    *longest = 0;
    for (int i = 0; i < rows->ranks; i++) {
        if (rows->counts[i] < 0 || rows->counts[i] > rows->features)
            return tri_fail(TRI_BAD_DATA, "rank %d offers %" PRId64 " rows of a table of %" PRId64, i, rows->counts[i], rows->features);
        *longest = rows->counts[i] > *longest ? rows->counts[i] : *longest;
    }
    return NULL;
}

/* All ranks see the same counts, and refuse or go on together. */
static tri_status exchange_rows(tri__rank_rows *rows, tri__ranks *ranks, int64_t longest)
{
    if (longest > MOST_BYTES / (int64_t)sizeof(float) / (rows->width + 1) - 64)
        return tri_fail(TRI_UNSUPPORTED, "a step names %" PRId64 " rows of %" PRId64 ", more than can be exchanged (use a smaller --batch)",
                        longest, rows->width);
    rows->each = row_bytes(rows, longest);
    TRI_TRY(tri__buffer_reserve(&rows->sent, &rows->sent_room, (int64_t)rows->each, 1, "the rows of this rank"));
    TRI_TRY(tri__buffer_reserve(&rows->all, &rows->all_room, (int64_t)rows->each * rows->ranks, 1, "the rows of all ranks"));
    pack(rows);
    return rows->each ? tri__ranks_gather(ranks, rows->sent, rows->each, rows->all) : NULL;
}

tri_status tri__rank_rows_exchange(tri__rank_rows *rows, tri__ranks *ranks)
{
    int64_t longest;
    TRI_TRY(exchange_counts(rows, ranks, &longest));
    TRI_TRY(exchange_rows(rows, ranks, longest));
    const int64_t others = rows->ranks - 1, each = (int64_t)(rows->each + sizeof *rows->counts);
    rows->sent_bytes += others * each;
    rows->received_bytes += others * each;
    rows->mine = (tri__offered_rows){0};
    return NULL;
}

/* Keys from another rank are not trusted. */
static tri_status check_keys(const tri__rank_rows *rows, const tri__offered_rows *list, int rank)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < list->count; i++)
        most = (uint32_t)list->keys[i] > most ? (uint32_t)list->keys[i] : most;
    if (list->count && most >= rows->features)
        return tri_fail(TRI_BAD_DATA, "rank %d offers row %" PRIu32 " of a table of %" PRId64, rank, most, rows->features);
    return NULL;
}

tri_status tri__rank_rows_merge(tri__rank_rows *rows)
{
    tri__offered_rows *lists;
    TRI_TRY(tri__allocate((size_t)rows->ranks, sizeof *lists, "the rows of all ranks", &lists));
    tri_status status = NULL;
    for (int i = 0; i < rows->ranks && !status; i++) {
        const uint8_t *from = rows->all + (size_t)i * rows->each;
        lists[i] = (tri__offered_rows){(const int32_t *)(const void *)from,
                                       (const float *)(const void *)(from + key_bytes(rows->counts[i])), rows->counts[i]};
        status = check_keys(rows, &lists[i], i);
    }
    if (!status)
        status = tri__merge_rows(&rows->merge, lists, rows->ranks, rows->width, 0, 1);
    free(lists);
    return status;
}

/* *same: all ranks have these bytes, by their checksum. */
static tri_status is_same(const void *data, size_t bytes, tri__ranks *ranks, bool *same)
{
    const size_t size = (size_t)tri__ranks_size(ranks);
    uint32_t mine = tri__crc32c(0, data, bytes), *all;
    TRI_TRY(tri__allocate(size, sizeof *all, "the tables of all ranks", &all));
    tri_status status = tri__ranks_gather(ranks, &mine, sizeof mine, all);
    *same = true;
    for (size_t i = 0; i < size && !status; i++)
        *same &= all[i] == mine;
    free(all);
    return status;
}

static tri_status share(void *data, size_t bytes, tri__ranks *ranks)
{
    bool same;
    TRI_TRY(is_same(data, bytes, ranks, &same));
    return same ? NULL : tri__ranks_broadcast(ranks, data, bytes);
}

tri_status tri__rank_rows_share(const tri_table *table, tri__ranks *ranks)
{
    return share(table->data, (size_t)(table->rows * table->stride) * sizeof(float), ranks);
}

tri_status tri__rank_rows_share_keys(tri__key_map *map, tri__ranks *ranks)
{
    int64_t counts[] = {map->used, map->waiting, map->left_rare, map->left_full};
    TRI_TRY(share(counts, sizeof counts, ranks));
    map->used = counts[0];
    map->waiting = counts[1];
    map->left_rare = counts[2];
    map->left_full = counts[3];
    TRI_TRY(share(map->key, (size_t)map->used * sizeof *map->key, ranks));
    return share(map->cell, (size_t)map->cells * sizeof *map->cell, ranks);
}
