/* saving.h: the checkpoints of a run. */
#ifndef TRI_TRAIN_RUN_SAVING_H
#define TRI_TRAIN_RUN_SAVING_H

#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_writer.h"

typedef struct {
    char *path;                     /* the last checkpoint written; at first the one resumed from; or NULL */
    int64_t at;                     /* its step; −1: none yet */
    tri__checkpoint_writer *writer; /* writes checkpoints in a thread; NULL: they are written between two steps, or none was written yet */
    int64_t next;                   /* when the next checkpoint is due, if --checkpoint-every is a time */
} tri__saving;

void tri__saving_keep(tri__saving *saving, char *path, int64_t step); /* path is taken */
void tri__saving_fini(tri__saving *saving);

struct tri__run;

/* The content of a checkpoint of the run, without what only some runs have. Everything is borrowed. */
tri__checkpoint_content tri__run_content(const struct tri__run *run, tri_store *store, const tri_source_info *source,
                                         const tri__run_state *state);

/* A checkpoint that cannot be written is logged, and training continues. Parameters that are not numbers end the run. */
bool tri__run_save_due(struct tri__run *run); /* the worker that leads asks once in each step */
TRI_MUST_CHECK tri_status tri__run_save(struct tri__run *run);
TRI_MUST_CHECK tri_status tri__run_save_best(struct tri__run *run);

/* At the end of a run. collect: wait for the checkpoint that another thread writes, if there is one. */
void tri__run_collect_checkpoint(struct tri__run *run);
TRI_MUST_CHECK tri_status tri__run_save_last(struct tri__run *run); /* does nothing where the last step has one; must succeed */

/* TRI_DIVERGED: what happened, what to try, and which checkpoint is the last good one. */
TRI_MUST_CHECK tri_status tri__run_diverged(const struct tri__run *run, const char *what);
/* The same for a worker that writes no checkpoints; step: of the job. */
TRI_MUST_CHECK tri_status tri__run_worker_diverged(const struct tri__run *run, int64_t step, const char *what);

#endif
