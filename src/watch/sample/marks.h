/* marks.h: what happened to a run, with times on the clock of its samples, to explain a dip or a peak of a curve.
 *
 * RUN/marks.csv has one line for each mark, in the order in which they ended: epoch,kind,task,step,seconds,note. Its first line has these
 * names. Several processes of a run may append to the file: each mark is one write. */
#ifndef TRI_WATCH_SAMPLE_MARKS_H
#define TRI_WATCH_SAMPLE_MARKS_H

#include <stdint.h>

#include "trireme/status.h"
#include "watch/sample/sample_read.h"

typedef enum {
    TRI_MARK_EPOCH,      /* a pass over the examples has ended */
    TRI_MARK_EVALUATION, /* with the time that it took, if known */
    TRI_MARK_CHECKPOINT, /* with the time that it took, or for which training paused */
    TRI_MARK_JOIN,       /* a worker takes part from now on */
    TRI_MARK_STRAGGLER,  /* a worker keeps others waiting */
    TRI_MARK_DEATH,      /* a task no longer takes part */
    TRI_MARK_RESTART,    /* a task, or the whole run, continues from a checkpoint */
} tri__mark_kind;

enum { TRI_MARK_KINDS = TRI_MARK_RESTART + 1, TRI_MARK_NOTE = 160 };

const char *tri__mark_kind_name(tri__mark_kind kind); /* "evaluation", as the file spells it */

typedef struct {
    double wall;    /* when it began, in seconds since 1970 */
    double seconds; /* how long it took; 0: it is a moment */
    tri__mark_kind kind;
    int64_t step;               /* of the run; −1: not known */
    char task[TRI_SAMPLE_TASK]; /* the task to which it happened: "worker:1" */
    char note[TRI_MARK_NOTE];   /* for people; may be "" */
} tri__mark;

/* ---- writing ---- */

typedef struct tri__marks tri__marks;

/* Open the file to append; create it if there is none. */
TRI_MUST_CHECK tri_status tri__marks_open(const char *path, tri__marks **out);
void tri__marks_close(tri__marks *marks); /* accepts NULL */

/* Add a mark that ends now and began `seconds` ago. Any thread may call it. If marks is NULL, nothing is done. A mark that cannot be
 * written is left out. Of epochs, evaluations and checkpoints, a hundred are kept at once, and then ten a second; the others are left out,
 * as a run may have very short epochs. */
void tri__marks_add(tri__marks *marks, tri__mark_kind kind, const char *task, int64_t step, double seconds, const char *format, ...)
    TRI_FORMAT(6, 7);

/* ---- reading ---- */

/* Read all marks of the file, sorted by when they began; the caller frees *out. Without a file there are none. Lines that are not marks are
 * skipped, and so is an incomplete last line. */
TRI_MUST_CHECK tri_status tri__marks_read(const char *path, tri__mark **out, int *count);

/* "14:02:07  evaluation of evaluator:0 at step 1,200: accuracy 91.2 %". Returns buffer. */
const char *tri__mark_line(const tri__mark *mark, char *buffer, size_t size);

#endif
