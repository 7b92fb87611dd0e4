/* tables.h: the tables of a model, as parameter servers know them. */
#ifndef TRI_TRAIN_PS_TABLES_H
#define TRI_TRAIN_PS_TABLES_H

#include "store/ps/protocol/layout.h"
#include "trireme/graph.h"

tri__table_shapes tri__graph_table_shapes(const tri_graph *graph);

#endif
