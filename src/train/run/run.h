/* run.h: a training run: dataset × plan × store, watched, evaluated, checkpointed, until a stop rule ends it.
 *
 * A run leaves a folder (run_folder.h). It ends by its stop rule, by a signal, by early stopping, or because the loss is no longer a
 * number; in each of these cases the folder holds a summary and, unless the run failed before the first one, a checkpoint. */
#ifndef TRI_TRAIN_RUN_RUN_H
#define TRI_TRAIN_RUN_RUN_H

#include <signal.h>

#include "base/report/log.h"
#include "train/options/options.h"
#include "train/options/strategy.h"
#include "watch/progress/progress.h"
#include "watch/report/summary.h"

struct tri__run_result;

typedef struct tri__run_request {
    const tri__train_options *options; /* as given; the run merges those of a resumed run in */
    const tri__strategy *strategy;     /* the one that the options ask for; NULL: local */
    const char *out;                   /* the folder to make; NULL: runs/<model>-<date>-<n> */
    const char *resume;                /* the folder of the run to resume; NULL: a new run */
    const char *command;               /* what was typed, for the file `command` */
    const char *cache_folder;          /* of data sources */
    int64_t started;                   /* tri__clock_now when the process began */
    const volatile sig_atomic_t *stop; /* read between steps; not 0: end in good order */
    tri__log *log;
    void (*progress)(void *context, const tri__progress *progress); /* some ten times a second; may be NULL */
    bool (*stepped)(void *context, double rate, double loss);       /* after every step; false: end the run; local only; may be NULL */
    bool keeps_no_model;                                            /* write no checkpoint: the run measures, as a sweep of rates does */
    void (*began)(void *context);                                   /* all ranks are ready, and train now; may be NULL */
    /* A job with several tasks has saved its result and is about to end the other tasks: report the result now. May be NULL. */
    tri_status (*concluded)(void *context, const struct tri__run_result *result);
    void *context;

    int ranks;                                       /* how many ranks mpirun or srun started, this process among them; 0: none */
    int64_t timeout;                                 /* nanoseconds that ranks wait for each other */
    const char *folder;                              /* the run folder, where a launcher made it; NULL: the run makes one */
    void (*give_up)(void *context, const char *why); /* called when ranks, or a disk, do not answer: reports why and ends the process */
} tri__run_request;

typedef struct tri__run_result {
    char *folder;
    json_t *summary; /* as in summary.json */
    char table[TRI_SUMMARY_SIZE];
    bool told;       /* another rank reports the failure */
    int exit_status; /* not 0: a signal to the leading process ended the run; the exit status to use, such as 143 */
} tri__run_result;

/* Train. out has a result if the run wrote a summary, even if it failed after that (TRI_DIVERGED, or a last checkpoint that could not be
 * written). */
TRI_MUST_CHECK tri_status tri__run_train(const tri__run_request *request, tri__run_result *out);
void tri__run_result_fini(tri__run_result *result);

#endif
