/* message.h: ONNX's protobuf messages, as far as models here need them: field numbers and the few constants, for what writes and reads
 * them. The schema is onnx.proto of the ONNX project. */
#ifndef TRI_GRAPH_ONNX_MESSAGE_H
#define TRI_GRAPH_ONNX_MESSAGE_H

enum { TRI_ONNX_IR = 8, TRI_ONNX_OPSET = 17 }; /* that are written; the first with LayerNormalization */

enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OPERATOR = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4, ATTRIBUTE_T = 5, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20 };
enum { TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_STRING = 3, TYPE_TENSOR = 4, TYPE_INTS = 7 }; /* of an attribute */
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_FLOATS = 4, TENSOR_INT64S = 7, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, ELEMENT_INT64 = 7 }; /* type of a tensor's elements */
enum { VALUE_NAME = 1, VALUE_TYPE = 2, VALUE_TENSOR = 1 /* of its type */, VALUE_ELEMENT = 1, VALUE_SHAPE = 2 /* of that tensor */ };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAMETER = 2 };

#endif
