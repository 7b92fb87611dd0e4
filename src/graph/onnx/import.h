/* import.h: turns an ONNX model of another program into the text of a .model file, and the values of its parameters.
 *
 * The model must have one input, [N][channels][height][width] or [N][features] of floats, or what `trireme export` writes, and be made of
 * operators that we have. The loss is what the caller says; or what the file says, if `trireme export` wrote it; or what its last node
 * says. Its first output is taken as the logits. A softmax at the end becomes a part of softmax_loss, and a sigmoid a part of logistic_loss
 * or sigmoid_loss; under another loss, they are layers. */
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
    const char *columns; /* of the CSV table that the model learnt from; NULL: none, or the caller's loss takes other labels */
    tri__imported_tensor *tensor;
    int64_t tensors, room;
} tri__imported;

/* loss: the operator that the model ends in, such as "mse_loss"; NULL: the file says it, and TRI_BAD_CALL where it does not and has one
 * output. Everything lives in the arena except the list of tensors, which tri__imported_fini frees. TRI_UNSUPPORTED names the node whose
 * operator we do not have; TRI_BAD_DATA says what is wrong with the file. */
TRI_MUST_CHECK tri_status tri__onnx_import(const uint8_t *data, size_t size, const char *loss, tri__arena *arena, tri__imported *out);
void tri__imported_fini(tri__imported *imported);

#endif
