/* tokens.h: who does which step: the coordinator's book, and nothing else. It reads and sends nothing and knows no time.
 *
 * A token is the right to do one step, and says which examples it takes: slice `index` of `workers` of the step at `position`
 * (data/batch/shard.h). Members are the workers that are there, known by their task number; they join and leave at any time.
 *
 * Async and bounded staleness: a token is one update. Steps are numbered as they are first granted, and positions follow one another. What
 * a member held when it left goes to others, before anything new. With bounded staleness the step that a member would begin, counted with
 * those it holds, may be at most `staleness` ahead of what the slowest live member has done; who joins begins with the slowest. The slowest
 * itself may always go on, so nobody waits for ever as long as all that live ask and do.
 *
 * With fixed parts, step s is that of worker s mod `workers`, which does its steps in their order and then waits for the end, however fast
 * it is. A worker that has nothing of its own left does steps of workers that are not there. What is left of a resumed run is dealt out
 * anew.
 *
 * Sync: a step has a token for each member that is live when the first of them asks for it, in the order of task numbers. One that joins
 * later waits for the next step, and nobody leaves in the midst of one. Whose gradients are in it and when it is complete is the business
 * of those who add them up (stretch.h): they tell only that the step is applied. */
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
    int64_t step;         /* so many updates are done */
    int64_t position;     /* every example before it is done, or of an outstanding batch */
    int64_t low;          /* the low-water mark: every example before it is done */
    int64_t *outstanding; /* [count] positions of the batches that are not done, rising; NULL where count is 0 */
    int count;
    json_t *books; /* who brought how much of it (coordinator/books.h); owned; NULL: not known */
} tri__standing;

typedef struct {
    int64_t held;  /* tokens that are granted and not done */
    int64_t again; /* tokens that came back from members that left, and went or go to others */
} tri__tokens_report;

typedef struct tri__tokens tri__tokens;

/* Go on at standing, of which outstanding batches are served first; they are of the same batch size. A sync run has none: it goes on at a
 * low-water mark. TRI_BAD_DATA where that cannot be a standing of this work. */
TRI_MUST_CHECK tri_status tri__tokens_create(const tri__ps_settings *settings, const tri__work *work, const tri__standing *standing,
                                             tri__tokens **out);
void tri__tokens_destroy(tri__tokens *tokens); /* accepts NULL */

bool tri__tokens_join(tri__tokens *tokens, int member);  /* false: it is there already, or no such number can be */
void tri__tokens_leave(tri__tokens *tokens, int member); /* does nothing where it is not there; sync: between two steps */

/* Grant this member a token. False where there is none for it now; that may change whenever any member joins, leaves or has done a token,
 * and when a step advances. */
TRI_MUST_CHECK bool tri__tokens_next(tri__tokens *tokens, int member, tri__token *out);

/* Not sync: the update of this token is applied. False where the member does not hold it: it left meanwhile, or it says so twice. */
TRI_MUST_CHECK bool tri__tokens_done(tri__tokens *tokens, int member, int64_t step);

void tri__tokens_advance(tri__tokens *tokens); /* sync: the step that was given out is applied; nobody holds a part of it any more */

bool tri__tokens_finished(const tri__tokens *tokens); /* all steps are done */
int64_t tri__tokens_steps(const tri__tokens *tokens); /* that are done */
tri__tokens_report tri__tokens_describe(const tri__tokens *tokens);

/* Where it stands now; end it with tri__standing_fini. */
TRI_MUST_CHECK tri_status tri__tokens_standing(const tri__tokens *tokens, tri__standing *out);
void tri__standing_fini(tri__standing *standing);

/* To send it, with its books. TRI_BAD_DATA where what came is none. */
json_t *tri__standing_json(const tri__standing *standing); /* NULL: memory is short */
TRI_MUST_CHECK tri_status tri__standing_read(const json_t *json, tri__standing *out);

/* Go back to standing, as for create. Members stay and hold nothing any more. */
TRI_MUST_CHECK tri_status tri__tokens_rollback(tri__tokens *tokens, const tri__standing *standing);

#endif
