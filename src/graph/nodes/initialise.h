/* initialise.h: the values a parameter starts with, or a random node gives. */
#ifndef TRI_GRAPH_NODES_INITIALISE_H
#define TRI_GRAPH_NODES_INITIALISE_H

#include "base/bytes/random.h"
#include "graph/store/key_map.h"
#include "trireme/graph.h"
#include "trireme/store.h"

/* Fill out with the elements of the key's stream, as init says. value: see tri_attributes. Uses the calling thread's OpenMP team. */
/* Elements first … first + count − 1 of a stream of its own: uniform in ± value, or normal with that deviation, or the value itself. */
void tri__initialise_part(tri_init init, float value, tri__key key, int64_t first, int64_t count, float *out);

void tri__initialise(tri_init init, float value, tri_shape shape, tri__key key, float *out);

/* The initial values of a parameter in the flat buffer; other nodes have none. */
void tri__initialise_parameter(const tri_node *node, uint64_t seed, float *parameters);

/* tri_graph_initialise, of the parameters on this task alone: the memory of the others is not touched, and so not taken. */
void tri__graph_initialise_task(const tri_graph *graph, int task, uint64_t seed, float *parameters);

/* tri_graph_add_growing_tables, with no more than so many rows. */
TRI_MUST_CHECK tri_status tri__graph_add_growing_tables(const tri_graph *graph, int64_t most, int64_t min_count, int64_t bytes,
                                                        tri_store *store);

int64_t tri__graph_row_bytes(const tri_graph *graph, const tri_rule *rule); /* that a key takes in all tables; 0: there are none */
tri__initial_row tri__graph_initial_row(const tri_node *table, uint64_t seed);

/* The tables that `first` has, for a store that shares them with it. Where they grow, first's map, too, which stays first's. */
TRI_MUST_CHECK tri_status tri__graph_add_shared_tables(const tri_graph *graph, const tri_store *first, tri_store *store);

#endif
