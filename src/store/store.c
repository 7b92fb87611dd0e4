/* store.c: the buffers that every kind of store has. */
#include "store/store.h"

#include "base/memory/memory.h"
#include "graph/rule/rule.h"
#include "graph/store/key_map.h"
#include "store/table.h"

static tri_status allocate(tri_store *store)
{
    size_t bytes;
    if (!tri__size_multiply(store->floats, sizeof(float), &bytes))
        return tri_fail(TRI_BAD_CALL, "a store of %zu parameters is larger than memory can be", store->floats);
    TRI_TRY(tri__buffer_allocate(bytes, "the parameters", &store->parameters));
    TRI_TRY(tri__buffer_allocate(bytes, "the gradient", &store->gradient));
    for (int i = 0; i < tri_rule_slots(&store->rule); i++)
        TRI_TRY(tri__buffer_allocate(bytes, "the state of the update rule", &store->slot[i]));
    return NULL;
}

tri_status tri__store_init(tri_store *store, const tri__store_kind *kind, size_t floats, const tri_rule *rule)
{
    store->kind = kind;
    store->floats = floats;
    store->rule = *rule;
    TRI_TRY(tri__rule_complete(&store->rule));
    tri_status status = allocate(store);
    if (status)
        tri__store_fini(store);
    return status;
}

void tri__store_fini(tri_store *store)
{
    tri__buffer_free(store->parameters);
    tri__buffer_free(store->gradient);
    for (int i = 0; i < TRI_RULE_SLOTS; i++)
        tri__buffer_free(store->slot[i]);
    for (int i = 0; i < store->tables; i++)
        tri__table_fini(&store->table[i]);
    tri__key_map_destroy(store->map);
}

tri_status tri__store_add_table(tri_store *store, int64_t rows, int64_t width)
{
    return tri__table_init(&store->table[store->tables], rows, width, tri_rule_slots(&store->rule));
}
