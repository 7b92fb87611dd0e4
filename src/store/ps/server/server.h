/* server.h: a parameter server: a task that keeps a stretch of the model and lives as long as the job.
 *
 * ps:0 is also the coordinator: it settles the model with the first worker that comes, knows who takes part, hands out the steps, takes
 * snapshots, and ends the job. An owner, which is a table of calls, does for ps:0 what concerns the world outside: it builds the model,
 * reads and writes files, and shows people how the job goes. The other servers know floats and rules, and nothing of models. */
#ifndef TRI_STORE_PS_SERVER_SERVER_H
#define TRI_STORE_PS_SERVER_SERVER_H

#include <signal.h>

#include "base/file/json.h"
#include "base/report/log.h"
#include "base/trace/trace.h"
#include "net/connection/connection.h"
#include "net/loop/loop.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "store/ps/protocol/tokens.h"
#include "trireme/store.h"

typedef struct tri__server_role tri__server_role; /* role.h */

/* What the job is, as the owner understands it from a worker's hello. */
typedef struct {
    size_t floats;
    tri__table_shapes tables;
    tri_rule rule;
    char digest[65];
    char data[16];         /* digest of the examples; "": not known, or each worker has files of its own */
    bool own_files;        /* each worker has examples of its own, and their number may differ */
    int settled_by;        /* the worker that came first, whose hello says all this; −1: the owner knew it */
    char terms[TRI_TERMS]; /* the terms by which all workers train, in words: rate, rule, seed … */
    tri__work work;
    int64_t evaluate_every;    /* steps; 0: at the end only */
    int64_t checkpoint_every;  /* steps; 0: not by steps */
    int64_t evaluate_at;       /* a step, made or to come, at which an evaluation is due; the others follow by evaluate_every */
    int64_t checkpoint_at;     /* the same for checkpoints */
    int64_t checkpoint_period; /* nanoseconds; 0: not by time */
    bool whole_snapshots;      /* every snapshot may have to be saved, so it needs the rule's state too */
} tri__ps_job;

/* Where the job stands, for people. */
typedef struct {
    int64_t step;
    int64_t dropped;       /* stale gradients */
    int64_t re_leased;     /* steps that another worker had to do again */
    int64_t lost;          /* updates that failures of servers took back */
    const char *straggler; /* the workers that are silent, though something is due from them; NULL: none */
    bool holds_up;         /* the others wait for these */
    json_t *reports; /* borrowed: an array with the last report of each worker, its "task", and its "steps" and "examples" in the model */
    double seconds;  /* since the first step */
    double before;   /* the part of `seconds` that an earlier ps:0 spent after the checkpoint that was loaded */
    struct {
        int task;            /* the worker for which the others waited longest; −1: none */
        double seconds, all; /* how long the others waited for that worker, and for all late workers together */
    } late;                  /* sync */
    int workers;             /* that are connected, no matter who started them */
} tri__ps_status;

enum {
    TRI_PS_ENOUGH = 1, /* stop: this snapshot is the model */
    TRI_PS_KEEP = 2,   /* save this snapshot: it is the best so far */
};

/* What the coordinator sees happen to another task. */
typedef enum {
    TRI_PS_JOINED,    /* a worker takes part, after the job began */
    TRI_PS_LEFT,      /* a worker or a server is lost */
    TRI_PS_STRAGGLES, /* a worker keeps others waiting */
    TRI_PS_BACK,      /* the model, or the part of a lost server, went back to a checkpoint */
} tri__ps_event;

typedef struct {
    /* The first worker has said what it trains: settle the job, by its hello where the owner does not know it itself. */
    tri_status (*settle)(void *context, const json_t *hello, tri__ps_job *out);
    /* Parameters and state to begin from, or to go back to after a failure: the last checkpoint, or else initial values. */
    tri_status (*load)(void *context, tri_store *whole, tri__standing *standing);
    /* Write a checkpoint; best: write it as the best model so far. Called on a thread of its own, one call at a time. */
    tri_status (*save)(void *context, tri_store *whole, const tri__standing *standing, bool best);
    /* The snapshot of this step was evaluated. Returns TRI_PS_ENOUGH, TRI_PS_KEEP, both, or 0: go on. */
    unsigned (*evaluated)(void *context, int64_t step, const json_t *evaluation);
    /* Called about twenty times a second. True: stop in good order. */
    bool (*watch)(void *context, const tri__ps_status *status);
    /* Something happened to a task ("worker:1") at this step. May be NULL. */
    void (*noticed)(void *context, tri__ps_event event, const char *task, int64_t step, const char *note);
    /* A worker that has no run folder sent samples, as a file of samples. May be NULL. */
    void (*sampled)(void *context, int worker, const char *samples);
    /* All is done and saved: keep the result. Only after this call are the other tasks told that the job is over. If ps:0 is lost before
     * the call, a new ps:0 finds them all; if it is lost later, no new ps:0 is needed. May be NULL. */
    tri_status (*conclude)(void *context, const tri__ps_status *status);
    /* The job is over, but a call of the system does not return: reports why, and ends the process. May be NULL: then the call is waited
     * for. */
    void (*give_up)(void *context, const char *why);
    /* With --replicas 2: note keeps the number of the pair of servers on which the range of ps:0 lives; 0: it lives on one. noted returns
     * it to a new ps:0. May be NULL: then a new ps:0 begins from a checkpoint. */
    tri_status (*note)(void *context, uint32_t pair);
    uint32_t (*noted)(void *context);
} tri__ps_owner;

typedef struct {
    int index; /* ps:index */
    const tri__address
        *second; /* where this server is reached, if it is the second server of the range of ps:index; NULL: it is ps:index itself */
    tri__ps_settings settings;
    int listen_fd;                   /* taken */
    tri__tls *tls;                   /* NULL: in clear */
    const tri__address *servers;     /* settings.servers of them, as workers reach them */
    const tri__address *coordinator; /* where ps:0 listens; NULL for itself */
    bool recovers;                   /* this ps:0 replaces one that died: surviving workers are there already */
    const bool *ended;               /* recovers: [TRI_MOST_TASKS] workers that are known to have ended; NULL: none */
    const tri__server_role *role;    /* &tri__coordinator_role for ps:0; NULL: it follows ps:0 */
    const tri__ps_owner *owner;      /* ps:0 only */
    void *context;                   /* of the owner's calls */
    tri__log *log;
    tri__trace *trace;                        /* NULL: nothing is traced */
    tri__traffic *traffic;                    /* receives the bytes of all connections; NULL: they are not added up */
    const volatile sig_atomic_t *stop;        /* not 0: asked to end. ps:0 ends the job; others leave when a checkpoint has their part */
    const bool *abandoned;                    /* second servers: atomic; true: end at once, since the process that runs it ends */
    const volatile sig_atomic_t *unevaluated; /* not 0: no evaluator will come any more; NULL: one may always come */
} tri__server_options;

/* Serve until the job is done. *status receives the result of the job, on ps:0; NULL elsewhere. The caller owns status->reports, and lets
 * go of it. */
TRI_MUST_CHECK tri_status tri__server_run(const tri__server_options *options, tri__ps_status *status);

#endif
