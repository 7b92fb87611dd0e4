/* run_inside.h: a run as its own files see it: run.c is the loop, run_setup.c opens all that it needs, run_report.c tells about it. */
#ifndef TRI_TRAIN_RUN_RUN_INSIDE_H
#define TRI_TRAIN_RUN_RUN_INSIDE_H

#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_writer.h"
#include "train/evaluate/evaluate.h"
#include "train/run/folder.h"
#include "train/run/goal.h"
#include "train/run/run.h"
#include "train/run/trainer.h"
#include "watch/events.h"
#include "watch/resources.h"

typedef struct tri__peers tri__peers;

typedef struct tri__run {
    const tri__run_request *request;
    const tri__strategy *strategy;
    tri__train_options options; /* given now, and kept by the run that is resumed */
    tri__train_settings settings;
    tri__checkpoint *resumed; /* until set-up has read it; NULL in a new run */

    tri_model *model;
    tri_source *source, *test; /* test: NULL where there is nothing to evaluate on */
    tri_graph *graph;
    tri__trainer trainer; /* of the run's own worker */
    tri__peers *peers;    /* the workers of its steps; NULL: this one is alone, or has servers */
    tri__evaluator *evaluator;

    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;
    tri__events *events; /* NULL where switched off, or after a write failed */

    int64_t steps_per_epoch;
    int64_t epoch_step; /* one at which an epoch begins: those of a run whose workers changed are not all as many steps */
    int64_t last_step;  /* 0: not known beforehand */
    tri__run_state state;
    int64_t first_step;    /* at which this process began */
    double seconds_before; /* of training, by processes before this one */
    tri__rate speed;
    tri__usage usage;                                 /* when training began */
    int64_t next_report, next_flush, next_checkpoint; /* times */

    double interval_loss; /* Σ of mean losses since the last event */
    int64_t interval_steps;
    tri__evaluation evaluation; /* the last one */
    int64_t evaluated_at;       /* its step; −1: none yet */
    int64_t evaluations;
    char *checkpoint;               /* the last one written, at first the one resumed from; or NULL */
    int64_t saved_at;               /* its step; −1: none yet */
    tri__checkpoint_writer *writer; /* of checkpoints beside the training; NULL where they are written in between, or none was yet */
    tri__ending ending;
    int64_t until_step; /* at which the goal was reached; −1: it was not */
} tri__run;

/* run_setup.c. After a failure, too, the run wants fini. open is all of it; a task of a cluster takes the parts that it needs. */
TRI_MUST_CHECK tri_status tri__run_open(tri__run *run, const tri__run_request *request);
TRI_MUST_CHECK tri_status tri__run_begin(tri__run *run, const tri__run_request *request); /* the model, and what was asked for */
TRI_MUST_CHECK tri_status tri__run_open_data(tri__run *run);                              /* sources and graph */

/* When the run ends, and what an epoch is. examples: of an epoch; workers: that make each step together. */
TRI_MUST_CHECK tri_status tri__run_settle_end(tri__run *run, int64_t examples, int workers);
TRI_MUST_CHECK tri_status tri__run_create_evaluator(tri__run *run); /* of its store, on its test source */
tri_dataset_options tri__run_dataset_options(const tri__run *run);
void tri__run_fini(tri__run *run);

/* run.c */
bool tri__run_evaluation_due(const tri__run *run); /* after the last step */
bool tri__run_leads(const tri__run *run);          /* this worker has the folder, evaluates and decides */

/* What run->evaluation means for the run. True where it is the best so far, and is to be kept. */
bool tri__run_judge(tri__run *run);

/* What a checkpoint of the run holds, less what only some runs have. All is borrowed. */
tri__checkpoint_content tri__run_content(const tri__run *run, tri_store *store, const tri_source_info *source, const tri__run_state *state);

/* run_report.c */
double tri__run_seconds(const tri__run *run); /* of training, by all processes of the run */
void tri__run_tell_start(tri__run *run);
void tri__run_tell_note(tri__run *run, tri_dataset *dataset);         /* what it has to say: a record that was left out */
void tri__run_count_loss(tri__run *run, double loss);                 /* the mean of a step */
bool tri__run_curves_due(const tri__run *run);                        /* every --log-every steps */
void tri__run_tell_curves(tri__run *run, int64_t step, double speed); /* to the event file; speed 0: not known */
void tri__run_tell_step(tri__run *run);                               /* the curves of a run that counts its own steps */
void tri__run_tell_evaluation(tri__run *run);                         /* to the event file and the log */
void tri__run_tell_progress(tri__run *run);                           /* to the caller, and flushes events now and then */
TRI_MUST_CHECK tri_status tri__run_summarise(tri__run *run, tri__run_result *out);

#endif
