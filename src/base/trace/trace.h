/* trace.h: a timeline of one process: spans of time on lanes, and the messages that leave and reach it.
 *
 * A trace writes into a part file. When all tasks of a run have ended, their parts are merged into one timeline (watch/report). A lane
 * belongs to one thread at a time; its spans nest. It keeps its last events in memory and writes them when it is full. A part has a bounded
 * number of events; what comes later is left out and counted.
 *
 * Where nothing is traced, lanes are NULL: a span then costs a comparison, and the clock is not read. */
#ifndef TRI_BASE_TRACE_TRACE_H
#define TRI_BASE_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread/clock.h"
#include "trireme/status.h"

typedef struct tri__trace tri__trace;
typedef struct tri__trace_lane tri__trace_lane;

/* The names of spans. From INPUT to UPDATE they are phases, named as in summary.json. Within compute lie layers, and the updates, sends and
 * waits that a store makes in a layer's place. A process adds its own names, such as those of layers, behind these (tri__trace_name). */
typedef enum {
    TRI_SPAN_STEP,
    TRI_SPAN_INPUT,
    TRI_SPAN_COMPUTE,
    TRI_SPAN_SEND,
    TRI_SPAN_SERVER,
    TRI_SPAN_PEERS,
    TRI_SPAN_UPDATE,
    TRI_SPAN_PUSH,    /* a worker hands a gradient to the network */
    TRI_SPAN_GATHER,  /* a server takes it: applies it, or keeps it until its step is whole */
    TRI_SPAN_ANSWER,  /* a server hands new parameters to the network */
    TRI_SPAN_RECEIVE, /* a worker takes them */
    TRI_SPAN_SUM,     /* ranks or replicas add up a part of their gradients */
    TRI_SPAN_EVALUATION,
    TRI_SPAN_CHECKPOINT,
} tri__trace_span;

enum { TRI_SPANS = TRI_SPAN_CHECKPOINT + 1 };

/* Continue the part file at path, or begin it; task is "worker:1". */
TRI_MUST_CHECK tri_status tri__trace_create(const char *path, const char *task, tri__trace **out);
void tri__trace_flush(tri__trace *trace); /* writes what lanes have; call it while no thread uses a lane; accepts NULL */
void tri__trace_close(tri__trace *trace); /* after a flush; frees its lanes, too; accepts NULL */

/* Add a lane of this name. It belongs to the trace. NULL where trace is NULL, or memory is short. */
tri__trace_lane *tri__trace_lane_add(tri__trace *trace, const char *name);

/* Add a name beside those of tri__trace_span; returns its number, for spans. Not while other threads trace. */
int tri__trace_name(tri__trace *trace, const char *name);

/* The identity of a message, the same on both ends: made of its kind, and of three numbers that tell it from others of its kind. */
uint64_t tri__trace_message(tri__trace_span kind, int64_t a, int64_t b, int64_t c);

typedef enum { TRI_FLOW_NONE, TRI_FLOW_SENDS, TRI_FLOW_RECEIVES } tri__flow;

/* Add a span. flow says whether the message (0: none) is sent or received in it. step: of the run; −1: none. Does nothing where lane is
 * NULL. */
void tri__trace_add(tri__trace_lane *lane, int name, int64_t begin, int64_t end, int64_t step, tri__flow flow, uint64_t message);

static inline int64_t tri__trace_begin(const tri__trace_lane *lane)
{
    return lane ? tri__clock_now() : 0;
}

static inline void tri__trace_end(tri__trace_lane *lane, int name, int64_t begin, int64_t step)
{
    if (lane)
        tri__trace_add(lane, name, begin, tri__clock_now(), step, TRI_FLOW_NONE, 0);
}

static inline void tri__trace_end_message(tri__trace_lane *lane, int name, int64_t begin, int64_t step, tri__flow flow, uint64_t message)
{
    if (lane)
        tri__trace_add(lane, name, begin, tri__clock_now(), step, flow, message);
}

#endif
