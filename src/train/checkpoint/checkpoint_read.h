/* checkpoint_read.h: opens checkpoints. Everything in a file is checked before it is used. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_READ_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_READ_H

#include "base/report/log.h"
#include "tensor/safetensors.h"
#include "train/checkpoint/checkpoint.h"

typedef struct {
    char *path;
    tri__safetensors *file;
    json_t *about; /* the parsed metadata; the strings below are borrowed from it */
    const char *model_name, *model_text, *digest, *rule;
    tri_model_input input;
    tri_numbering numbering;  /* of features and classes in the training examples, where these were LIBSVM text or click records */
    const char *features_by;  /* how features of the training examples got their numbers; NULL: not known */
    const char *columns;      /* the columns of a CSV table (tri_source_info); NULL elsewhere */
    const char **class_names; /* input.classes entries, or NULL */
    tri__train_options options;
    tri__run_state state;
    int64_t *damaged; /* [damaged_count] training records that the run found damaged */
    int64_t damaged_count;
} tri__checkpoint;

/* Open a checkpoint file, or the newest undamaged checkpoint of a run folder or of its checkpoint folder. The log says which newer
 * checkpoints are damaged. */
TRI_MUST_CHECK tri_status tri__checkpoint_open(const char *path, tri__log *log, tri__checkpoint **out);
void tri__checkpoint_close(tri__checkpoint *checkpoint); /* accepts NULL */

/* The options of a run: those in `given` and, where resume is a path, those of the run in that folder. Initialises out. */
TRI_MUST_CHECK tri_status tri__checkpoint_merge_options(const char *resume, const tri__train_options *given, tri__train_options *out);

/* The step of the newest checkpoint in a folder, by its file name alone; −1 where there is none. */
int64_t tri__checkpoint_newest(const char *folder);

#endif
