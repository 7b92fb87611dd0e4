/* initialise.h: the values a parameter starts with, or a random node gives. */
#ifndef TRI_GRAPH_INITIALISE_H
#define TRI_GRAPH_INITIALISE_H

#include "base/random.h"
#include "trireme/graph.h"

/* Fill out with the elements of the key's stream, as init says. value: see tri_attributes. Uses the calling thread's OpenMP team. */
void tri__initialise(tri_init init, float value, tri_shape shape, tri__key key, float *out);

#endif
