/* tables.c: reads the tables of a graph, in the order of their numbers. */
#include "train/ps/tables.h"

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
