/* server.h: a parameter server: a task that keeps a stretch of the model and lives as long as the job.
 *
 * ps:0 is also the coordinator: it settles the model with the first worker that comes, knows who takes part, hands out the steps, takes
 * snapshots, and ends the job. What only it can do with the world outside (building the model, files, what people see) is done by an
 * owner, given to it as a table of calls. The other servers know floats and rules, and nothing of models. */
#ifndef TRI_STORE_PS_SERVER_SERVER_H
#define TRI_STORE_PS_SERVER_SERVER_H

#include <signal.h>

#include "base/file/json.h"
#include "base/report/log.h"
#include "base/trace/trace.h"
#include "net/connection/connection.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "store/ps/protocol/tokens.h"
#include "trireme/store.h"

typedef struct tri__server_role tri__server_role; /* role.h */

/* What is to be done, as the owner understands it from a worker's hello. */
typedef struct {
    size_t floats;
    tri__table_shapes tables;
    tri_rule rule;
    char digest[65];
    char data[16];   /* digest of the examples; "": not known, or each worker has files of its own */
    bool own_files;  /* each worker has examples of its own, as many as it has */
    int settled_by;  /* the worker that came first, from whose hello all this is; −1: the owner knew it */
    char terms[512]; /* by which all workers train: rate, rule, seed …, in words */
    tri__work work;
    int64_t evaluate_every;    /* steps; 0: at the end only */
    int64_t checkpoint_every;  /* steps; 0: by time … */
    int64_t checkpoint_period; /* … in nanoseconds; 0: at the end only */
    bool whole_snapshots;      /* every snapshot may have to be saved, so it needs the rule's state too */
} tri__ps_job;

/* What the coordinator knows while the job goes on, for people. */
typedef struct {
    int64_t step;
    int64_t dropped;       /* stale gradients */
    int64_t re_leased;     /* steps that another worker had to do again */
    int64_t lost;          /* updates that failures of servers took back */
    const char *straggler; /* who is waited for; NULL: nobody for long */
    json_t *
        reports; /* borrowed: an array with the last report of each worker, its "task", and what of it is in the model: "steps", "examples" */
    double seconds; /* since the first step … */
    double before;  /* … and of these, what an earlier ps:0 had made after the checkpoint that was loaded */
    struct {
        int task;            /* the worker whose part was the last one for longest; −1: none was */
        double seconds, all; /* for which others waited for it, and for any worker */
    } late;                  /* sync */
    int workers;             /* that are connected, whoever started them */
} tri__ps_status;

enum {
    TRI_PS_ENOUGH = 1, /* stop: the model is this snapshot */
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
    /* The first worker has said what it trains: settle the job, by that where the owner does not know it itself. */
    tri_status (*settle)(void *context, const json_t *hello, tri__ps_job *out);
    /* Parameters and state to begin from, or to go back to after a failure: the last checkpoint, or else initial values. */
    tri_status (*load)(void *context, tri_store *whole, tri__standing *standing);
    /* Write a checkpoint; best: the model that is kept as the best so far. Called by a thread of its own, one at a time. */
    tri_status (*save)(void *context, tri_store *whole, const tri__standing *standing, bool best);
    /* The snapshot of this step was evaluated: what now? 0: go on. */
    unsigned (*evaluated)(void *context, int64_t step, const json_t *evaluation);
    /* Some ten times a second. True: stop in good order. */
    bool (*watch)(void *context, const tri__ps_status *status);
    /* Something happened to a task ("worker:1") at this step. May be NULL. */
    void (*noticed)(void *context, tri__ps_event event, const char *task, int64_t step, const char *note);
    /* All is done and saved: keep what it came to. The other tasks are told afterwards that the job is over: where ps:0 is lost before, one
     * in its place finds them all, and where it is lost later, nobody needs to take its place. May be NULL. */
    tri_status (*conclude)(void *context, const tri__ps_status *status);
    /* With --replicas 2: keep in mind that the range of ps:0 lives on two servers, by this number, or 0: on one; and say it to a ps:0 in
     * place of this one, 0: it does not. May be NULL: then such a ps:0 begins from a checkpoint. */
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
    bool recovers;                   /* ps:0 in place of one that died: the workers are there, those that live */
    const bool *ended;               /* [TRI_MOST_TASKS] recovers: workers that are known not to live any more; NULL: none is */
    const tri__server_role *role;    /* of ps:0: &tri__coordinator_role; NULL: it follows ps:0 */
    const tri__ps_owner *owner;      /* of ps:0 */
    void *context;
    tri__log *log;
    tri__trace *trace;                        /* NULL: nothing is traced */
    const volatile sig_atomic_t *stop;        /* asked to end: the coordinator ends the job, the others wait for it to */
    const bool *abandoned;                    /* of a second server: atomic; true: end at once, since the process that runs it ends */
    const volatile sig_atomic_t *unevaluated; /* not 0: no evaluator will come any more; NULL: one may always */
} tri__server_options;

/* Serve until the job is done. status, of ps:0, receives what it came to; its reports are the caller's to let go of. */
TRI_MUST_CHECK tri_status tri__server_run(const tri__server_options *options, tri__ps_status *status);

#endif
