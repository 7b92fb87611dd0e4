/* checkpoint.h: a run on disk: one safetensors file that holds all there is to know.
 *
 * Tensors: each parameter under its own name, and each slot of the rule's state as "adam.0/NAME". A table is [features][width]; or only
 * some of its rows are there, [rows][width], and "table/keys" says of which keys they are: those that have a row, where tables grow, or
 * those that are not 0. "table/waiting" and "table/sightings" are keys that grow a row when they are seen more often. Metadata: "model" is
 * the model's text, "trireme" a JSON object with the state of the run, its options, the input and the class names, and a checksum over all
 * tensors. A file appears whole or not at all. The last few are kept, so that an older one is there if the newest is damaged. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_H

#include "store/ps/protocol/tokens.h"
#include "train/checkpoint/recent.h"
#include "train/options/options.h"
#include "trireme/dataset.h"
#include "trireme/model.h"

/* Where a run stands. */
typedef struct {
    int64_t step, examples;
    int64_t position;     /* of the dataset */
    double seconds;       /* of training so far */
    double total_seconds; /* of the processes that trained, from their start */
    double best_loss;     /* the lowest test loss so far, NaN before the first */
    int64_t without_gain; /* evaluations since then */
    int64_t cuts;         /* of the rate, by --schedule plateau */
    double loss_sum;      /* Σ of the losses of all training examples, each before its own update … */
    int64_t loss_count;   /* … and how many there were */
    tri__recent recent;
} tri__run_state;

/* All that goes into a checkpoint, borrowed. */
typedef struct {
    const tri_model *model;
    const tri_graph *graph;
    tri_store *store;
    const tri_source_info *source;
    const tri__train_options *options;
    const tri__run_state *state;
    const int64_t *damaged; /* [damaged_count] training records that were found damaged */
    int64_t damaged_count;
    const tri__standing *standing; /* a job with ps: which positions are outstanding; NULL: none */
    bool nonzero_rows;             /* write only those rows of tables that are not 0 */
} tri__checkpoint_content;

/* Write one file. TRI_DIVERGED where a parameter is not a number; nothing is written then. */
TRI_MUST_CHECK tri_status tri__checkpoint_write(const char *path, const tri__checkpoint_content *content);

/* Write folder/step-NNNNNNNN.safetensors, then remove older ones so that keep are left. path receives its name; free() it. */
TRI_MUST_CHECK tri_status tri__checkpoint_save(const char *folder, const tri__checkpoint_content *content, int64_t keep, char **path);

/* Write folder/best.safetensors in place of the one before. */
TRI_MUST_CHECK tri_status tri__checkpoint_save_best(const char *folder, const tri__checkpoint_content *content);

#endif
