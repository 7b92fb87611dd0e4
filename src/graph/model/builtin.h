/* builtin.h: the models inside the binary: the files of models/, turned into C by cmake/builtin_texts.cmake. */
#ifndef TRI_GRAPH_MODEL_BUILTIN_H
#define TRI_GRAPH_MODEL_BUILTIN_H

typedef struct {
    const char *name; /* "lenet" */
    const char *text; /* the whole file */
} tri__builtin_model;

extern const tri__builtin_model tri__builtin_models[]; /* by name, ending in a row of NULLs */
extern const char tri__builtin_model_names[];          /* "alexnet lenet …", for the completion of command lines */

#endif
