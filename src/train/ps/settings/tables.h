/* tables.h: the tables of a model, as parameter servers know them. */
#ifndef TRI_TRAIN_PS_SETTINGS_TABLES_H
#define TRI_TRAIN_PS_SETTINGS_TABLES_H

#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "train/options/options.h"
#include "trireme/graph.h"

tri__table_shapes tri__graph_table_shapes(const tri_graph *graph);

/* The same, and how tables grow, with --min-count or --table-memory. Servers share --table-memory equally. Without --table-memory they
 * share half of the machine's memory, with their standbys (--replicas 2); not of its free memory, because a restarted server must have as
 * much room as before. TRI_NO_MEMORY where not one row fits. */
TRI_MUST_CHECK tri_status tri__graph_growing_table_shapes(const tri_graph *graph, const tri__train_settings *settings,
                                                          const tri__ps_settings *ps, tri__table_shapes *out);

/* Where tables grow, there may be billions of keys, and tasks that evaluate have room for all of them. The test examples name few. Call it
 * before their rows are fetched. */
void tri__tables_hold_few_rows(const tri__train_settings *settings, tri_store *store);

#endif
