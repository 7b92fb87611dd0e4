/* message.h: field numbers and constants of ONNX's protobuf messages, as far as we write and read them. The schema is onnx.proto of the
 * ONNX project. */
#ifndef TRI_GRAPH_ONNX_MESSAGE_H
#define TRI_GRAPH_ONNX_MESSAGE_H

enum { TRI_ONNX_IR = 8, TRI_ONNX_OPSET = 17 }; /* the versions that we write; the first with LayerNormalization */

enum { ONNX_MODEL_IR_VERSION = 1, ONNX_MODEL_PRODUCER = 2, ONNX_MODEL_GRAPH = 7, ONNX_MODEL_OPSET = 8, ONNX_MODEL_PROPERTY = 14 };
enum { ONNX_PROPERTY_KEY = 1, ONNX_PROPERTY_VALUE = 2 };
#define TRI_ONNX_LOSS    "trireme.loss"    /* the key of what the model was trained for: "mse_loss", "huber_loss(delta=2)" */
#define TRI_ONNX_COLUMNS "trireme.columns" /* the key of what the columns of a CSV table mean to the model, as in a checkpoint */
enum { ONNX_OPSET_DOMAIN = 1, ONNX_OPSET_VERSION = 2 };
enum { ONNX_GRAPH_NODE = 1, ONNX_GRAPH_NAME = 2, ONNX_GRAPH_INITIALIZER = 5, ONNX_GRAPH_INPUT = 11, ONNX_GRAPH_OUTPUT = 12 };
enum {
    ONNX_NODE_INPUT = 1,
    ONNX_NODE_OUTPUT = 2,
    ONNX_NODE_NAME = 3,
    ONNX_NODE_OPERATOR = 4,
    ONNX_NODE_ATTRIBUTE = 5,
    ONNX_NODE_DOMAIN = 7
};
enum {
    ONNX_ATTRIBUTE_NAME = 1,
    ONNX_ATTRIBUTE_F = 2,
    ONNX_ATTRIBUTE_I = 3,
    ONNX_ATTRIBUTE_S = 4,
    ONNX_ATTRIBUTE_T = 5,
    ONNX_ATTRIBUTE_INTS = 8,
    ONNX_ATTRIBUTE_TYPE = 20
};
enum { ONNX_TYPE_FLOAT = 1, ONNX_TYPE_INT = 2, ONNX_TYPE_STRING = 3, ONNX_TYPE_TENSOR = 4, ONNX_TYPE_INTS = 7 }; /* of an attribute */
enum {
    ONNX_TENSOR_DIMS = 1,
    ONNX_TENSOR_TYPE = 2,
    ONNX_TENSOR_FLOATS = 4,
    ONNX_TENSOR_INT64S = 7,
    ONNX_TENSOR_NAME = 8,
    ONNX_TENSOR_RAW = 9
};
enum { ONNX_ELEMENT_FLOAT = 1, ONNX_ELEMENT_UINT8 = 2, ONNX_ELEMENT_INT64 = 7 }; /* type of a tensor's elements */
enum {
    ONNX_VALUE_NAME = 1,
    ONNX_VALUE_TYPE = 2,
    ONNX_VALUE_TENSOR = 1 /* of its type */,
    ONNX_VALUE_ELEMENT = 1,
    ONNX_VALUE_SHAPE = 2 /* of that tensor */
};
enum { ONNX_SHAPE_DIM = 1, ONNX_DIM_VALUE = 1, ONNX_DIM_PARAMETER = 2 };

#endif
