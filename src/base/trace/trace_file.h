/* trace_file.h: a part of a trace as it stands in its file: blocks, each a head and its bytes. The first block of a process is TASK; names
 * come before the events that use them. A process that is killed leaves a last block that is not whole, which readers leave out, and which
 * the next process cuts off before it writes on. Numbers are as the machine has them: parts are merged by the machines that wrote them. */
#ifndef TRI_BASE_TRACE_TRACE_FILE_H
#define TRI_BASE_TRACE_TRACE_FILE_H

#include <stdint.h>

enum { TRI_TRACE_CLOCK = 96, TRI_TRACE_TEXT = 128, TRI_TRACE_BLOCK = 4096 /* the most events of one */ };

typedef enum {
    TRI_BLOCK_TASK = 0x54495254, /* tri__trace_task: a process begins */
    TRI_BLOCK_NAME,              /* the name of the next span, as text: the first one is number 0 */
    TRI_BLOCK_LANE,              /* the name of the next lane */
    TRI_BLOCK_EVENTS,            /* of one lane */
    TRI_BLOCK_FULL,              /* an int64_t: events left out */
} tri__trace_block_kind;

typedef struct {
    uint32_t kind;
    uint32_t bytes; /* behind this head */
} tri__trace_block;

typedef struct {
    char task[TRI_TRACE_TEXT];
    char host[TRI_TRACE_TEXT];
    char clock[TRI_TRACE_CLOCK]; /* processes that share it read the same monotonic clock */
    double wall;                 /* seconds since 1970 … */
    int64_t now;                 /* … when the monotonic clock was this */
} tri__trace_task;

typedef struct {
    int64_t begin, duration; /* nanoseconds, of the process's monotonic clock */
    int64_t step;            /* −1: none */
    uint64_t message;        /* 0: none */
    int32_t name;
    int16_t lane, flow; /* tri__flow */
} tri__trace_event;

#endif
