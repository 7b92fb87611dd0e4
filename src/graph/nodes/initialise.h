/* initialise.h: the initial values of parameters, and the values of random nodes. */
#ifndef TRI_GRAPH_NODES_INITIALISE_H
#define TRI_GRAPH_NODES_INITIALISE_H

#include "base/bytes/random.h"
#include "graph/store/key_map.h"
#include "trireme/graph.h"
#include "trireme/store.h"

/* Fill out with elements first … first + count − 1 of the key's stream: uniform in ± value, or normal with that deviation, or the value
 * itself. */
void tri__initialise_part(tri_init init, float value, tri__key key, int64_t first, int64_t count, float *out);

/* Fill out with the elements of the key's stream, as init says. value: see tri_attributes. Uses the calling thread's OpenMP team. */
void tri__initialise(tri_init init, float value, tri_shape shape, tri__key key, float *out);

/* tri_graph_initialise for the parameters of this task only. Memory of the others is not touched, so the system does not provide it. */
void tri__graph_initialise_task(const tri_graph *graph, int task, uint64_t seed, float *parameters);

/* tri_graph_add_growing_tables, with no more than `most` rows. */
TRI_MUST_CHECK tri_status tri__graph_add_growing_tables(const tri_graph *graph, int64_t most, int64_t min_count, int64_t bytes,
                                                        tri_store *store);

int64_t tri__graph_row_bytes(const tri_graph *graph, const tri_rule *rule); /* of one key, in all tables; 0: there are no tables */
tri__initial_row tri__graph_initial_row(const tri_node *table, uint64_t seed);

/* Add the tables of the graph to a store that shares them with `first`. Where they grow, the store uses first's map, which `first` still
 * owns. */
TRI_MUST_CHECK tri_status tri__graph_add_shared_tables(const tri_graph *graph, const tri_store *first, tri_store *store);

#endif
