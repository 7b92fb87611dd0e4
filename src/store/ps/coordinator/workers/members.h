/* members.h: the workers, as ps:0 knows them. ps:0 knows a worker by its task. A worker outlives its connections: a process that reconnects
 * soon enough goes on where it was.
 *
 *           welcome                READY                         async: at once; sync: the next view
 *    NONE ───────────► WELCOMED ───────────► READY ─────────────────────────────────────────────────► TAKES_PART
 *                          ▲                   │  ▲                                                       │ │
 *                          │                   │  └───── the tokens have no place for it ─────────────────┘ │
 *                          └───────────────────┴──────── sync: all go back ─────────────────────────────────┘
 *
 * From every state a worker becomes NONE when it leaves: it said bye, did not come back, was silent for too long, or another process has
 * its task now. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_MEMBERS_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_MEMBERS_H

#include "store/ps/coordinator/books.h"
#include "store/ps/server/server_inside.h"

typedef enum {
    TRI_MEMBER_NONE,       /* no worker has this task, or the worker that had it has left */
    TRI_MEMBER_WELCOMED,   /* it pulls the parameters */
    TRI_MEMBER_READY,      /* it has them all, and wants to take part */
    TRI_MEMBER_TAKES_PART, /* it is given tokens */
} tri__member_state;

typedef struct {
    tri__member_state state;
    tri__peer *peer; /* NULL while it has no connection */
    int64_t gone;    /* when its connection ended; 0: it has a connection, or ps:0 does not wait for it any more */
    uint64_t incarnation;
    bool reported;                   /* its final report has come, or it said bye */
    bool named;                      /* the user was told that the job waits for it */
    bool busy;                       /* the user was told that the job waits for it, though it lives */
    int ahead;                       /* tokens that it can use at once */
    tri__token token[TRI_MOST_HELD]; /* the tokens that it has, the oldest first */
    int tokens;
    uint32_t arrived; /* async: chunks of ps:0 that it has pushed for the oldest token */
    json_t *report;   /* its last report; NULL: none yet */
} tri__member;

typedef struct {
    tri__member *member;           /* [TRI_MOST_TASKS] */
    int tasks;                     /* one more than the highest task that ever came */
    int invited;                   /* the task number that was last given to a worker that joins */
    bool expected[TRI_MOST_TASKS]; /* by task: the job begins when these workers are there */
    int64_t alone;                 /* when the last worker left; 0: some are here */
    int64_t waited_since;          /* nobody waited for another worker before this time, or there was progress */
    char straggler[256];           /* the workers that are silent, though something is due from them; "": none */
    bool straggler_holds_up;       /* the others wait for these */
    char damage[512];              /* what the last worker said that left because its data is damaged; "": none did */
    int damaged_task;              /* the task of that worker */
} tri__members;

TRI_MUST_CHECK tri_status tri__members_init(tri__members *members);
void tri__members_fini(tri__members *members);

void tri__members_count_in(tri__members *members, int task); /* this task has come, to this process of ps:0 or to an earlier one */
int tri__members_ready(const tri__members *members);         /* how many want to take part */
int tri__members_connected(const tri__members *members);
void tri__members_expect(tri__coordinator *coordinator);  /* the job is settled: note which workers it begins with */
int tri__members_missing(const tri__members *members);    /* how many of the expected workers are not ready */
bool tri__members_complete(const tri__members *members);  /* all welcomed workers are ready */
bool tri__members_reported(const tri__members *members);  /* ps:0 does not wait for a final report any more */
bool tri__members_all_named(const tri__members *members); /* every worker that has a token is known to be silent */
void tri__members_tell(const tri__members *members, const tri__message *message);
void tri__members_drop_tokens(tri__members *members); /* sync: the step is over */

void tri__member_give(tri__member *member, const tri__token *token, bool more); /* more: an answer follows */
bool tri__member_can_use(const tri__member *member, int most);                  /* it takes part, and has fewer than `most` tokens */
/* Async: a chunk of a push has come; true: it was the last one of the oldest token. */
bool tri__member_pushed(tri__member *member, int64_t step, uint32_t chunks);
void tri__member_end_token(tri__member *member);                           /* the oldest token is done */
void tri__member_join(tri__member *member, tri__tokens *tokens, int task); /* it takes part, if it is ready */

json_t *tri__members_reports(const tri__coordinator *coordinator); /* the last report of each worker, with its share */
void tri__members_go_back(tri__coordinator *coordinator);          /* sync: all pull the parameters anew */
TRI_MUST_CHECK tri_status tri__member_ready(tri__coordinator *coordinator, tri__peer *peer, const tri__message *message);
void tri__member_report(tri__coordinator *coordinator, tri__peer *peer, const json_t *body);
void tri__member_bye(tri__coordinator *coordinator, tri__peer *peer, const json_t *body);
void tri__member_leave(tri__coordinator *coordinator, int task, const char *why); /* other workers do what it had not done */
void tri__member_disconnected(tri__coordinator *coordinator, tri__peer *peer);
void tri__members_check_gone(tri__coordinator *coordinator, int64_t now);
void tri__members_check_nobody(tri__coordinator *coordinator, int64_t now); /* fails a job that has no worker left */

#endif
