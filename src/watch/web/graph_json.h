/* graph_json.h: the graph of a model, from the GraphDef of an event file, as JSON. */
#ifndef TRI_WATCH_WEB_GRAPH_JSON_H
#define TRI_WATCH_WEB_GRAPH_JSON_H

#include "base/file/json.h"
#include "watch/report/event_reader.h"

/* [{"name", "operator", "inputs": […], "place", "shape": […]}], in the order of the graph. Damaged bytes end the list early. If there are
 * more nodes than a page can show, the rest are left out, and the last entry is {"left_out": N}. NULL if memory is short; an empty graph
 * gives an empty list. */
json_t *tri__graph_json(tri__span graph_def);

#endif
