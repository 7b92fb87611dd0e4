/* import.h: somebody else's ONNX model as a model here: the text of a .model file, and the values of its parameters.
 *
 * The model must have one input, [N][channels][height][width] or [N][features] of floats, or what `trireme export` writes, and be made of
 * operators that there are here. Its first output is taken for the logits; a softmax or sigmoid at the end is the loss's. */
#ifndef TRI_GRAPH_ONNX_IMPORT_H
#define TRI_GRAPH_ONNX_IMPORT_H

#include "base/memory/arena.h"
#include "trireme/model.h"

typedef struct {
    const char *name; /* as the model calls the parameter */
    tri_shape shape;
    const float *data;
} tri__imported_tensor;

typedef struct {
    const char *text; /* of the .model file */
    tri_model_input input;
    tri__imported_tensor *tensor;
    int64_t tensors, room;
} tri__imported;

/* Everything lives in the arena but the list of tensors: tri__imported_fini. TRI_UNSUPPORTED names the node and operator that there is none
 * for here; TRI_BAD_DATA says what is wrong with the file. */
TRI_MUST_CHECK tri_status tri__onnx_import(const uint8_t *data, size_t size, tri__arena *arena, tri__imported *out);
void tri__imported_fini(tri__imported *imported);

#endif
