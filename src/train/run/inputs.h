/* inputs.h: what a run trains: its model, the examples to train and to test on, and the graph made from them. */
#ifndef TRI_TRAIN_RUN_INPUTS_H
#define TRI_TRAIN_RUN_INPUTS_H

#include "train/options/options.h"
#include "train/options/strategy.h"
#include "trireme/dataset.h"
#include "trireme/model.h"

typedef struct {
    tri_model *model;
    tri_source *source, *test; /* test: NULL where there is nothing to evaluate on */
    tri_graph *graph;
    float *class_weights; /* [classes of source]; NULL: examples weigh the same */
} tri__inputs;

/* Open the model to train. TRI_BAD_CALL where the strategy cannot train it with its places, or without any, or where an option does not go
 * with it. */
TRI_MUST_CHECK tri_status tri__inputs_open_model(const tri__train_options *options, const tri__strategy *strategy, tri_model **out);

/* The settings to train this model with. TRI_BAD_CALL where one of them does not go with it. */
TRI_MUST_CHECK tri_status tri__inputs_settle(const tri_model *model, const tri__train_options *options, tri__train_settings *out);

void tri__inputs_fini(tri__inputs *inputs);

struct tri__run;
TRI_MUST_CHECK tri_status tri__run_open_model(struct tri__run *run);    /* also merges the options with those of a resumed run */
TRI_MUST_CHECK tri_status tri__run_open_data(struct tri__run *run);     /* sources and graph */
TRI_MUST_CHECK tri_status tri__run_check_data(struct tri__run *run);    /* the same, without reading the examples to weigh classes */
TRI_MUST_CHECK tri_status tri__run_open_examples(struct tri__run *run); /* only the training examples; not a stream */
bool tri__run_reads_stream(const struct tri__run *run);                 /* its examples come from standard input */

#endif
