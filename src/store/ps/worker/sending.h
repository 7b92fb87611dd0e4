/* sending.h: what a worker says to servers, and in which order. The worker's lock is held. */
#ifndef TRI_STORE_PS_WORKER_SENDING_H
#define TRI_STORE_PS_WORKER_SENDING_H

#include "store/ps/worker/worker_inside.h"

tri__message tri__sending_head(const tri__worker *worker, uint32_t number); /* of the message that pushes the chunk, all but its size */
/* A push and its answer, in a trace; the server numbers them likewise. */
uint64_t tri__sending_number(const tri__worker *worker, tri__trace_span kind, uint32_t number);
void tri__sending_clear(tri__link *link);                     /* no chunk is in line */
void tri__sending_push(tri__worker *worker, uint32_t number); /* a chunk is ready: sends it, or lets the loop's thread do so */
void tri__sending_go_on(tri__worker *worker, int server);     /* those in line, as many as the connection takes */
void tri__sending_pull_all(tri__worker *worker, int server);  /* what is in line means nothing any more */
void tri__sending_repeat(tri__worker *worker, int server);    /* a new connection: what was not answered is said again */
void tri__sending_say_ready(tri__worker *worker);

#endif
