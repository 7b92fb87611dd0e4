/* books.h: what each worker has brought into the model, as ps:0 counts it.
 *
 * The workers' own reports do not show this: a worker that is killed reports nothing, and after ps:0 was killed, workers report steps that
 * went back. So ps:0 counts a step for its worker when it has all of the step. The counts are part of every snapshot, and go back with
 * it. */
#ifndef TRI_STORE_PS_COORDINATOR_BOOKS_H
#define TRI_STORE_PS_COORDINATOR_BOOKS_H

#include "base/file/json.h"
#include "store/ps/protocol/tokens.h"
#include "store/ps/stretch/stretch.h"

typedef struct tri__coordinator tri__coordinator;

/* What one worker has done: the steps whose gradient is in the model, and the examples of these steps. */
typedef struct {
    int64_t steps, examples;
} tri__share;

/* Updates that were lost, gradients that were dropped, and steps that were given out again. */
typedef struct {
    int64_t lost, dropped, re_leased;
} tri__losses;

/* `lacks` is not part of the losses that a checkpoint keeps: it is known from `updates`. */
typedef struct {
    tri__share share[TRI_MOST_TASKS];   /* by task */
    tri__losses before;                 /* the losses before this process led the job */
    int64_t began;                      /* the step from which this process went on */
    uint32_t first_generation;          /* the generation in which this process began */
    double seconds;                     /* in which earlier processes made the steps up to `began` */
    int64_t taken_back[TRI_MOST_TASKS]; /* by task: updates that an earlier ps:0 had acknowledged to this worker, and that went back */
    int64_t reached[TRI_MOST_TASKS];    /* by task: steps that an earlier ps:0 made after `began`, as far as this worker knows; 0: none */
    int64_t kept_beyond;                /* async: the least number of steps made after `began`, as servers show that kept their stretch */
    int64_t updates[TRI_MOST_SERVERS];  /* async, by server: updates in every chunk of its part of the last snapshot */
    int64_t lacks[TRI_MOST_SERVERS];    /* async, by server: updates that count as steps, and are not in its stretch */
} tri__books;

void tri__books_count(tri__coordinator *coordinator, int task, const tri__token *token); /* the gradient of this token is in the model */
void tri__books_count_step(tri__coordinator *coordinator);             /* sync: the present step is in the model, with all its parts */
void tri__books_count_leaver(tri__coordinator *coordinator, int task); /* sync: counts what the task had pushed of the present step */

void tri__books_begin(tri__coordinator *coordinator); /* this process goes on from the snapshot that was loaded */
void tri__books_count_taken_back(tri__coordinator *coordinator, int task, const json_t *hello); /* as the worker says */
void tri__books_count_kept(tri__coordinator *coordinator, int64_t updates); /* a server kept a chunk with `updates` from an earlier ps:0 */
void tri__books_restored(tri__coordinator *coordinator, int server, int64_t updates); /* every chunk of its stretch has `updates` */
void tri__books_copied(tri__coordinator *coordinator, int server, int64_t updates);   /* every chunk of its copy has `updates` */

json_t *tri__books_write(const tri__coordinator *coordinator);               /* the books as they are now; NULL: memory is short */
void tri__books_go_back(tri__coordinator *coordinator, const json_t *books); /* to these books; NULL: to the beginning */
tri__losses tri__books_losses(const tri__coordinator *coordinator);          /* of the whole job */
tri__share tri__books_share(const json_t *books, int task);                  /* the task's share in these books */
double tri__books_seconds(const json_t *books);                              /* in which steps were made until then */
bool tri__books_members(const json_t *books, bool *present); /* present[task]: the worker took part then; false: not known */
/* Async: the books of a snapshot say what the servers' copies contain: updates of every chunk, and a list of pushes (known_pushes.h).
 * note_copies writes this when the snapshot is whole; pass_copies takes it over from an earlier snapshot that has the same copies. */
void tri__books_note_copies(const tri__coordinator *coordinator, json_t *books, json_t *pushed); /* pushed: a list for each server */
void tri__books_pass_copies(const tri__coordinator *coordinator, const tri__standing *from, json_t *to);
int64_t tri__books_updates(const json_t *books, int server, int64_t usual); /* usual: the result where none were noted */
const json_t *tri__books_pushed(const json_t *books, int server);           /* NULL: none were noted */

#endif
