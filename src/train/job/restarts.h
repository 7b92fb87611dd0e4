/* restarts.h: how often a process was started again, and whether it may be once more.
 *
 * A process that dies again and again would go on to: so restarts are limited. One that is killed while the job gets on is not to blame:
 * so they are forgotten when there is progress, whatever that is to the caller. */
#ifndef TRI_TRAIN_JOB_RESTARTS_H
#define TRI_TRAIN_JOB_RESTARTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_MOST_RESTARTS = 8 }; /* the largest limit where there is a window */

typedef struct {
    int limit;      /* so many restarts are allowed … */
    int64_t window; /* … within so many nanoseconds; 0: in all */
    int count;      /* since they were last forgotten */
    int64_t when[TRI_MOST_RESTARTS];
} tri__restarts;

void tri__restarts_init(tri__restarts *restarts, int limit, int64_t window);
bool tri__restarts_allowed(const tri__restarts *restarts, int64_t now);
void tri__restarts_count(tri__restarts *restarts, int64_t now); /* there is one more */
void tri__restarts_forget(tri__restarts *restarts);             /* the process, or the job, has got on since */
int tri__restarts_left(const tri__restarts *restarts);          /* of those without a window */

#endif
