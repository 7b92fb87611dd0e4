/* checkpoint.h: a run on disk: one safetensors file that holds all there is to know.
 *
 * Tensors: each parameter under its own name, and each slot of the rule's state as "adam.0/NAME". Metadata: "model" is the model's text,
 * "trireme" a JSON object with the state of the run, its options, the input and the class names, and a checksum over all tensors. A file
 * appears whole or not at all, and the last few are kept; so whatever happens to the newest, an older one is there. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_H

#include "base/log.h"
#include "store/ps/protocol/tokens.h"
#include "tensor/safetensors.h"
#include "train/options/options.h"
#include "trireme/dataset.h"
#include "trireme/model.h"

#define TRI_RECENT 100

/* The last training losses, oldest overwritten first. */
typedef struct {
    double loss[TRI_RECENT];
    int64_t count; /* losses ever put in */
} tri__recent;

void tri__recent_add(tri__recent *recent, double loss);
double tri__recent_mean(const tri__recent *recent); /* NaN where there is none */

/* Where a run stands. */
typedef struct {
    int64_t step, examples;
    int64_t position;     /* of the dataset */
    double seconds;       /* of training so far */
    double best_loss;     /* the lowest test loss so far, NaN before the first */
    int64_t without_gain; /* evaluations since then */
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
    const tri__standing *standing; /* of a job whose workers go each at its own pace: what is outstanding; NULL: nothing */
} tri__checkpoint_content;

/* Write one file. TRI_DIVERGED, and nothing written, where a parameter is not a number. */
TRI_MUST_CHECK tri_status tri__checkpoint_write(const char *path, const tri__checkpoint_content *content);

/* Write folder/step-NNNNNNNN.safetensors, then remove older ones so that keep are left. path receives its name; free() it. */
TRI_MUST_CHECK tri_status tri__checkpoint_save(const char *folder, const tri__checkpoint_content *content, int64_t keep, char **path);

/* Write folder/best.safetensors in place of the one before. */
TRI_MUST_CHECK tri_status tri__checkpoint_save_best(const char *folder, const tri__checkpoint_content *content);

typedef struct {
    char *path;
    tri__safetensors *file;
    json_t *about; /* the parsed metadata; class names are borrowed from it */
    const char *model_name, *model_text, *digest, *rule;
    tri_model_input input;
    tri_numbering numbering;  /* of the training examples, where they were LIBSVM text */
    const char **class_names; /* input.classes entries, or NULL */
    tri__train_options options;
    tri__run_state state;
    int64_t *damaged; /* [damaged_count] training records that the run found damaged */
    int64_t damaged_count;
} tri__checkpoint;

/* Open a checkpoint file, or the newest whole one of a run folder or of its checkpoint folder;
 * newer ones that are damaged are told to log. */
TRI_MUST_CHECK tri_status tri__checkpoint_open(const char *path, tri__log *log, tri__checkpoint **out);
void tri__checkpoint_close(tri__checkpoint *checkpoint); /* accepts NULL */

/* The options of a run: those given now and, where resume is a path, those that the run there was made with. out is initialised. */
TRI_MUST_CHECK tri_status tri__checkpoint_merge_options(const char *resume, const tri__train_options *given, tri__train_options *out);

/* The step of the newest one in a folder of checkpoints, by its name alone; −1 where there is none. */
int64_t tri__checkpoint_newest(const char *folder);

/* Copy the parameters, and the rule's state where asked, into store. graph says which and where. */
TRI_MUST_CHECK tri_status tri__checkpoint_restore(const tri__checkpoint *checkpoint, const tri_graph *graph, tri_store *store,
                                                  bool with_rule);

/* Parameters by name from path: a run, a checkpoint, or anybody's safetensors file. */
TRI_MUST_CHECK tri_status tri__checkpoint_initialise(const char *path, tri__log *log, const tri_graph *graph, tri_store *store);

#endif
