/* model.h: models as text. One `name = operator(inputs, key=value, …)` a line; docs/models.md is the reference.
 *
 * A model is parsed once. Then any thread may build graphs of it, for an input shape and a number of classes, often those of a source. */
#ifndef TRIREME_MODEL_H
#define TRIREME_MODEL_H

#include "trireme/dataset.h"
#include "trireme/graph.h"
#include "trireme/store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_model tri_model;

/* What a `train(…)` line of the file asks for; 0 where it says nothing. */
typedef struct {
    float rate;
    tri_rule rule; /* name NULL where it is not said; no clip; average 0 where it is not said */
    int64_t batch;
    int64_t epochs;
} tri_model_defaults;

typedef struct {
    tri_type type;   /* of the source's elements */
    tri_shape shape; /* of one example, height × width × channels or features; rank 0: the file must say */
    int64_t classes; /* 0: the file must say */
    int64_t outputs; /* where labels are numbers or sets: how many numbers a label has; 0: the file must say */
} tri_model_input;

/* The input that a source's examples are for a model. */
tri_model_input tri_model_input_of(const tri_source_info *source);

/* file is named in messages: "my.model:3:14: expected ')' …". */
TRI_MUST_CHECK tri_status tri_model_parse(const char *file, const char *text, size_t length, tri_model **out);

/* A built-in name ("lenet") or the path of a file; TRI_NOT_FOUND where there is neither, TRI_BAD_DATA where the text has a mistake. */
TRI_MUST_CHECK tri_status tri_model_open(const char *name, tri_model **out);
void tri_model_destroy(tri_model *model); /* accepts NULL */

const char *tri_model_name(const tri_model *model); /* "lenet", "my"; lives as long as model, as do the other texts and defaults */
const char *tri_model_text(const tri_model *model); /* as it was read */

/* The same model with every name, input and key written out: files that mean the same have the same canonical text. */
const char *tri_model_canonical(const tri_model *model);
const tri_model_defaults *tri_model_default(const tri_model *model);

/* The shape of one example that the file asks for, so that photos can be brought to it; of rank 0 where it is left to the data. */
tri_shape tri_model_input_shape(const tri_model *model);

/* Whether the model takes sparse examples: then some or all of its parameters are tables. */
bool tri_model_is_sparse(const tri_model *model);

/* What the model's examples must be labelled with, as its loss says. */
tri_label_kind tri_model_labels(const tri_model *model);

/* How many classes the model has; and how many features one example may have, for a model that puts them side by side. 0: the data decides.
 * With these in tri_source_options, a source reports an example that the model cannot take when it reads it. */
int64_t tri_model_classes(const tri_model *model);
int64_t tri_model_fields(const tri_model *model);

/* The graph ends in the outputs "logits" and "loss". Its inputs are "x" (of a sparse model "keys" and "values"), "labels" or
 * "targets", and "weights". */
TRI_MUST_CHECK tri_status tri_model_build(const tri_model *model, const tri_model_input *input, int64_t batch, tri_graph **out);

/* A graph file: lines as in a model, with places, and without a loss. Its inputs are variables, to be fed into the store; lines that no
 * other line reads are its outputs. docs/graphs.md is the reference. file is named in messages. */
TRI_MUST_CHECK tri_status tri_graph_parse(const char *file, const char *text, size_t length, tri_graph **out);
TRI_MUST_CHECK tri_status tri_graph_open(const char *path, tri_graph **out);

/* A table for people: one row a layer with its output and parameters, and their total. graph: as tri_model_build gave it. free() it. */
TRI_MUST_CHECK tri_status tri_model_describe(const tri_model *model, const tri_graph *graph, char **out);

/* SHA-256 in hexadecimal over the canonical text and all shapes. The batch and the train line have no part in it. */
TRI_MUST_CHECK tri_status tri_model_digest(const tri_model *model, const tri_graph *graph, char out[65]);

/* The name of a built-in model, by number from 0; NULL past the last. */
const char *tri_model_builtin(int index);

/* Write initial values into the flat buffer, keyed by (seed, parameter name, element). */
void tri_graph_initialise(const tri_graph *graph, uint64_t seed, float *parameters);

/* Add every table of the graph to the store, which has none yet. tri_graph_initialise_tables then gives them their initial values. */
TRI_MUST_CHECK tri_status tri_graph_add_tables(const tri_graph *graph, tri_store *store);

/* The same, but the tables grow: a key gets its row when it is seen in training for the min_count-th time, as long as all rows, with the
 * rule's state and the index that finds them, take no more than `bytes` bytes. A row has the same initial values as in a table that does
 * not grow. For stores of kind local. */
TRI_MUST_CHECK tri_status tri_graph_add_growing_tables(const tri_graph *graph, int64_t min_count, int64_t bytes, tri_store *store);
TRI_MUST_CHECK tri_status tri_graph_initialise_tables(const tri_graph *graph, uint64_t seed, tri_store *store);

#ifdef __cplusplus
}
#endif
#endif
