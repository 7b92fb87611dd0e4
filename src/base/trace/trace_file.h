/* trace_file.h: the format of a part file of a trace: blocks, each a head and its bytes. The first block of a process is TASK; names come
 * before the events that use them. A process that is killed may leave a last block that is not whole: readers ignore it, and the next
 * process cuts it off before it writes. Numbers have the machine's byte order: a machine like the one that wrote the parts merges them. */
#ifndef TRI_BASE_TRACE_TRACE_FILE_H
#define TRI_BASE_TRACE_TRACE_FILE_H

#include <stdint.h>

enum { TRI_TRACE_CLOCK = 96, TRI_TRACE_TEXT = 128, TRI_TRACE_BLOCK = 4096 /* the most events of one block */ };

typedef enum {
    TRI_BLOCK_TASK = 0x54495254, /* tri__trace_task: a process begins */
    TRI_BLOCK_NAME,              /* the name of the next span, as text: the first one is number 0 */
    TRI_BLOCK_LANE,              /* the name of the next lane */
    TRI_BLOCK_EVENTS,            /* events of one lane */
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
    double wall;                 /* seconds since 1970, when the process began */
    int64_t now;                 /* the monotonic clock at the time of `wall` */
} tri__trace_task;

typedef struct {
    int64_t begin, duration; /* nanoseconds, of the process's monotonic clock */
    int64_t step;            /* −1: none */
    uint64_t message;        /* 0: none */
    int32_t name;
    int16_t lane, flow; /* tri__flow */
} tri__trace_event;

#endif
