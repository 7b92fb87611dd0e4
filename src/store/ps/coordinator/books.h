/* books.h: what each worker has brought into the model, as ps:0 counts it.
 *
 * A worker that is killed reports no more, and one whose ps:0 was killed reports what went back, too. So ps:0 counts itself: a step counts
 * for its worker when ps:0 has all of it. The counts are part of every snapshot, and go back with it. */
#ifndef TRI_STORE_PS_COORDINATOR_BOOKS_H
#define TRI_STORE_PS_COORDINATOR_BOOKS_H

#include "base/file/json.h"
#include "store/ps/protocol/tokens.h"
#include "store/ps/stretch/stretch.h"

typedef struct tri__coordinator tri__coordinator;

/* Of one worker: steps whose gradient is in the model, and the examples behind them. */
typedef struct {
    int64_t steps, examples;
} tri__share;

/* What was done again, dropped or lost: while an earlier ps:0 led the job, or in all of it. */
typedef struct {
    int64_t lost, dropped, re_leased;
} tri__losses;

/* `lacks` is not part of the losses that a checkpoint keeps: it is known from `updates`. */
typedef struct {
    tri__share share[TRI_MOST_TASKS];   /* by task */
    tri__losses before;                 /* this process … */
    int64_t began;                      /* … which went on from this step … */
    uint32_t first_generation;          /* … in this generation … */
    double seconds;                     /* … after so much time in which steps were made */
    int64_t taken_back[TRI_MOST_TASKS]; /* by task: its updates that a ps:0 before this one had acknowledged, and that went back … */
    int64_t reached[TRI_MOST_TASKS];    /* … and how many steps after `began` were made, as far as it knows; 0: none */
    int64_t kept_beyond;                /* … and how many at least, as servers show that have kept their stretch */
    int64_t updates[TRI_MOST_SERVERS];  /* async, by server: of every chunk of its part of the last snapshot */
    int64_t lacks[TRI_MOST_SERVERS];    /* async, by server: updates that count as steps, and are not in its stretch */
} tri__books;

void tri__books_count(tri__coordinator *coordinator, int task, const tri__token *token); /* its gradient is in the model */
void tri__books_count_step(tri__coordinator *coordinator);                               /* sync: the present step is: all its parts */
void tri__books_count_leaver(tri__coordinator *coordinator, int task);                   /* sync: what it had pushed of the present step */

void tri__books_begin(tri__coordinator *coordinator); /* this process goes on from the snapshot that was loaded */
void tri__books_count_taken_back(tri__coordinator *coordinator, int task, const json_t *hello); /* as far as it knows */
void tri__books_count_kept(tri__coordinator *coordinator, int64_t updates);           /* a server has a chunk with so many, of before */
void tri__books_restored(tri__coordinator *coordinator, int server, int64_t updates); /* its stretch has so many of every chunk */
void tri__books_copied(tri__coordinator *coordinator, int server, int64_t updates);   /* … and so many now, in its copy */

json_t *tri__books_write(const tri__coordinator *coordinator);               /* as they are now; NULL when memory is short */
void tri__books_go_back(tri__coordinator *coordinator, const json_t *books); /* to what was written; NULL: to the beginning */
tri__losses tri__books_losses(const tri__coordinator *coordinator);          /* of all of the job */
tri__share tri__books_share(const json_t *books, int task);                  /* as it was written */
double tri__books_seconds(const json_t *books);                              /* in which steps were made till then */
bool tri__books_members(const json_t *books, bool *present);                 /* [TRI_MOST_TASKS] who took part then; false: not known */
/* Async: the books of a snapshot tell what servers had in their copies: updates of every chunk, and a list of pushes (known_pushes.h). They
 * are noted when the snapshot is whole, or passed on from an earlier one, whose copies it has. */
void tri__books_note_copies(const tri__coordinator *coordinator, json_t *books, json_t *pushed); /* pushed: a list for each server */
void tri__books_pass_copies(const tri__coordinator *coordinator, const tri__standing *from, json_t *to);
int64_t tri__books_updates(const json_t *books, int server, int64_t usual); /* usual: where none were noted */
const json_t *tri__books_pushed(const json_t *books, int server);           /* NULL: none were noted */

#endif
