/* coordinator.h: the coordinator as its own files see it. Each file owns a part of the coordinator, which its header declares.
 *
 *   coordinator.c  the course of the job
 *   books.c        what each worker has done
 *   servers/       followers.c: the other servers; pairs.c: their standbys; recovery.c: going back when a server was lost;
 *                  handover.c: taking over from an earlier ps:0
 *   workers/       welcome.c: workers that come; members.c: workers that take part; stragglers.c: workers that are silent;
 *                  steps.c: which worker makes which step
 *   snapshot/      snapshot.c: a copy of the whole model; evaluator.c: the process that evaluates it */
#ifndef TRI_STORE_PS_COORDINATOR_COORDINATOR_H
#define TRI_STORE_PS_COORDINATOR_COORDINATOR_H

#include "store/ps/coordinator/books.h"
#include "store/ps/coordinator/servers/followers.h"
#include "store/ps/coordinator/servers/handover.h"
#include "store/ps/coordinator/servers/pairs.h"
#include "store/ps/coordinator/servers/recovery.h"
#include "store/ps/coordinator/snapshot/evaluator.h"
#include "store/ps/coordinator/snapshot/snapshot.h"
#include "store/ps/coordinator/workers/members.h"
#include "store/ps/coordinator/workers/steps.h"
#include "store/ps/server/server_inside.h"

typedef enum {
    TRI_JOB_WAITING, /* it waits for a worker that says what to train, for the servers, and in sync for all workers */
    TRI_JOB_RUNNING,
    TRI_JOB_STOPPING, /* workers end their steps and report */
    TRI_JOB_CLOSING,  /* the last snapshot is evaluated and saved */
} tri__job_phase;

/* Why the job is to end before its tokens are used up. A later reason in this list replaces an earlier one, never the reverse. */
typedef enum {
    TRI_ENDING_NOT,
    TRI_ENDING_FORETOLD, /* an earlier ps:0 told the workers to stop: they make no more steps. Becomes ASKED when the job runs */
    TRI_ENDING_ASKED,    /* the owner asked for it */
    TRI_ENDING_ENOUGH,   /* the evaluated snapshot is the model that was wanted */
} tri__job_ending;

struct tri__coordinator {
    tri__server *server;
    const tri__ps_settings *settings;
    tri__ps_job job;
    bool settled;
    tri__tokens *tokens;
    tri__job_phase phase;
    tri__job_ending ending;
    int64_t since;       /* when the phase began */
    int64_t first_ready; /* when the first worker was ready; 0: none is yet */
    int64_t started;     /* when the job began to run; 0: not yet */
    int64_t stopped;     /* when the workers were told to stop; 0: not yet */
    int64_t asked;       /* when the owner asked for the end; 0: it has not */

    tri__members members;
    tri__follower *follower; /* [servers], the first one unused */
    tri__pair *pair;         /* [servers]; NULL: each range lives on one server */
    tri__handover handover;
    tri__recovery recovery;
    tri__books books;

    tri__steps steps;
    tri__snapshot snapshot;
    tri__remote_evaluator evaluator;
    bool deciding; /* tri__coordinator_go_on runs */
    bool told_waiting;
};

/* Called by coordinator_role.c, for the server. */
TRI_MUST_CHECK tri_status tri__coordinator_create(tri__server *server, tri__coordinator **out);
void tri__coordinator_destroy(tri__coordinator *coordinator);                     /* accepts NULL */
TRI_MUST_CHECK tri_status tri__coordinator_hello(tri__peer *peer, json_t *hello); /* takes hello */
TRI_MUST_CHECK tri_status tri__coordinator_message(tri__peer *peer, const tri__message *message, const json_t *body);
void tri__coordinator_gone(tri__peer *peer); /* the peer's connection has ended */
void tri__coordinator_tick(tri__server *server);
void tri__coordinator_status(tri__server *server, tri__ps_status *status);

/* Called by the coordinator's own files. */
void tri__coordinator_go_on(tri__coordinator *coordinator);           /* do what comes next, if it can be done now */
int64_t tri__coordinator_step(const tri__coordinator *coordinator);   /* updates so far */
double tri__coordinator_seconds(const tri__coordinator *coordinator); /* since this process began to hand out steps */
bool tri__coordinator_ends(const tri__coordinator *coordinator);      /* the job ends before its tokens are used up */
void tri__coordinator_take_up(tri__coordinator *coordinator);         /* begin the job from the snapshot that was loaded */
void tri__coordinator_end_for(tri__coordinator *coordinator, tri__job_ending why);
void tri__coordinator_reopen(tri__coordinator *coordinator); /* a server is gone, and with it the last snapshot: another is taken */
/* The job ends with a snapshot that was good enough, not with the model of its last step. */
bool tri__coordinator_ends_with_snapshot(const tri__coordinator *coordinator);
void tri__coordinator_show(tri__coordinator *coordinator); /* show the owner where the job stands, and ask it whether to stop */
void tri__coordinator_notice(const tri__coordinator *coordinator, tri__ps_event event, const char *role, int index, const char *format, ...)
    TRI_FORMAT(5, 6);                                                      /* tells the owner what happened to a task, such as "worker" 1 */
void tri__coordinator_fail(tri__coordinator *coordinator, tri_status why); /* ends the job, and tells everybody why */

#endif
