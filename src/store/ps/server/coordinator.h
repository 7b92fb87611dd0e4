/* coordinator.h: the coordinator as its own files see it: coordinator.c has the course of the job, followers.c the other servers,
 * recovery.c going back when one was lost, members.c the workers, steps.c whose turn it is, snapshot.c a copy of the whole model,
 * evaluator.c who evaluates it. Each of these owns a part of the coordinator, which its header declares. */
#ifndef TRI_STORE_PS_SERVER_COORDINATOR_H
#define TRI_STORE_PS_SERVER_COORDINATOR_H

#include "store/ps/server/books.h"
#include "store/ps/server/evaluator.h"
#include "store/ps/server/followers.h"
#include "store/ps/server/members.h"
#include "store/ps/server/recovery.h"
#include "store/ps/server/server_inside.h"
#include "store/ps/server/snapshot.h"

typedef enum {
    TRI_JOB_WAITING, /* for a worker that says what is to be done, for servers, and in sync for all workers */
    TRI_JOB_RUNNING,
    TRI_JOB_STOPPING, /* workers end their steps and report */
    TRI_JOB_CLOSING,  /* the last snapshot is evaluated and saved */
} tri__job_phase;

struct tri__coordinator {
    tri__server *server;
    const tri__ps_settings *settings;
    tri__ps_job job;
    bool settled;
    tri__tokens *tokens;
    tri__job_phase phase;
    int64_t since;       /* when the phase began */
    int64_t first_ready; /* when the first worker was; 0: none yet */
    int64_t started;     /* the first step; 0: not yet */
    int64_t stopped;     /* the last one; 0: not yet */

    tri__members members;
    tri__follower *follower; /* [servers], the first one unused */
    tri__recovery recovery;
    tri__losses before; /* this process */

    uint32_t view;                 /* number of the last one announced */
    int view_task[TRI_MOST_TASKS]; /* who makes up the steps of it … */
    int view_count;
    bool changed; /* members have come or gone since */
    bool issued;  /* sync: the tokens of the present step are out */
    int chosen;   /* backup: workers whose gradient of the present step has come, so far */
    int chosen_task[TRI_MOST_TASKS];
    int64_t chosen_step; /* of which the servers know them; −1: not yet */

    tri__snapshot snapshot;
    tri__evaluator evaluator;
    bool enough; /* the evaluated snapshot is the model that was wanted */

    int64_t moved;     /* when the last update was made */
    bool stop_wanted;  /* by the owner */
    bool was_stopping; /* a ps:0 before this one had told workers to stop: they make no steps any more */
    bool deciding;     /* go_on is at work */
    bool told_waiting;
};

/* coordinator.c */
int64_t tri__coordinator_step(const tri__coordinator *coordinator);            /* updates so far */
bool tri__coordinator_ends_with_snapshot(const tri__coordinator *coordinator); /* not with its last step */
void tri__coordinator_show(tri__coordinator *coordinator);                     /* the owner where things stand, and hear whether to stop */
void tri__coordinator_fail(tri__coordinator *coordinator, tri_status why);     /* ends the job, and tells everybody why */

/* steps.c: tokens and views */
void tri__coordinator_send_token(tri__peer *peer, const tri__token *token, bool more);
void tri__steps_choose(tri__coordinator *coordinator); /* backup workers: enough have come, or nobody else can: these are the step */
bool tri__steps_may_go_on(const tri__coordinator *coordinator);  /* one more step loses no more than a checkpoint's interval */
bool tri__steps_held_up(const tri__coordinator *coordinator);    /* async: only what silent members hold is in the way of that */
void tri__steps_grant_all(tri__coordinator *coordinator);        /* async: to everyone who can use one */
bool tri__steps_renew_view(tri__coordinator *coordinator);       /* sync: members as they are now; false until every server knows them */
void tri__steps_issue(tri__coordinator *coordinator, bool more); /* sync: the tokens of a step; more: an answer follows each */
void tri__steps_seen(tri__coordinator *coordinator, int server, const tri__message *message); /* that server knows the view */
void tri__steps_norm(tri__coordinator *coordinator, tri__peer *peer, const tri__message *message);

#endif
