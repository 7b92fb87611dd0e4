/* inputs.h: what a run trains: its model, the examples to train and to test on, and the graph that these give. */
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

/* The model to train, if the strategy can train it with its places, or without any, and with these options. */
TRI_MUST_CHECK tri_status tri__inputs_open_model(const tri__train_options *options, const tri__strategy *strategy, tri_model **out);

/* How the training examples are opened. shape: of an example, where it is known; photos are brought to that size. */
tri_source_options tri__inputs_source_options(const tri_model *model, tri_shape shape, const tri__train_settings *settings,
                                              const char *cache_folder);

/* TRI_BAD_CALL where --grey was given, but there are no photos, or the model says that it takes other channels. */
TRI_MUST_CHECK tri_status tri__inputs_check_grey(const tri_model *model, const tri__train_settings *settings, const tri_source_info *info);

void tri__inputs_fini(tri__inputs *inputs);

struct tri__run;
TRI_MUST_CHECK tri_status tri__run_open_model(struct tri__run *run);    /* and the options, merged with those of a resumed run */
TRI_MUST_CHECK tri_status tri__run_open_data(struct tri__run *run);     /* sources and graph */
TRI_MUST_CHECK tri_status tri__run_open_examples(struct tri__run *run); /* the training examples alone, no stream */
bool tri__run_reads_stream(const struct tri__run *run);                 /* its examples come from standard input */

#endif
