/* members.h: the workers, as ps:0 knows them. A worker is known by its task, and outlives its connections: a process that reconnects soon
 * enough goes on where it was.
 *
 *           welcome                READY                         async: at once; sync: the next view
 *    NONE ───────────► WELCOMED ───────────► READY ─────────────────────────────────────────────────► TAKES_PART
 *                          ▲                   │  ▲                                                       │ │
 *                          │                   │  └───── the tokens have no place for it ─────────────────┘ │
 *                          └───────────────────┴──────── sync: all go back ─────────────────────────────────┘
 *
 * From every state it becomes NONE when it leaves: it said bye, did not come back, was silent for too long, or another process has its
 * task now. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_MEMBERS_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_MEMBERS_H

#include "store/ps/coordinator/books.h"
#include "store/ps/server/server_inside.h"

enum { TRI_MOST_AHEAD = 64 };

typedef enum {
    TRI_MEMBER_NONE,       /* no worker has this task, or the worker that had it has left */
    TRI_MEMBER_WELCOMED,   /* it pulls the parameters */
    TRI_MEMBER_READY,      /* it has them all, and wants to take part */
    TRI_MEMBER_TAKES_PART, /* it is given tokens */
} tri__member_state;

typedef struct {
    tri__member_state state;
    tri__peer *peer; /* NULL while it has no connection … */
    int64_t gone;    /* … since this time; 0: it has one, or ps:0 does not wait for it any more */
    uint64_t incarnation;
    bool reported;                    /* its final report has come, or it said bye */
    bool named;                       /* the user was told that the job waits for it */
    int ahead;                        /* tokens that it can use at once */
    tri__token token[TRI_MOST_AHEAD]; /* the tokens that it has, the oldest first */
    int tokens;
    uint32_t arrived; /* async: chunks of ps:0 that it has pushed for the oldest one */
    json_t *report;   /* the last one; NULL */
} tri__member;

typedef struct {
    tri__member *member;           /* [TRI_MOST_TASKS] */
    int tasks;                     /* one more than the highest that ever came */
    int invited;                   /* the number that was last given to a worker that joins */
    bool expected[TRI_MOST_TASKS]; /* the job begins with these workers, as soon as they are there */
    int64_t alone;                 /* when the last worker left; 0: some are here */
    char straggler[256];           /* the worker that the job waits for; "": none */
    char damage[512];              /* what a worker said when it left because its data is damaged; "": none did */
    int damaged_task;              /* … and the task of that worker */
} tri__members;

TRI_MUST_CHECK tri_status tri__members_init(tri__members *members);
void tri__members_fini(tri__members *members);

void tri__members_count_in(tri__members *members, int task); /* it has come, to this process of ps:0 or to an earlier one */
int tri__members_ready(const tri__members *members);         /* how many want to take part */
int tri__members_connected(const tri__members *members);
void tri__members_expect(tri__coordinator *coordinator);  /* the job is settled: note which workers it begins with */
int tri__members_missing(const tri__members *members);    /* how many of those are not ready */
bool tri__members_complete(const tri__members *members);  /* all that were welcomed are ready */
bool tri__members_reported(const tri__members *members);  /* ps:0 waits for no final report any more */
bool tri__members_all_named(const tri__members *members); /* every worker that has a token is known to be silent */
void tri__members_tell(const tri__members *members, const tri__message *message);
void tri__members_drop_tokens(tri__members *members); /* sync: the step is over */

void tri__member_give(tri__member *member, const tri__token *token, bool more); /* more: an answer follows */
bool tri__member_can_use(const tri__member *member, int most);                  /* one token more, of so many at once */
bool tri__member_pushed(tri__member *member, int64_t step, uint32_t chunks);    /* async: a chunk; true: the last one of its oldest token */
void tri__member_end_token(tri__member *member);                                /* the oldest */
void tri__member_join(tri__member *member, tri__tokens *tokens, int task);      /* takes part, if it is ready */

json_t *tri__members_reports(const tri__coordinator *coordinator); /* the last one of each worker, and its share */
void tri__members_go_back(tri__coordinator *coordinator);          /* sync: all pull the parameters anew */
TRI_MUST_CHECK tri_status tri__member_ready(tri__coordinator *coordinator, tri__peer *peer, const tri__message *message);
void tri__member_report(tri__coordinator *coordinator, tri__peer *peer, const json_t *body);
void tri__member_bye(tri__coordinator *coordinator, tri__peer *peer, const json_t *body);
void tri__member_leave(tri__coordinator *coordinator, int task, const char *why); /* what it had not done is others' to do */
void tri__member_disconnected(tri__coordinator *coordinator, tri__peer *peer);
void tri__members_check_gone(tri__coordinator *coordinator, int64_t now);
void tri__members_check_nobody(tri__coordinator *coordinator, int64_t now); /* fails a job that has no worker left */

#endif
