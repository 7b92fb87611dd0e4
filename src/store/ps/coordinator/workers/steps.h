/* steps.h: which worker makes which step: the tokens, and in sync the view, which says which workers make up a step.
 *
 * Sync, one step after the other:
 *
 *                 issue: the view is known to all servers          backup workers: enough gradients have come
 *    BETWEEN ───────────────────────────────────────────► OPEN ──────────────────────────────────────────────► CHOSEN
 *      ▲                                                   │                                                      │
 *      └─────── every chunk of ps:0 has moved on, ─────────┴──────────────────────────────────────────────────────┘
 *               or all go back
 *
 * In async it is always BETWEEN: each worker has tokens of its own. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_STEPS_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_STEPS_H

#include "store/ps/server/server_inside.h"

typedef enum {
    TRI_STEP_BETWEEN, /* no token is out */
    TRI_STEP_OPEN,    /* the tokens are out */
    TRI_STEP_CHOSEN,  /* backup workers: the servers know whose gradients make up the step */
} tri__step_state;

/* The workers that make up the steps, beginning with the step for which the view was announced. */
typedef struct {
    uint32_t number; /* of the last view that was announced */
    int task[TRI_MOST_TASKS];
    int count;
    bool outdated; /* workers have come or gone since it was announced */
} tri__view;

/* With clipping: the part of another server in the norm of the present step. */
typedef struct {
    bool known;
    double squares; /* Σ g² of its stretch */
} tri__part_of_norm;

typedef struct {
    tri__step_state state;
    tri__view view;
    uint32_t seen[TRI_MOST_SERVERS];          /* by server: the number of the last view that it knows */
    tri__part_of_norm norm[TRI_MOST_SERVERS]; /* by server */
    int chosen_task[TRI_MOST_TASKS];          /* backup workers: the tasks whose gradient of the present step has come, rising */
    tri__token chosen_token[TRI_MOST_TASKS];  /* backup workers: the token of each of them, kept since a worker that left has none */
    int chosen;                               /* backup workers: how many have come */
    int64_t moved;                            /* when the last update was made */
} tri__steps;

void tri__steps_start(tri__steps *steps, int64_t now);                           /* the job runs from now on */
void tri__steps_go_back(tri__steps *steps);                                      /* sync: no token is out any more */
void tri__steps_members_changed(tri__steps *steps);                              /* the next step needs a new view */
bool tri__steps_is_between(const tri__steps *steps);                             /* sync: no step is open */
void tri__steps_send_token(tri__peer *peer, const tri__token *token, bool more); /* more: an answer follows */
int64_t tri__steps_last_issued(const tri__coordinator *coordinator);             /* sync: the last step whose tokens are out; −1: none */
bool tri__steps_may_go_on(const tri__coordinator *coordinator);  /* after one more step, a loss is still at most a checkpoint's interval */
bool tri__steps_held_up(const tri__coordinator *coordinator);    /* async: no step may begin, and only silent workers have tokens */
void tri__steps_grant_all(tri__coordinator *coordinator);        /* async: a token to each worker that can use one */
bool tri__steps_renew_view(tri__coordinator *coordinator);       /* sync: brings the view up to date; false until every server knows it */
void tri__steps_issue(tri__coordinator *coordinator, bool more); /* sync: sends the tokens of a step; more: an answer follows each */
void tri__steps_choose(tri__coordinator *coordinator); /* backup workers: closes the step if enough gradients are here, or no more come */
void tri__steps_expect_nothing(tri__coordinator *coordinator, int task, int64_t step); /* sync: no server waits for its parts up to step */
void tri__steps_go_on_without(tri__coordinator *coordinator, int task); /* backup workers: no step waits for the rest of its parts */
void tri__steps_seen(tri__coordinator *coordinator, int server, const tri__message *message); /* that server knows the view */
void tri__steps_knows_view(tri__steps *steps, int server); /* the server was told the view as a standby, and is now the primary */
bool tri__steps_expects(const tri__peer *peer, const tri__message *push); /* false: not sync, and it has no token for this push */
bool tri__steps_pushed(tri__peer *peer, const tri__message *push); /* async: true: the push ends a token, so go on after the answer */
void tri__steps_chunk_ends(tri__server *server);                   /* sync: a chunk of ps:0 has moved on; its answers are not sent yet */
void tri__steps_chunk_ended(tri__server *server);                  /* sync: the answers were sent */
void tri__steps_clip(tri__coordinator *coordinator);               /* sync with clipping: the norm may be known */
void tri__steps_norm(tri__coordinator *coordinator, tri__peer *peer, const tri__message *message);

#endif
