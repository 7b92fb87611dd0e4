/* journal.h: what a run reports while it runs: log lines, curves, progress. They go to its folder and to the user. */
#ifndef TRI_TRAIN_RUN_JOURNAL_H
#define TRI_TRAIN_RUN_JOURNAL_H

#include "train/run/folder.h"
#include "train/run/log_file.h"
#include "trireme/dataset.h"
#include "watch/events.h"
#include "watch/progress.h"

typedef struct {
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;
    tri__events *events;      /* NULL where switched off, or after a write failed */
    double loss;              /* Σ of mean losses since the last point of the curves … */
    int64_t steps;            /* … and steps */
    tri__rate speed;          /* in examples */
    int64_t next, next_flush; /* when progress is reported, and when events are flushed */
    struct {
        int64_t examples; /* next told when there are so many … */
        int64_t time;     /* … or it is so late */
    } validation;         /* of a stream */
} tri__journal;

/* Begin the log in the run folder; the log hands lines on to `next`. */
TRI_MUST_CHECK tri_status tri__journal_open_log(tri__journal *journal, tri__log *next);
void tri__journal_fini(tri__journal *journal);

struct tri__run;
double tri__run_seconds(const struct tri__run *run);       /* of training, by all processes of the run */
double tri__run_total_seconds(const struct tri__run *run); /* with set-up and evaluation */
void tri__run_tell_start(struct tri__run *run);
void tri__run_tell_note(struct tri__run *run, tri_dataset *dataset);         /* log the dataset's note about a record that was left out */
void tri__run_count_loss(struct tri__run *run, double loss);                 /* the mean of a step */
bool tri__run_curves_due(const struct tri__run *run);                        /* every --log-every steps */
void tri__run_tell_curves(struct tri__run *run, int64_t step, double speed); /* to the event file; speed 0: not known */
void tri__run_tell_step(struct tri__run *run);                               /* the curves of a run that counts its own steps */
void tri__run_tell_evaluation(struct tri__run *run);                         /* to the event file and the log */
tri__progress tri__run_progress(const struct tri__run *run, int64_t step, double elapsed); /* without speed, loss and shares */
void tri__run_tell_progress(struct tri__run *run); /* to the caller, and flushes events now and then */
void tri__run_flush_events(struct tri__run *run);
bool tri__run_progressive_due(const struct tri__run *run);
void tri__run_tell_progressive(struct tri__run *run); /* progressive validation, to the event file and the log */
void tri__run_resume_clock(struct tri__run *run);     /* training begins, or continues after a pause that is not counted */

#endif
