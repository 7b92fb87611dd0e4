/* counting.h: "1,234 of 60,000 records  2 %  8.2k a second  0:07 left": the progress of work that is counted, as a live line or as a plain
 * line every few seconds, unless the session is quiet. */
#ifndef TRI_CLI_PROCESS_COUNTING_H
#define TRI_CLI_PROCESS_COUNTING_H

#include <pthread.h>

#include "cli/process/session.h"

typedef struct {
    tri__session *session;
    const char *what; /* "records" */
    pthread_mutex_t lock;
    int64_t begun, next; /* times: when the work began, and when to show the next line; lock guards next */
    int64_t before;      /* done before the first call, so not part of the speed; −1: no call yet; guarded by lock */
} tri__counting;

void tri__counting_init(tri__counting *counting, tri__session *session, const char *what);
void tri__counting_show(void *counting, int64_t done, int64_t all); /* from any thread, any number of times */
void tri__counting_restart(tri__counting *counting); /* another part of the work begins; while no thread shows the last one */
void tri__counting_fini(tri__counting *counting);    /* wipes the line */

#endif
