/* tokens.h: which worker does which step. This is the coordinator's bookkeeping only: it sends and receives nothing, and knows no time.
 *
 * A token is the right to do one step, and says which examples it takes: slice `index` of `workers` of the step at `position`
 * (data/order/shard.h). Members are the workers that are there, known by their task number; they join and leave at any time.
 *
 * Async and bounded staleness: a token is one update. Steps are numbered as they are first granted, and positions follow one another.
 * Tokens that a member held when it left go to other members, before any new token. With bounded staleness, a member's next step, counted
 * with the steps it holds, may be at most `staleness` ahead of what the slowest live member has done. A member that joins begins where the
 * slowest is. The slowest may always go on, so nobody waits for ever as long as all live members go on asking and doing.
 *
 * The bound holds for what a member reads, too: the parameters of its step contain all that the others have done but for their last
 * `staleness` steps, counted from its own. They are the answer to its last push, and that may be older than the bound allows: others did
 * the steps that it had to wait for after the answer was sent. Then its token is fresh, and it pulls the parameters before the step.
 *
 * With fixed parts, step s belongs to worker s mod `workers`. A worker does its own steps in order and then waits for the end, however fast
 * it is. A worker that has none of its own left does steps of workers that are not there. When a run is resumed, the steps that are left
 * are dealt out anew.
 *
 * Sync: a step has a token for each member that is live when the first of them asks for it, in the order of task numbers. A member that
 * joins later waits for the next step, and no member leaves in the middle of a step. stretch.h decides whose gradients are in a step and
 * when it is complete; here only tri__tokens_advance says that the step was applied. */
#ifndef TRI_STORE_PS_PROTOCOL_TOKENS_H
#define TRI_STORE_PS_PROTOCOL_TOKENS_H

#include "base/file/json.h"
#include "store/ps/protocol/settings.h"
#include "trireme/status.h"

enum {
    TRI_MOST_MEMBERS = 1024, /* task numbers are below */
    TRI_MOST_HELD = 64,      /* tokens that one member may hold */
};

typedef struct {
    int64_t step;       /* from 0 */
    int64_t position;   /* examples before it, of all epochs */
    int index, workers; /* 0 of 1, but for sync */
    bool fresh;         /* bounded staleness: the worker pulls the parameters before the step */
} tri__token;

/* What there is to do. */
typedef struct {
    int64_t examples;      /* in one epoch */
    int64_t batch;         /* of one worker */
    int64_t last_step;     /* the number of steps; INT64_MAX: not limited */
    int64_t last_position; /* where the last epoch ends; INT64_MAX: not limited */
} tri__work;

/* How far it is done: all that a checkpoint has to keep. {0} is the beginning. */
typedef struct {
    int64_t step;         /* how many updates are done */
    int64_t position;     /* every example before it is done, or is in an outstanding batch */
    int64_t low;          /* the low-water mark: every example before it is done */
    int64_t *outstanding; /* [count] positions of the batches that are not done, rising; NULL where count is 0 */
    int count;
    json_t *books; /* how much each worker has done (coordinator/books.h); owned; NULL: not known */
} tri__standing;

typedef struct {
    int64_t held;  /* how many tokens are granted and not done */
    int64_t again; /* how many tokens came back from members that left, and are granted again */
} tri__tokens_report;

typedef struct tri__tokens tri__tokens;

/* Goes on from standing. Its outstanding batches, which have the same batch size, are granted first. A sync run has none: it goes on at the
 * low-water mark. TRI_BAD_DATA where this cannot be the standing of a run; TRI_BAD_CALL where the work makes no sense, or a
 * sync run has outstanding batches. */
TRI_MUST_CHECK tri_status tri__tokens_create(const tri__ps_settings *settings, const tri__work *work, const tri__standing *standing,
                                             tri__tokens **out);
void tri__tokens_destroy(tri__tokens *tokens); /* accepts NULL */

bool tri__tokens_join(tri__tokens *tokens, int member);  /* false: it is there already, or there is no such number */
void tri__tokens_leave(tri__tokens *tokens, int member); /* does nothing if it is not there; sync: only between two steps */

/* Grants this member a token. False: there is none for it now. That may change whenever any member joins, leaves or has done a token, and
 * when a step advances. */
TRI_MUST_CHECK bool tri__tokens_next(tri__tokens *tokens, int member, tri__token *out);

/* Not sync: the update of this token was applied. False: the member does not hold the token: it left meanwhile, or the call came twice. */
TRI_MUST_CHECK bool tri__tokens_done(tri__tokens *tokens, int member, int64_t step);

void tri__tokens_advance(tri__tokens *tokens); /* sync: the step that was given out was applied; no member holds a part of it any more */

bool tri__tokens_finished(const tri__tokens *tokens); /* all steps are done */
int64_t tri__tokens_steps(const tri__tokens *tokens); /* how many steps are done */
tri__tokens_report tri__tokens_describe(const tri__tokens *tokens);

/* Where the job stands now. The caller ends *out with tri__standing_fini. */
TRI_MUST_CHECK tri_status tri__tokens_standing(const tri__tokens *tokens, tri__standing *out);
void tri__standing_fini(tri__standing *standing);

/* A standing as JSON, with its books. TRI_BAD_DATA where the JSON is not a standing. */
json_t *tri__standing_json(const tri__standing *standing); /* NULL: memory is short */
TRI_MUST_CHECK tri_status tri__standing_read(const json_t *json, tri__standing *out);

/* Goes back to standing, with the errors of create. Members stay, and hold nothing any more. */
TRI_MUST_CHECK tri_status tri__tokens_rollback(tri__tokens *tokens, const tri__standing *standing);

#endif
