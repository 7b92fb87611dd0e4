/* books.h: what each worker has brought into the model, as ps:0 counts it.
 *
 * A worker that is killed reports no more, and one whose ps:0 was killed reports what went back, too. So ps:0 counts itself: a step counts
 * for its worker when ps:0 has all of it. The counts are part of every snapshot, and go back with it. */
#ifndef TRI_STORE_PS_SERVER_BOOKS_H
#define TRI_STORE_PS_SERVER_BOOKS_H

#include "base/json.h"
#include "store/ps/protocol/tokens.h"
#include "store/ps/server/stretch.h"

typedef struct tri__coordinator tri__coordinator;

/* Of one worker: steps whose gradient is in the model, and the examples behind them. */
typedef struct {
    int64_t steps, examples;
} tri__share;

/* What was done again, dropped or lost while an earlier ps:0 led the job. */
typedef struct {
    int64_t lost, dropped, re_leased;
} tri__losses;

typedef struct {
    tri__share share[TRI_MOST_TASKS]; /* by task */
    tri__losses before;               /* this process */
} tri__books;

void tri__books_count(tri__coordinator *coordinator, int task, const tri__token *token); /* its gradient is in the model */
void tri__books_count_step(tri__coordinator *coordinator);                               /* sync: the present step is: all its parts */
void tri__books_count_leaver(tri__coordinator *coordinator, int task);                   /* sync: what it had pushed of the present step */

json_t *tri__books_write(const tri__coordinator *coordinator);                   /* as they are now; NULL when memory is short */
void tri__books_go_back(tri__coordinator *coordinator, const json_t *books);     /* to what was written; NULL: to the beginning */
void tri__books_take_losses(tri__coordinator *coordinator, const json_t *books); /* of an earlier ps:0; NULL: there was none */
tri__losses tri__books_losses(const tri__coordinator *coordinator);              /* of all of the job */
tri__share tri__books_share(const json_t *books, int task);                      /* as it was written */

#endif
