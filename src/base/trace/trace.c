/* trace.c: lanes fill blocks of events; a block is one write at the end of the part file. */
#include "base/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes/random.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/trace/trace_file.h"

enum { MOST_EVENTS = 500000, MOST_LANES = 256 };

struct tri__trace_lane {
    tri__trace *trace;
    int number, count;
    tri__trace_event event[TRI_TRACE_BLOCK];
};

struct tri__trace {
    int fd;
    pthread_mutex_t lock; /* guards what follows */
    off_t end;            /* where the last whole block ends */
    bool torn;            /* there may be a part of a block behind it */
    bool unnamed;         /* a name could not be written: the numbers of later names would be wrong, so nothing more is written */
    int64_t written, left_out;
    char **name;
    int64_t name_room;
    int names;
    tri__trace_lane *lane[MOST_LANES];
    int lanes;
};

static const char *const span_names[TRI_SPANS] = {
    [TRI_SPAN_STEP] = "step",
    [TRI_SPAN_INPUT] = "input",
    [TRI_SPAN_COMPUTE] = "compute",
    [TRI_SPAN_SEND] = "send",
    [TRI_SPAN_SERVER] = "server",
    [TRI_SPAN_PEERS] = "peers",
    [TRI_SPAN_UPDATE] = "update",
    [TRI_SPAN_PUSH] = "push",
    [TRI_SPAN_GATHER] = "gather",
    [TRI_SPAN_ANSWER] = "answer",
    [TRI_SPAN_RECEIVE] = "receive",
    [TRI_SPAN_SUM] = "sum",
    [TRI_SPAN_EVALUATION] = "evaluation",
    [TRI_SPAN_CHECKPOINT] = "checkpoint",
};

/* A block that cannot be written is left out: training goes on without it. A part of a block is cut off, because readers would stop
 * there. */
static bool write_block(tri__trace *trace, tri__trace_block_kind kind, const void *data, size_t bytes)
{
    tri__trace_block block = {.kind = kind, .bytes = (uint32_t)bytes};
    const struct iovec parts[] = {{&block, sizeof block}, {(void *)data, bytes}};
    const ssize_t size = (ssize_t)(sizeof block + bytes);
    if (trace->unnamed || (trace->torn && ftruncate(trace->fd, trace->end)))
        return false;
    trace->torn = writev(trace->fd, parts, 2) != size;
    trace->end += trace->torn ? 0 : size;
    return !trace->torn;
}

static void write_text(tri__trace *trace, tri__trace_block_kind kind, const char *text)
{
    const size_t length = strlen(text);
    if (!write_block(trace, kind, text, length < TRI_TRACE_TEXT - 1 ? length : TRI_TRACE_TEXT - 1))
        trace->unnamed = true;
}

/* ---- from beginning to end ---- */

static void read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, (int)size, file))
        *line = 0;
    line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

/* All processes since one boot read the same monotonic clock, unless a time namespace shifts it for some of them. */
static void describe(tri__trace_task *about, const char *task)
{
    char boot[48] = "", space[40] = "";
    *about = (tri__trace_task){.wall = tri__clock_wall(), .now = tri__clock_now()};
    snprintf(about->task, sizeof about->task, "%s", task);
    if (gethostname(about->host, sizeof about->host - 1))
        snprintf(about->host, sizeof about->host, "unknown");
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    const ssize_t length = readlink("/proc/self/ns/time", space, sizeof space - 1);
    snprintf(about->clock, sizeof about->clock, "%.47s %.*s", *boot ? boot : about->host, (int)(length > 0 ? length : 0), space);
}

/* Where the whole blocks of a file end: a process that was killed may have left a part of a block behind them. */
static off_t end_of_blocks(int fd)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    off_t at = 0;
    tri__trace_block block;
    while (pread(fd, &block, sizeof block, at) == (ssize_t)sizeof block && block.kind >= TRI_BLOCK_TASK && block.kind <= TRI_BLOCK_FULL &&
           (off_t)block.bytes <= size - at - (off_t)sizeof block)
        at += (off_t)(sizeof block + block.bytes);
    return at;
}

tri_status tri__trace_create(const char *path, const char *task, tri__trace **out)
{
    *out = NULL;
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return tri__path_failure(path, "write", errno);
    tri__trace *trace;
    tri_status status = tri__allocate(1, sizeof *trace, "a trace", &trace);
    if (status) {
        close(fd);
        return status;
    }
    trace->fd = fd;
    trace->end = end_of_blocks(fd);
    trace->torn = true;
    pthread_mutex_init(&trace->lock, NULL);
    tri__trace_task about;
    describe(&about, task);
    if (!write_block(trace, TRI_BLOCK_TASK, &about, sizeof about)) {
        status = tri__path_failure(path, "write", errno);
        tri__trace_close(trace);
        return status;
    }
    for (int i = 0; i < TRI_SPANS; i++)
        tri__trace_name(trace, span_names[i]);
    *out = trace;
    return NULL;
}

static void flush(tri__trace_lane *lane)
{
    tri__trace *trace = lane->trace;
    pthread_mutex_lock(&trace->lock);
    const bool room = trace->written + lane->count <= MOST_EVENTS;
    if (lane->count && room && write_block(trace, TRI_BLOCK_EVENTS, lane->event, (size_t)lane->count * sizeof *lane->event))
        trace->written += lane->count;
    else
        trace->left_out += lane->count;
    lane->count = 0;
    pthread_mutex_unlock(&trace->lock);
}

void tri__trace_flush(tri__trace *trace)
{
    for (int i = 0; trace && i < trace->lanes; i++)
        flush(trace->lane[i]);
}

void tri__trace_close(tri__trace *trace)
{
    if (!trace)
        return;
    if (trace->left_out)
        write_block(trace, TRI_BLOCK_FULL, &trace->left_out, sizeof trace->left_out);
    for (int i = 0; i < trace->lanes; i++)
        free(trace->lane[i]);
    for (int i = 0; i < trace->names; i++)
        free(trace->name[i]);
    free(trace->name);
    close(trace->fd);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

/* ---- names and lanes ---- */

tri__trace_lane *tri__trace_lane_add(tri__trace *trace, const char *name)
{
    tri__trace_lane *lane = trace ? calloc(1, sizeof *lane) : NULL;
    if (!lane)
        return NULL;
    pthread_mutex_lock(&trace->lock);
    const bool room = trace->lanes < MOST_LANES;
    if (room) {
        *lane = (tri__trace_lane){.trace = trace, .number = trace->lanes};
        trace->lane[trace->lanes++] = lane;
        write_text(trace, TRI_BLOCK_LANE, name);
    }
    pthread_mutex_unlock(&trace->lock);
    if (!room)
        free(lane);
    return room ? lane : NULL;
}

/* Where memory is short, it returns the number of STEP, so spans of this name look like steps. */
int tri__trace_name(tri__trace *trace, const char *name)
{
    for (int i = 0; i < trace->names; i++)
        if (!strcmp(trace->name[i], name))
            return i;
    tri_status status = tri__grow(&trace->name, &trace->name_room, trace->names + 1, sizeof *trace->name, "the names of a trace");
    char *own = status ? NULL : strdup(name);
    tri_status_free(status);
    if (!own)
        return TRI_SPAN_STEP;
    trace->name[trace->names] = own;
    write_text(trace, TRI_BLOCK_NAME, name);
    return trace->names++;
}

/* ---- events ---- */

uint64_t tri__trace_message(tri__trace_span kind, int64_t a, int64_t b, int64_t c)
{
    tri__key key = tri__key_split(tri__key_split(tri__key_of((uint64_t)a), (uint64_t)b), (uint64_t)c);
    const uint64_t number = tri__random_bits(key, (uint64_t)kind);
    return number ? number : 1;
}

void tri__trace_add(tri__trace_lane *lane, int name, int64_t begin, int64_t end, int64_t step, tri__flow flow, uint64_t message)
{
    if (!lane)
        return;
    lane->event[lane->count++] = (tri__trace_event){.begin = begin,
                                                    .duration = end > begin ? end - begin : 0,
                                                    .step = step,
                                                    .message = message,
                                                    .name = name,
                                                    .lane = (int16_t)lane->number,
                                                    .flow = (int16_t)flow};
    if (lane->count == TRI_TRACE_BLOCK)
        flush(lane);
}
