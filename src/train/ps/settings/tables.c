/* tables.c: reads the tables of a graph, in the order of their numbers. */
#include "train/ps/settings/tables.h"

#include "base/memory/memory.h"
#include "graph/nodes/initialise.h"

tri__table_shapes tri__graph_table_shapes(const tri_graph *graph)
{
    tri__table_shapes tables = {0};
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const int table = tri_node_table(node);
        if (table < 0 || table >= TRI_LAYOUT_TABLES)
            continue;
        tables.table[table] = (tri__table_shape){tri_node_shape(node).dim[0], tri_node_shape(node).dim[1]};
        tables.count = table >= tables.count ? table + 1 : tables.count;
    }
    return tables;
}

tri_status tri__graph_growing_table_shapes(const tri_graph *graph, const tri__train_settings *settings, const tri__ps_settings *ps,
                                           tri__table_shapes *out)
{
    const int servers = ps->servers, copies = ps->replicas == 2 ? 2 : 1;
    const int64_t bytes = settings->table_bytes ? settings->table_bytes : tri__memory_of_machine() / 2 / copies;
    *out = tri__graph_table_shapes(graph);
    if (!settings->min_count || out->count == 0)
        return NULL;
    const int64_t keys = (out->table[0].rows + servers - 1) / servers;
    out->growth.min_count = settings->min_count;
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0)
            out->growth.initial[tri_node_table(node)] = tri__graph_initial_row(node, settings->seed);
    }
    return tri__key_map_fit(keys, tri__graph_row_bytes(graph, &settings->rule), bytes / servers, &out->growth.most);
}

void tri__tables_hold_few_rows(const tri__train_settings *settings, tri_store *store)
{
    for (int i = 0; settings->min_count && i < tri_store_tables(store); i++)
        tri__buffer_use_sparsely(tri_store_table(store, i)->data);
}
