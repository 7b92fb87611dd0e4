/* restarts.h: counts how often a process was started again, and decides whether it may be started once more.
 *
 * Restarts are limited, since a process may die again and again for the same reason. A process that is killed while the job makes progress
 * is not to blame: the caller forgets the restarts when there is progress. */
#ifndef TRI_TRAIN_JOB_RESTARTS_H
#define TRI_TRAIN_JOB_RESTARTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_MOST_RESTARTS = 8 }; /* the largest limit where there is a window */

typedef struct {
    int limit;      /* how many restarts are allowed, within the window */
    int64_t window; /* nanoseconds; 0: the limit is for the whole job */
    int count;      /* restarts since they were last forgotten */
    int64_t when[TRI_MOST_RESTARTS];
} tri__restarts;

void tri__restarts_init(tri__restarts *restarts, int limit, int64_t window);
bool tri__restarts_allowed(const tri__restarts *restarts, int64_t now);
void tri__restarts_count(tri__restarts *restarts, int64_t now); /* the process is started again */
void tri__restarts_forget(tri__restarts *restarts);             /* the process or the job has made progress */
int tri__restarts_left(const tri__restarts *restarts);          /* how many are left, where there is no window */

#endif
