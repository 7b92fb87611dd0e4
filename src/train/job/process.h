/* process.h: one process of a job. A watcher (watcher.h) reads the lines that the process writes, and reaps it. A process can be signalled
 * and started again.
 *
 *              start             its first line              its end              the watcher reaps it
 *     IDLE ───────────► STARTING ─────────────► READY ─────────────────► ENDED ──────────────────────► REAPED
 *                          │ its end                                       ▲                             │
 *                          └───────────────────────────────────────────────┘          start again        │
 *                       STARTING ◄───────────────────────────────────────────────────────────────────────┘
 *
 * When a process ends, its handler only sets the state ENDED. The watcher reaps it between two turns of the loop, so that nothing is freed
 * while a handler uses it. A process writes its first line after it has installed its signal handlers; a signal before that would kill
 * it.
 *
 * A remote process is on the other side of ssh, which hands on neither signals nor how a process was killed. Signals travel as bytes
 * through the process's standard input: each byte is a signal's number. Its shell exits with 128 + the signal that ended the process. */
#ifndef TRI_TRAIN_JOB_PROCESS_H
#define TRI_TRAIN_JOB_PROCESS_H

#include "net/process/child.h"
#include "train/job/exit.h"

enum {
    TRI_PROCESS_NAME = 64,
    TRI_LIFE_FD = 3,   /* in the process: the reading end of a pipe; end of file means that the process that started it is gone */
    TRI_LISTEN_FD = 4, /* in the process: a listening socket, where one was given */
};

typedef struct tri__watcher tri__watcher;

typedef enum { TRI_PROCESS_IDLE, TRI_PROCESS_STARTING, TRI_PROCESS_READY, TRI_PROCESS_ENDED, TRI_PROCESS_REAPED } tri__process_state;

typedef struct {
    tri__watcher *watcher;
    char name[TRI_PROCESS_NAME]; /* for people: "worker:1" */
    tri__process_state state;
    tri__child *child; /* from STARTING to ENDED */
    tri__exit ending;  /* in ENDED and REAPED */
    char *complaint;   /* the first failure that the process reported since its start; or NULL */
    bool damaged;      /* it failed because of damaged data */
    bool remote;       /* the process is on the other side of ssh */
    uint64_t due;      /* signals to send when it is READY, as bits */
} tri__process;

/* How a process learns that the process that started it is gone. */
typedef enum {
    TRI_LIFE_NONE,  /* it does not learn it */
    TRI_LIFE_FD_3,  /* end of file on TRI_LIFE_FD */
    TRI_LIFE_INPUT, /* end of file on its standard input: for mpirun, which hands its input on to rank 0 */
} tri__life;

typedef struct {
    const char *program;
    const char *const *words; /* the command line; ends with NULL */
    const char *const *env;   /* "NAME=value", in addition to this process's environment; ends with NULL; NULL: none */
    tri__life life;
    const int *listen_fd; /* NULL: none; only with TRI_LIFE_FD_3 */
    bool remote;          /* program is ssh, or works like it; with TRI_LIFE_INPUT */
} tri__process_options;

/* The watcher keeps a pointer to process, so process must not move. Call tri__process_fini before tri__watcher_fini. */
TRI_MUST_CHECK tri_status tri__process_init(tri__process *process, tri__watcher *watcher, const char *name);
void tri__process_fini(tri__process *process); /* kills it if it still runs */

TRI_MUST_CHECK tri_status tri__process_start(tri__process *process, const tri__process_options *options); /* from IDLE or REAPED */
bool tri__process_is_up(const tri__process *process);                                                     /* started, and not reaped yet */
bool tri__process_ended_well(const tri__process *process);                                                /* it succeeded, and was reaped */
void tri__process_signal(const tri__process *process, int signal);      /* signals it and what it started, where it is up */
void tri__process_signal_when_ready(tri__process *process, int signal); /* the same, as soon as it is READY */
const char *tri__process_ending_text(const tri__process *process, char text[TRI_EXIT_SIZE]); /* "was killed by …" */

/* For the watcher: makes the process REAPED. Kills it first if it still runs. */
void tri__process_reap(tri__process *process);

#endif
