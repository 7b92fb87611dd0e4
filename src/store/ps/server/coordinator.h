/* coordinator.h: the coordinator as its own files see it: coordinator.c has the course of the job, followers.c the other servers, pairs.c
 * their twins, recovery.c going back when one was lost, members.c the workers, steps.c whose turn it is, snapshot.c a copy of the whole
 * model, evaluator.c who evaluates it. Each of these owns a part of the coordinator, which its header declares. */
#ifndef TRI_STORE_PS_SERVER_COORDINATOR_H
#define TRI_STORE_PS_SERVER_COORDINATOR_H

#include "store/ps/server/books.h"
#include "store/ps/server/evaluator.h"
#include "store/ps/server/followers.h"
#include "store/ps/server/members.h"
#include "store/ps/server/pairs.h"
#include "store/ps/server/recovery.h"
#include "store/ps/server/server_inside.h"
#include "store/ps/server/snapshot.h"
#include "store/ps/server/steps.h"

typedef enum {
    TRI_JOB_WAITING, /* for a worker that says what is to be done, for servers, and in sync for all workers */
    TRI_JOB_RUNNING,
    TRI_JOB_STOPPING, /* workers end their steps and report */
    TRI_JOB_CLOSING,  /* the last snapshot is evaluated and saved */
} tri__job_phase;

/* Why the job is to end before its tokens are used up. A later reason in this list stands instead of an earlier one, never the reverse. */
typedef enum {
    TRI_ENDING_NOT,
    TRI_ENDING_FORETOLD, /* a ps:0 before this one had told workers to stop: they make no steps any more. ASKED when the job runs */
    TRI_ENDING_ASKED,    /* by the owner */
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
    int64_t first_ready; /* when the first worker was; 0: none yet */
    int64_t started;     /* the first step; 0: not yet */
    int64_t stopped;     /* the last one; 0: not yet */

    tri__members members;
    tri__follower *follower; /* [servers], the first one unused */
    tri__pair *pair;         /* [servers], the first one unused; NULL: each range lives on one server */
    tri__recovery recovery;
    tri__books books;

    tri__steps steps;
    tri__snapshot snapshot;
    tri__remote_evaluator evaluator;
    bool deciding; /* go_on is at work */
    bool told_waiting;
};

/* coordinator.c */
int64_t tri__coordinator_step(const tri__coordinator *coordinator); /* updates so far */
bool tri__coordinator_ends(const tri__coordinator *coordinator);    /* before its tokens are used up */
void tri__coordinator_end_for(tri__coordinator *coordinator, tri__job_ending why);
void tri__coordinator_reopen(tri__coordinator *coordinator); /* a server is gone, and with it the last snapshot: another is taken */
bool tri__coordinator_ends_with_snapshot(const tri__coordinator *coordinator); /* not with its last step */
void tri__coordinator_show(tri__coordinator *coordinator);                     /* the owner where things stand, and hear whether to stop */
void tri__coordinator_fail(tri__coordinator *coordinator, tri_status why);     /* ends the job, and tells everybody why */

#endif
