/* model_build.h: makes a graph from statements. model_build.c also has tri_model_build. */
#ifndef TRI_GRAPH_MODEL_MODEL_BUILD_H
#define TRI_GRAPH_MODEL_MODEL_BUILD_H

#include "graph/model/model.h"

/* The graph of a graph file. Lines that no other line reads are its outputs. */
TRI_MUST_CHECK tri_status tri__model_build_graph(const tri_model *lines, tri_graph **out);

#endif
