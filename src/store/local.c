/* local.c: the store of a run in one process. An offer is applied at once.
 *
 * Clipping needs the norm of the whole gradient. So with clipping, offers are only noted, and applied together when every float and every
 * table has been offered. A plan need not offer all (parameters that the loss does not reach, gaps of alignment): then the next begin or
 * flush applies them. If other tasks have parts of the gradient (local.h), always the next begin or flush applies them. */
#include "store/local.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/rule/rule.h"
#include "store/norm.h"
#include "store/store.h"
#include "store/table_rows.h"

typedef struct {
    tri_range range;
    double weight;
} noted_offer;

/* What the step reads and writes of a table. */
typedef struct {
    tri__table_keys keys; /* expected; borrowed */
    tri__table_keys next; /* of the next step, if they are known */
    const float *offered; /* with clipping only: offered and not applied yet; borrowed. NULL: nothing */
    double weight;
    tri__table_rows rows;
} table_step;

typedef struct {
    tri_store store;
    tri_step step;
    noted_offer *noted; /* with clipping only: the step's offers so far. It grows in the first step and is kept */
    int64_t count, room;
    size_t floats; /* how many floats these offers have */
    table_step table[TRI_STORE_TABLES];
    int tables; /* with clipping only: how many tables were offered */
    tri__norm_sharing sharing;
    bool shares_norm; /* the present step's squares are still to be shared */
} local_store;

static void apply(local_store *local, tri_range range, const float *gradient, double weight, double clipping)
{
    tri_store *store = &local->store;
    if (weight == 0)
        return; /* a batch of padding alone teaches nothing */
    tri__update update = tri__update_of(store->parameters, store->slot, range, gradient, clipping / weight, local->step);
    tri__update_mark_state(&update, &store->rule, range);
    tri__rule_apply(&store->rule, &update);
}

static tri_status apply_rows(local_store *local, int table, const float *offered, double weight, double clipping)
{
    table_step *step = &local->table[table];
    if (weight == 0)
        return NULL;
    return tri__table_rows_apply(&step->rows, &local->store, table, step->keys, offered, (float)(clipping / weight), &local->step);
}

/* ‖Σ gradient / Σ weight‖² of the table rows that were offered */
static double table_squares(const local_store *local)
{
    double squares = 0;
    for (int i = 0; i < local->store.tables; i++) {
        const table_step *step = &local->table[i];
        if (step->offered && step->weight > 0)
            squares += tri__table_rows_squares(&local->store, i, step->offered, step->keys.count) / (step->weight * step->weight);
    }
    return squares;
}

/* ‖Σ gradient / Σ weight‖² over all that was offered */
static double mean_squares(const local_store *local)
{
    double squares = table_squares(local);
    for (int64_t i = 0; i < local->count; i++) {
        const noted_offer *offer = &local->noted[i];
        if (offer->weight > 0)
            squares += tri__trained_squares(&local->store.rule, offer->range, local->store.gradient + offer->range.first) /
                       (offer->weight * offer->weight);
    }
    return squares;
}

static tri_status apply_noted(local_store *local)
{
    tri_status status = NULL;
    if (local->count == 0 && local->tables == 0 && !local->shares_norm)
        return NULL;
    double squares = mean_squares(local);
    if (local->shares_norm)
        TRI_TRY(local->sharing.add(local->sharing.context, &squares));
    local->shares_norm = false;
    double norm = sqrt(squares), clip = local->store.rule.clip;
    double clipping = norm > clip ? clip / norm : 1;
    for (int64_t i = 0; i < local->count; i++) {
        const noted_offer *offer = &local->noted[i];
        float *gradient = local->store.gradient + offer->range.first;
        tri__rule_spare_state(&local->store.rule, offer->range, gradient, clipping);
        apply(local, offer->range, gradient, offer->weight, clipping);
    }
    for (int i = 0; i < local->store.tables; i++) {
        if (local->table[i].offered && !status)
            status = apply_rows(local, i, local->table[i].offered, local->table[i].weight, clipping);
        local->table[i].offered = NULL;
    }
    local->count = 0;
    local->floats = 0;
    local->tables = 0;
    return status;
}

/* Applies the offers if every float and every table has been offered. */
static tri_status apply_when_whole(local_store *local)
{
    const bool whole = local->floats >= local->store.floats && local->tables == local->store.tables;
    return whole && !local->shares_norm ? apply_noted(local) : NULL;
}

static tri_status note(local_store *local, noted_offer offer)
{
    TRI_TRY(tri__grow(&local->noted, &local->room, local->count + 1, sizeof *local->noted, "the ranges that a step offers"));
    local->noted[local->count++] = offer;
    local->floats += offer.range.count;
    return NULL;
}

static tri_status local_begin(tri_store *store, const tri_step *step)
{
    local_store *local = (local_store *)store;
    TRI_TRY(apply_noted(local));
    local->step = *step;
    local->shares_norm = local->sharing.add != NULL;
    for (int i = 0; i < store->tables; i++)
        local->table[i].keys = local->table[i].next;
    return NULL;
}

static tri_status local_await(tri_store *store, tri_range range)
{
    (void)store;
    (void)range;
    return NULL;
}

/* With clipping the store keeps its gradient buffer, so noted offers need no copy. */
static tri_status local_offer(tri_store *store, tri_range range, const float *gradient, double weight)
{
    local_store *local = (local_store *)store;
    if (store->rule.clip == 0) {
        apply(local, range, gradient, weight, 1);
        return NULL;
    }
    TRI_TRY(note(local, (noted_offer){range, weight}));
    return apply_when_whole(local);
}

static tri_status local_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    table_step *step = &((local_store *)store)->table[table];
    *(when == TRI_NOW ? &step->keys : &step->next) = (tri__table_keys){keys, count};
    return NULL;
}

static tri_status local_await_rows(tri_store *store, int table, float *rows)
{
    table_step *step = &((local_store *)store)->table[table];
    return tri__table_rows_gather(&step->rows, store, table, step->keys, rows);
}

static tri_status local_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    local_store *local = (local_store *)store;
    table_step *step = &local->table[table];
    const float *offered;
    TRI_TRY(tri__table_rows_offer(&step->rows, store, table, step->keys, gradient, &offered));
    if (store->rule.clip == 0)
        return apply_rows(local, table, offered, weight, 1);
    local->tables += !step->offered;
    step->offered = offered;
    step->weight = weight;
    return apply_when_whole(local);
}

static tri_status local_flush(tri_store *store)
{
    return apply_noted((local_store *)store);
}

static void local_destroy(tri_store *store)
{
    local_store *local = (local_store *)store;
    for (int i = 0; i < TRI_STORE_TABLES; i++)
        tri__table_rows_fini(&local->table[i].rows);
    tri__store_fini(store);
    free(local->noted);
    free(local);
}

static const tri__store_kind local_kind = {
    .name = "local",
    .begin = local_begin,
    .await = local_await,
    .offer = local_offer,
    .flush = local_flush,
    .add_table = tri__store_add_table,
    .expect = local_expect,
    .await_rows = local_await_rows,
    .offer_rows = local_offer_rows,
    .destroy = local_destroy,
};

tri_status tri_store_local_create(size_t floats, const tri_rule *rule, tri_store **out)
{
    local_store *local;
    TRI_TRY(tri__allocate(1, sizeof *local, "a store", &local));
    tri_status status = tri__store_init(&local->store, &local_kind, floats, rule);
    if (status) {
        free(local);
        return status;
    }
    local->store.droppable = local->store.rule.clip == 0;
    local->store.immediate = true;
    *out = &local->store;
    return NULL;
}

void tri__store_local_share_norm(tri_store *store, tri__norm_sharing sharing)
{
    assert(store->kind == &local_kind && store->rule.clip > 0);
    ((local_store *)store)->sharing = sharing;
}
