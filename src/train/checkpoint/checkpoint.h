/* checkpoint.h: a run on disk: one safetensors file that holds everything a run needs to go on.
 *
 * Tensors: each parameter under its own name, and each slot of the rule's state as "adam.0/NAME". Where the rule keeps averages, these have
 * the parameters' names, so that everybody who opens the file gets them, and training goes on from "raw/NAME".
 *
 * A table is [features][width]. Where the file has only some rows of a table, it is [rows][width], and "table/keys" holds the key of each
 * row: the keys that have a row, where tables grow, or those whose row is not 0. "table/waiting" and "table/sightings" are the keys that
 * were seen too rarely to have a row yet, and how often.
 *
 * Metadata: "model" is the model's text, "trireme" a JSON object with the state of the run, its options, the input and the class names, and
 * a checksum over all tensors. A file appears whole or not at all. The last few checkpoints are kept: if the newest is damaged, an older
 * one is there. */
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
    int64_t position;     /* position in the dataset */
    double seconds;       /* of training */
    double total_seconds; /* from the start of each process that trained to its end */
    double best_loss;     /* the lowest test loss so far; NaN before the first evaluation */
    int64_t without_gain; /* evaluations since the best loss */
    int64_t cuts;         /* how often --schedule plateau has cut the rate */
    double loss_sum;      /* Σ loss of all training examples, each before its own update */
    int64_t loss_count;   /* how many examples loss_sum has */
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
    const tri__standing *standing; /* a job with ps: which positions are outstanding; NULL elsewhere */
    bool nonzero_rows;             /* write only the rows of tables that are not 0 */
} tri__checkpoint_content;

/* Write one file. TRI_DIVERGED where a parameter is not a number; nothing is written then. */
TRI_MUST_CHECK tri_status tri__checkpoint_write(const char *path, const tri__checkpoint_content *content);

/* Write folder/step-NNNNNNNN.safetensors, then remove the oldest checkpoints until `keep` are left. path receives the file's name; free()
 * it. */
TRI_MUST_CHECK tri_status tri__checkpoint_save(const char *folder, const tri__checkpoint_content *content, int64_t keep, char **path);

/* Write folder/best.safetensors. It replaces an older file of that name. */
TRI_MUST_CHECK tri_status tri__checkpoint_save_best(const char *folder, const tri__checkpoint_content *content);

#endif
