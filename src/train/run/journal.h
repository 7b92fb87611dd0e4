/* journal.h: what a run reports while it runs: log lines, curves, progress. The reports go to its folder and to the user. */
#ifndef TRI_TRAIN_RUN_JOURNAL_H
#define TRI_TRAIN_RUN_JOURNAL_H

#include "base/text/task.h"
#include "base/trace/trace.h"
#include "train/folder/log_file.h"
#include "train/folder/run_folder.h"
#include "train/options/options.h"
#include "train/step/trainer.h"
#include "trireme/dataset.h"
#include "watch/progress/progress.h"
#include "watch/report/events.h"
#include "watch/sample/marks.h"
#include "watch/sample/sampler.h"

typedef struct {
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;
    tri__events *events;         /* NULL where switched off, or after a write failed */
    tri__histograms *histograms; /* NULL without --histograms */
    double loss;                 /* Σ mean loss of the steps since the last point of the curves */
    int64_t steps;               /* steps since the last point of the curves */
    int64_t judged, right;       /* in some of these steps: predictions compared with labels, and those that were right */
    tri__rate speed;             /* in examples per second */
    tri__task_counters work;     /* for the samples */
    tri__sampler *sampler;       /* NULL with --sample-every never */
    double sampled_from;         /* when the sampler began, in seconds since 1970 */
    tri__marks *marks;           /* NULL where this task does not lead the run, or marks cannot be written */
    int64_t epoch;               /* the epoch that ended last */
    tri__trace *trace;           /* NULL without --trace, or where the trace cannot be written */
    bool merges;                 /* at its end, this process merges the traces of all tasks into one timeline */
    const char *leader;          /* the task that leads the run, for the marks: "worker:0" */
    int64_t next, next_flush;    /* times: when progress is next reported, and when events are next flushed */
    struct {
        int64_t examples; /* report when there were this many examples */
        int64_t time;     /* or when it is this time, whichever comes first */
    } validation;         /* of a stream: when progressive validation is next reported */
} tri__journal;

/* Begin the log in the run folder; the log hands lines on to `next`. */
TRI_MUST_CHECK tri_status tri__journal_open_log(tri__journal *journal, tri__log *next);

/* Begin to sample into the run folder, or into memory where there is none; `command` is the command line. The journal must not move until
 * fini. Where sampling is not possible, the log says so, and the run goes on without samples. */
void tri__journal_open_samples(tri__journal *journal, int64_t every, const char *command);

/* Write samples that another task sent (sample_file.h) to its file in the run folder. What cannot be written is told, and left out. */
void tri__journal_add_samples(const tri__journal *journal, tri__task task, const char *samples);

/* The same for a process that trains nothing, a supervisor or a launcher, which gets its own row. `none` is zero before the call, and
 * borrowed until the sampler has stopped. *out NULL: there are no samples. */
TRI_MUST_CHECK tri_status tri__journal_sample_process(const tri__run_folder *folder, tri__log *log, const tri__train_options *options,
                                                      tri__task_counters *none, tri__sampler **out);

/* Begin to write marks: what happens to the run, and when. `leader` is the task that leads the run; it is borrowed. Where marks cannot be
 * written, the log says so, and the run goes on. */
void tri__journal_open_marks(tri__journal *journal, const char *leader);
void tri__journal_create_marks(const tri__run_folder *folder, tri__log *log, tri__marks **out); /* for a task without a journal */

/* Begin to trace this task ("worker:1") into the run folder. merges: this process merges the traces of all tasks, because no other does. */
void tri__journal_open_trace(tri__journal *journal, const char *task, bool merges);
void tri__journal_merge_trace(const tri__run_folder *folder, tri__log *log); /* call it for a traced run, after its last task has ended */
void tri__journal_fini(tri__journal *journal);

struct tri__run;
double tri__run_seconds(const struct tri__run *run);       /* seconds of training, in all processes of the run */
double tri__run_total_seconds(const struct tri__run *run); /* the same with set-up and evaluation */
void tri__run_tell_start(struct tri__run *run);

/* Whether the training loss is the log loss of two classes: no weights, mixed examples or smoothed labels make it something else. */
bool tri__run_learns_log_loss(const struct tri__run *run);

enum { TRI_EXTRAS_TEXT = 160, TRI_END_TEXT = 96, TRI_BATCH_TEXT = 64 };

/* ", clip 1, average 0.999, augment flip": what the line about a run says only where it is on. Returns text. */
const char *tri__run_extras_text(const struct tri__run *run, char text[TRI_EXTRAS_TEXT]);
const char *tri__run_end_text(const struct tri__run *run, char end[TRI_END_TEXT]);      /* "3 epochs of 600 steps" */
const char *tri__run_batch_text(const struct tri__run *run, char text[TRI_BATCH_TEXT]); /* "batch 128 in 4 parts" */

/* Log the model and its training examples. tests: "100 to test"; NULL: this process does not know. */
/* Says which numbers of the model's rule do not hold, because --rule chose another. */
void tri__run_tell_rule(const struct tri__run *run);
void tri__run_tell_examples(const struct tri__run *run, const tri_source_info *source, int64_t count, const char *tests);
void tri__run_tell_options(struct tri__run *run);                        /* to the event file */
void tri__run_tell_note(struct tri__run *run, tri_dataset *dataset);     /* log the dataset's note about a record that was left out */
void tri__run_count_step(struct tri__run *run, const tri__tally *tally); /* adds its loss and accuracy to the state and the curves */
void tri__run_publish(struct tri__run *run, int64_t step);               /* hands what this task has done so far to its sampler */
void tri__run_publish_traffic(struct tri__run *run, int64_t sent, int64_t received);
bool tri__run_curves_due(const struct tri__run *run);                                      /* every --log-every steps */
void tri__run_tell_curves(struct tri__run *run, int64_t step);                             /* to the event file */
void tri__run_tell_histograms(struct tri__run *run, int64_t step);                         /* of the last step, where they are due */
void tri__run_tell_evaluation(struct tri__run *run);                                       /* to the event file and the log */
void tri__run_tell_test(struct tri__run *run, int64_t step);                               /* the last evaluation, to the event file */
void tri__run_mark_evaluation(struct tri__run *run, const char *task, double seconds);     /* marks an evaluation that has just ended */
void tri__run_mark_epoch(struct tri__run *run, int64_t step);                              /* epochs that have ended by this step */
tri__progress tri__run_progress(const struct tri__run *run, int64_t step, double elapsed); /* without speed, loss and shares */
void tri__run_tell_progress(struct tri__run *run);                                         /* to the caller; also shows events */
void tri__run_flush_events(struct tri__run *run);
void tri__run_show_events(struct tri__run *run); /* flushes them where the last time was some seconds ago: people look at them */
bool tri__run_progressive_due(const struct tri__run *run);
void tri__run_tell_progressive(struct tri__run *run);             /* progressive validation, to the event file and the log */
void tri__run_start_clock(struct tri__run *run);                  /* training begins */
void tri__run_resume_clock(struct tri__run *run, int64_t paused); /* it goes on; since the time `paused` it did not count as training */

#endif
