/* process.h: one process of a job, watched by a watcher (watcher.h): started, heard, signalled, reaped, perhaps started again.
 *
 *              start             its first line              its end              the watcher reaps it
 *     IDLE ───────────► STARTING ─────────────► READY ─────────────────► ENDED ──────────────────────► REAPED
 *                          │ its end                                       ▲                             │
 *                          └───────────────────────────────────────────────┘          start again        │
 *                       STARTING ◄───────────────────────────────────────────────────────────────────────┘
 *
 * The end of a process only leaves a note: it is reaped between two turns of the loop, so that nothing is freed under a handler's feet. A
 * process that has said something has set itself up to hear signals, which before would only kill it. */
#ifndef TRI_TRAIN_JOB_PROCESS_H
#define TRI_TRAIN_JOB_PROCESS_H

#include "net/child.h"
#include "train/job/ending.h"

enum {
    TRI_PROCESS_NAME = 64,
    TRI_LIFE_FD = 3,   /* in the process: a pipe's reading end, which comes to its end when the process that started it is gone */
    TRI_LISTEN_FD = 4, /* in the process: a socket that listens, where it is given one */
};

typedef struct tri__watcher tri__watcher;

typedef enum { TRI_PROCESS_IDLE, TRI_PROCESS_STARTING, TRI_PROCESS_READY, TRI_PROCESS_ENDED, TRI_PROCESS_REAPED } tri__process_state;

typedef struct {
    tri__watcher *watcher;
    char name[TRI_PROCESS_NAME]; /* for people: "worker:1" */
    tri__process_state state;
    tri__child *child;  /* from STARTING to ENDED */
    tri__ending ending; /* in ENDED and REAPED */
    char *complaint;    /* why this start of it failed, in its own words: its first report of a failure; or NULL */
    uint64_t due;       /* signals that it gets when it is READY, as bits */
} tri__process;

/* How the process learns that this one is gone. */
typedef enum {
    TRI_LIFE_NONE,  /* it does not */
    TRI_LIFE_FD_3,  /* TRI_LIFE_FD comes to its end */
    TRI_LIFE_INPUT, /* its standard input does: for a launcher, which hands that on to what it starts */
} tri__life;

typedef struct {
    const char *program;
    const char *const *words; /* the command line; ends with NULL */
    const char *const *env;   /* "NAME=value" beside those of this process; ends with NULL; NULL: none */
    tri__life life;
    const int *listen_fd; /* NULL: none; only with TRI_LIFE_FD_3 */
} tri__process_options;

/* The watcher keeps a pointer to process until its own fini, which comes first. */
TRI_MUST_CHECK tri_status tri__process_init(tri__process *process, tri__watcher *watcher, const char *name);
void tri__process_fini(tri__process *process); /* kills it where it runs */

TRI_MUST_CHECK tri_status tri__process_start(tri__process *process, const tri__process_options *options); /* IDLE or REAPED */
bool tri__process_is_up(const tri__process *process);                                                     /* started, and not reaped yet */
bool tri__process_ended_well(const tri__process *process);                                                /* and was reaped */
void tri__process_signal(const tri__process *process, int signal);      /* it and what it started; nothing where it is not up */
void tri__process_signal_when_ready(tri__process *process, int signal); /* … as soon as it hears signals */
const char *tri__process_ending_words(const tri__process *process, char text[TRI_ENDING_SIZE]); /* "was killed by …" */

/* For the watcher: ENDED becomes REAPED. Where it still runs it is killed. */
void tri__process_reap(tri__process *process);

#endif
