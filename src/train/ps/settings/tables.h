/* tables.h: the tables of a model, as parameter servers know them. */
#ifndef TRI_TRAIN_PS_SETTINGS_TABLES_H
#define TRI_TRAIN_PS_SETTINGS_TABLES_H

#include "store/ps/protocol/layout.h"
#include "train/options/options.h"
#include "trireme/graph.h"

tri__table_shapes tri__graph_table_shapes(const tri_graph *graph);

/* The same, and how they grow where they are to. Servers share --table-memory equally; without it, half of what the machine has, since a
 * server that is started again must have as much room as the one before. TRI_NO_MEMORY where not one row fits. */
TRI_MUST_CHECK tri_status tri__graph_growing_table_shapes(const tri_graph *graph, const tri__train_settings *settings, int servers,
                                                          tri__table_shapes *out);

#endif
