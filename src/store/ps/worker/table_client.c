/* table_client.c: keys are sorted once for each batch and table, and dealt out: row r is on server r mod servers. */
#include "store/ps/worker/table_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/norm.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/worker/worker_shard.h"
#include "store/table.h"

struct tri__table_sort {
    uint64_t *memory; /* [room] for both of the arrays below */
    int64_t room;
    uint64_t *pair, *other; /* key · 2^32 + its position */
};

static tri_status check_dense(const tri__worker *worker, const tri__worker_shard *shard, int server)
{
    if (!worker->options.settings.dense_rows || tri__keyed_most_bytes(shard->all, shard->width) <= TRI_KEYED_DENSE_MOST)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--gather dense: ps:%d has %" PRId64 " rows of a table, more than a message of %d MB holds: use more --servers", server,
                    shard->all, TRI_KEYED_DENSE_MOST >> 20);
}

tri_status tri__table_client_create(tri__worker *worker)
{
    const tri__layout *layout = &worker->layout;
    tri_store *store = &worker->store;
    TRI_TRY(tri__allocate(1, sizeof *worker->sort, "room to sort keys", &worker->sort));
    for (int table = 0; table < layout->tables.count; table++) {
        const tri__table_shape *shape = &layout->tables.table[table];
        TRI_TRY(tri__table_init(&store->table[table], shape->rows, shape->width, 0)); /* pages that nobody touches cost nothing */
        store->tables++;
        for (int server = 0; server < layout->servers; server++) {
            tri__worker_chunk *chunk = &worker->chunk[tri__layout_table_chunk(layout, server, table)];
            TRI_TRY(tri__allocate(1, sizeof *chunk->shard, "rows of a table", &chunk->shard));
            chunk->shard->width = shape->width;
            chunk->shard->all = tri__layout_keys(layout, server, table);
            TRI_TRY(check_dense(worker, chunk->shard, server));
        }
    }
    return NULL;
}

void tri__table_client_destroy(tri__worker *worker)
{
    for (uint32_t i = 0; worker->chunk && i < worker->chunks; i++) {
        tri__worker_shard *shard = worker->chunk[i].shard;
        if (!shard)
            continue;
        for (int k = 0; k < 2; k++) {
            tri__row_list_fini(&shard->batch[k].list);
            free(shard->batch[k].position);
            free(shard->batch[k].values);
        }
        tri__row_list_fini(&shard->pushed);
        free(shard->gradient);
        free(shard->sightings);
        free(shard);
    }
    if (worker->sort)
        free(worker->sort->memory);
    free(worker->sort);
    free(worker->rows_body);
}

/* ---- which rows ---- */

static tri_status reserve_sort(tri__table_sort *sort, int64_t count)
{
    TRI_TRY(tri__reserve(&sort->memory, &sort->room, count > 0 ? 2 * count : 1, sizeof *sort->memory, "the keys of a batch"));
    sort->pair = sort->memory;
    sort->other = sort->memory + count;
    return NULL;
}

/* Sorts pairs by their keys, a byte at a time from the lowest; no key has a bit beyond the highest of `most`. */
static void sort_pairs(tri__table_sort *sort, int64_t count, uint32_t most)
{
    for (int shift = 32; shift < 64 && (shift == 32 || most >> (shift - 32)); shift += 8) {
        int64_t at[257] = {0};
        for (int64_t i = 0; i < count; i++)
            at[(sort->pair[i] >> shift & 0xff) + 1]++;
        for (int i = 0; i < 256; i++)
            at[i + 1] += at[i];
        for (int64_t i = 0; i < count; i++)
            sort->other[at[sort->pair[i] >> shift & 0xff]++] = sort->pair[i];
        uint64_t *swapped = sort->pair;
        sort->pair = sort->other;
        sort->other = swapped;
    }
}

static tri_status reserve_rows(tri__batch_rows *batch, int64_t count, int64_t width)
{
    const char *what = "rows of a table";
    TRI_TRY(tri__row_list_reserve(&batch->list, count));
    TRI_TRY(tri__reserve(&batch->position, &batch->position_room, count, sizeof *batch->position, what));
    return tri__reserve(&batch->values, &batch->values_room, count * width, sizeof *batch->values, what);
}

static tri_status check_count(int64_t count, int64_t width, int server)
{
    const int64_t each = 2 * TRI_KEYED_ROW_MOST + width * (int64_t)sizeof(float); /* the row, its sightings and values */
    if (count <= (TRI_KEYED_MOST - TRI_KEYED_HEAD) / each)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "a batch names %" PRId64 " rows of a table that ps:%d has, more than a message of %d MB holds: use a smaller --batch, "
                    "or more --servers",
                    count, server, TRI_KEYED_MOST >> 20);
}

/* Deals sorted keys out to the servers that have them. */
static tri_status deal(tri__worker *worker, int table, int which, int64_t count)
{
    const uint64_t *pair = worker->sort->pair;
    const uint64_t servers = (uint64_t)worker->layout.servers;
    const int64_t width = worker->layout.tables.table[table].width;
    int64_t each[TRI_MOST_SERVERS] = {0};
    tri__batch_rows *batch[TRI_MOST_SERVERS];
    for (int64_t i = 0; i < count; i++)
        each[(pair[i] >> 32) % servers]++;
    for (int i = 0; i < (int)servers; i++) {
        batch[i] = &tri__shard_at(worker, i, table)->batch[which];
        TRI_TRY(check_count(each[i], width, i));
        TRI_TRY(reserve_rows(batch[i], each[i], width));
    }
    for (int64_t i = 0; i < count; i++) {
        const uint64_t key = pair[i] >> 32;
        tri__batch_rows *to = batch[key % servers];
        to->list.rows[to->list.count] = (int32_t)(key / servers);
        to->position[to->list.count++] = (int32_t)(uint32_t)pair[i];
    }
    return NULL;
}

/* A pull that is to be sent, or sent again. after: the push that it waits for; 0: none. */
static void renew_pull(tri__worker_shard *shard, tri__batch_rows *batch, int64_t step, int64_t after)
{
    batch->stage = TRI_ROWS_TO_ASK;
    batch->step = step;
    batch->after = after;
    batch->number = ++shard->numbers;
    batch->asked_at = 0;
}

tri_status tri__table_client_expect(tri__worker *worker, int table, tri_when when, const int32_t *keys, int64_t count)
{
    const int which = worker->now ^ (when == TRI_NEXT);
    TRI_TRY(reserve_sort(worker->sort, count));
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        worker->sort->pair[i] = (uint64_t)(uint32_t)keys[i] << 32 | (uint32_t)i;
        most |= (uint32_t)keys[i];
    }
    sort_pairs(worker->sort, count, most);
    TRI_TRY(deal(worker, table, which, count));
    for (int i = 0; i < worker->layout.servers; i++) {
        tri__worker_shard *shard = tri__shard_at(worker, i, table);
        tri__batch_rows *batch = &shard->batch[which];
        tri__row_list_sign(&batch->list);
        renew_pull(shard, batch, worker->step.step + (when == TRI_NEXT), when == TRI_NEXT ? worker->serial : 0);
    }
    return NULL;
}

/* Rows that were pulled for the next step are this step's, if this is the step that was foreseen and the push that they wait for was made.
 * Otherwise they are pulled again. */
bool tri__table_client_begin(tri__worker *worker)
{
    const bool sync = worker->options.settings.mode == TRI_PS_SYNC;
    bool again = false;
    worker->now ^= 1;
    for (uint32_t i = 0; i < worker->chunks; i++) {
        tri__worker_chunk *chunk = &worker->chunk[i];
        tri__batch_rows *batch = chunk->shard ? tri__shard_now(worker, chunk->shard) : NULL;
        if (!batch || batch->stage == TRI_ROWS_NONE)
            continue;
        if (sync ? batch->step != worker->step.step : batch->after > chunk->serial) {
            renew_pull(chunk->shard, batch, worker->step.step, 0);
            again = true;
        }
    }
    return again;
}

void tri__table_client_refresh(tri__worker *worker)
{
    for (uint32_t i = 0; i < worker->chunks; i++)
        for (int k = 0; worker->chunk[i].shard && k < 2; k++) {
            tri__batch_rows *batch = &worker->chunk[i].shard->batch[k];
            if (batch->stage == TRI_ROWS_ASKED || batch->stage == TRI_ROWS_HERE)
                renew_pull(worker->chunk[i].shard, batch, batch->step, batch->after);
        }
}

bool tri__table_client_here(const tri__worker *worker, int table)
{
    for (int i = 0; i < worker->layout.servers; i++) {
        const tri__worker_chunk *chunk = &worker->chunk[tri__layout_table_chunk(&worker->layout, i, table)];
        if (chunk->stage != TRI_CHUNK_HERE || tri__shard_now(worker, chunk->shard)->stage != TRI_ROWS_HERE)
            return false;
    }
    return true;
}

/* If the step is void, rows may be missing: the plan gets zeros, and its gradients are not sent. */
void tri__table_client_give(tri__worker *worker, int table, float *out)
{
    const int64_t width = worker->layout.tables.table[table].width;
    for (int server = 0; server < worker->layout.servers; server++) {
        const tri__batch_rows *batch = tri__shard_now(worker, tri__shard_at(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++) {
            float *to = out + batch->position[i] * width;
            if (batch->stage == TRI_ROWS_HERE)
                memcpy(to, batch->values + i * width, (size_t)width * sizeof *to);
            else
                memset(to, 0, (size_t)width * sizeof *to);
        }
    }
}

void tri__table_client_at_once(tri__worker *worker, int table)
{
    for (int i = 0; i < worker->layout.servers; i++)
        tri__shard_now(worker, tri__shard_at(worker, i, table))->step = 0;
}

void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys)
{
    const tri_table *to = &worker->store.table[table];
    for (int server = 0; server < worker->layout.servers; server++) {
        const tri__batch_rows *batch = tri__shard_now(worker, tri__shard_at(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(to->data + keys[batch->position[i]] * to->stride, batch->values + i * to->width, (size_t)to->width * sizeof *to->data);
    }
}

/* ---- their gradients ---- */

/* How often the batch names the rows that are pushed to a server, as the plan has counted it. */
static tri_status take_sightings(const tri__worker *worker, tri__worker_shard *shard, const tri__batch_rows *batch)
{
    if (!worker->store.counts)
        return NULL;
    TRI_TRY(tri__reserve(&shard->sightings, &shard->sightings_room, batch->list.count + 1, sizeof *shard->sightings, "the keys of a push"));
    for (int64_t i = 0; i < batch->list.count; i++)
        shard->sightings[i] = worker->store.sightings ? worker->store.sightings[batch->position[i]] : 1;
    return NULL;
}

/* From here on the list belongs to the push; the next batch gets another one. */
tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_shard *shard = tri__shard_at(worker, server, table);
        tri__batch_rows *batch = tri__shard_now(worker, shard);
        TRI_TRY(tri__reserve(&shard->gradient, &shard->gradient_room, batch->list.count * shard->width, sizeof *shard->gradient,
                             "the gradient of rows"));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(shard->gradient + i * shard->width, gradient + batch->position[i] * shard->width,
                   (size_t)shard->width * sizeof *gradient);
        TRI_TRY(take_sightings(worker, shard, batch));
        const tri__row_list free_one = shard->pushed;
        shard->pushed = batch->list;
        shard->pushed_at = batch->asked_at;
        batch->list = free_one;
        batch->list.count = 0;
        batch->stage = TRI_ROWS_NONE;
    }
    return NULL;
}

double tri__table_client_squares(const tri__worker *worker, int table)
{
    double squares = 0;
    for (int server = 0; server < worker->layout.servers; server++) {
        const tri__worker_shard *shard = tri__shard_at(worker, server, table);
        squares += tri__sum_of_squares(shard->gradient, (size_t)(shard->pushed.count * shard->width));
    }
    return squares;
}

void tri__table_client_scale(tri__worker *worker, int table, float factor)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_shard *shard = tri__shard_at(worker, server, table);
        for (int64_t i = 0; i < shard->pushed.count * shard->width; i++)
            shard->gradient[i] *= factor;
    }
}
