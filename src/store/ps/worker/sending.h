/* sending.h: what a worker sends to servers, and in which order. The caller holds the worker's lock. */
#ifndef TRI_STORE_PS_WORKER_SENDING_H
#define TRI_STORE_PS_WORKER_SENDING_H

#include "store/ps/worker/worker_inside.h"

tri__message tri__sending_head(const tri__worker *worker, uint32_t number); /* the head of the chunk's push, all but its size */
/* The number of a push and of its answer in a trace; the server uses the same number. */
uint64_t tri__sending_number(const tri__worker *worker, tri__trace_span kind, uint32_t number);
void tri__sending_clear(tri__link *link);                     /* empties the queue of chunks */
void tri__sending_push(tri__worker *worker, uint32_t number); /* a chunk is ready: sends it, or leaves it to the loop's thread */
void tri__sending_go_on(tri__worker *worker, int server);     /* sends as many chunks of the queue as the connection takes */
void tri__sending_pull_all(tri__worker *worker, int server);  /* all go back: drops the queue, and pulls all chunks */
void tri__sending_refresh(tri__worker *worker);               /* between steps: pulls all parameters once more */
void tri__sending_repeat(tri__worker *worker, int server);    /* a new connection: sends what was not answered again */
void tri__sending_say_ready(tri__worker *worker);

#endif
