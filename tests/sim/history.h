/* history.h: the simulated job and its history, shared by the files that run its tasks, watch them and check them. There is one at a time,
 * as there is one world. */
#ifndef TESTS_SIM_HISTORY_H
#define TESTS_SIM_HISTORY_H

#include <signal.h>

#include "sim/job.h"
#include "store/ps/server/server.h"

enum { SIM_REASON = 512 };

typedef enum { SIM_TASK_ABSENT, SIM_TASK_RUNNING, SIM_TASK_ENDED, SIM_TASK_FAILED } sim_task_state;

typedef struct {
    int place, index;
    bool recover;
    sim_task_state state;
    int64_t steps, examples; /* worker: what its present process has made */
    bool killed;             /* it was killed at least once */
    int64_t started;
} sim_task;

/* Bounded staleness: a worker as the coordinator's tokens know it. */
typedef struct {
    bool live;
    int64_t clock;                    /* steps done, plus those of the slowest when it joined */
    int64_t done;                     /* steps done */
    int64_t wanted[SIM_MOST_WORKERS]; /* by worker: how many of its updates the parameters of the present step must contain */
} sim_clock;

typedef struct {
    sim_job job;
    const sim_truth *truth;
    sim_truth *record;
    sim_task task[SIM_PLACES];
    tri__address address[SIM_MOST_SERVERS], second[SIM_MOST_SERVERS];
    char host[2 * SIM_MOST_SERVERS][24];
    /* the last checkpoint */
    bool saved, hung; /* hung: the disk has hung once */
    tri_store *model;
    tri__standing standing;
    uint32_t noted; /* the number of the pair of ps:0's range, if it is whole; else 0 */
    /* how it went */
    bool concluded; /* ps:0's owner has the result */
    bool finished;
    tri__ps_status status;
    json_t *reports;
    int64_t over_at;
    bool begun, ending;  /* a token was sent; ps:0 has said that the job is over */
    bool stopping;       /* ps:0 has told workers to make no further step */
    int64_t said, named; /* when the last message other than a heartbeat was sent; when a log last named a task that is awaited */
    int64_t left;        /* how many workers left, or never took part in a step */
    int64_t went_back;   /* how often servers went back */
    int64_t worker_kills, server_kills, first_kills; /* first_kills: of ps:0; they count as server kills, too */
    int64_t applied[SIM_MOST_CHUNKS];                /* async, by chunk: pushes that all processes of its server have applied */
    sim_clock clock[SIM_MOST_WORKERS];               /* by worker, as long as ps:0 is not lost */
    bool whole[SIM_MOST_SERVERS];                    /* by server: ps:0 knows that the range lives on two servers */
    const struct tri__server *server[SIM_PLACES];    /* by place: the server there that has answered a push, and lives */
    const struct tri__server *standby[SIM_PLACES];   /* by place: the server there that has heard a primary */
    bool one_loss;                                   /* the faults are the loss of one server, or of one after the other */
    bool survivable;                                 /* one_loss, and the standby of the lost server was whole */
    volatile sig_atomic_t stop;
    char violation[SIM_REASON];
} sim_history;

extern sim_history sim_all;

#endif
