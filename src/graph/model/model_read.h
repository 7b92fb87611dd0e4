/* model_read.h: turns the text of a model into statements. */
#ifndef TRI_GRAPH_MODEL_MODEL_READ_H
#define TRI_GRAPH_MODEL_MODEL_READ_H

#include "graph/model/model.h"

/* model has file, name and text. */
TRI_MUST_CHECK tri_status tri__model_read(tri_model *model, size_t length);

#endif
