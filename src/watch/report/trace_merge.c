/* trace_merge.c: reads all parts several times: to find those that have events, to collect the messages, which show clocks and arrows, and
 * to write.
 *
 * Clocks. For a message from a to b, (b's clock when it ends) − (a's clock when it begins) = travel + offset. In the least of these over
 * all messages, travel is nearly 0. The same holds in the other direction, where the offset has the other sign. So half of the difference
 * of the two least values is the offset, as with NTP. The error is at most half of the two least travels together. */
#define _GNU_SOURCE /* fopencookie */
#include "watch/report/trace_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/json.h"
#include "base/memory/memory.h"
#include "base/trace/trace.h"
#include "watch/report/trace_part.h"
#include "watch/sample/marks.h"
#include "watch/sample/run_files.h"

typedef enum { BY_SHARING, BY_MESSAGES, BY_WALL } alignment;

typedef struct {
    tri__trace_part *part;
    tri__trace_task task; /* the first process of the part */
    int64_t first;        /* when its first event began, by its own clock; INT64_MAX: it has no events, and is left out */
    int64_t offset;       /* of its clock from that of the first part */
    alignment by;         /* how the offset was found */
} source;

/* One end of a message. */
typedef struct {
    uint64_t message;
    int64_t time;
    int source;
    bool sends;
} message_end;

typedef struct {
    source *source;
    int count;
    message_end *end;
    int64_t end_room;
    int64_t ends;
    int64_t start;    /* when the timeline begins, by the clock of the first part */
    int64_t left_out; /* events that had no room in parts which hold none */
    FILE *out;
    bool comma;
} merge;

/* ---- clocks and messages ---- */

static tri_status keep_end(merge *m, int from, const tri__trace_event *event)
{
    TRI_TRY(tri__grow(&m->end, &m->end_room, m->ends + 1, sizeof *m->end, "the messages of a trace"));
    const bool sends = event->flow == TRI_FLOW_SENDS;
    m->end[m->ends++] = (message_end){event->message, sends ? event->begin : event->begin + event->duration, from, sends};
    return NULL;
}

static bool shares_clock(const merge *m, int which)
{
    return !strcmp(m->source[which].task.clock, m->source[0].task.clock);
}

static tri_status look_through(merge *m, int which, bool messages)
{
    source *s = &m->source[which];
    s->first = INT64_MAX;
    tri__trace_part_rewind(s->part);
    for (const tri__trace_event *event; (event = tri__trace_part_next(s->part));) {
        if (s->first == INT64_MAX)
            s->task = *tri__trace_part_task(s->part);
        s->first = event->begin < s->first ? event->begin : s->first;
        if (messages && event->message)
            TRI_TRY(keep_end(m, which, event));
    }
    return NULL;
}

static int by_message(const void *a, const void *b)
{
    const message_end *x = a, *y = b;
    if (x->message != y->message)
        return x->message < y->message ? -1 : 1;
    return (int)y->sends - (int)x->sends;
}

/* The least travel of messages between two groups of parts, by their own clocks. One group shares the clock of the part `other`, the other
 * group that of the first part. towards: the direction. False if there is no message. */
static bool least_travel(const merge *m, int other, bool towards, int64_t *least)
{
    bool found = false;
    for (int64_t i = 0; i + 1 < m->ends; i++) {
        const message_end *sent = &m->end[i], *received = sent + 1;
        if (sent->message != received->message || !sent->sends || received->sends)
            continue;
        const source *from = &m->source[towards ? 0 : other], *to = &m->source[towards ? other : 0];
        if (strcmp(m->source[sent->source].task.clock, from->task.clock) || strcmp(m->source[received->source].task.clock, to->task.clock))
            continue;
        const int64_t travel = received->time - sent->time;
        *least = found && *least < travel ? *least : travel;
        found = true;
    }
    return found;
}

static void align(merge *m, int which)
{
    source *s = &m->source[which];
    const tri__trace_task *first = &m->source[0].task;
    int64_t there = 0, back = 0;
    if (shares_clock(m, which))
        return;
    if (least_travel(m, which, true, &there) && least_travel(m, which, false, &back)) {
        s->offset = there / 2 - back / 2;
        s->by = BY_MESSAGES;
        return;
    }
    s->offset = s->task.now - first->now - llround((s->task.wall - first->wall) * 1e9);
    s->by = BY_WALL;
}

/* Drop parts without events: nothing can be aligned with their clocks. */
static void drop_empty_parts(merge *m)
{
    int kept = 0;
    for (int i = 0; i < m->count; i++) {
        if (m->source[i].first != INT64_MAX) {
            m->source[kept++] = m->source[i];
            continue;
        }
        m->left_out += tri__trace_part_left_out(m->source[i].part);
        tri__trace_part_close(m->source[i].part);
    }
    m->count = kept;
}

static tri_status align_all(merge *m)
{
    for (int i = 0; i < m->count; i++)
        TRI_TRY(look_through(m, i, false));
    drop_empty_parts(m);
    for (int i = 0; i < m->count; i++)
        TRI_TRY(look_through(m, i, true));
    if (m->ends)
        qsort(m->end, (size_t)m->ends, sizeof *m->end, by_message);
    for (int i = 1; i < m->count; i++)
        align(m, i);
    m->start = INT64_MAX;
    for (int i = 0; i < m->count; i++)
        if (m->source[i].first - m->source[i].offset < m->start)
            m->start = m->source[i].first - m->source[i].offset;
    return NULL;
}

/* ---- events ---- */

static double microseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e3;
}

static void next(merge *m)
{
    fputs(m->comma ? ",\n" : "\n", m->out);
    m->comma = true;
}

static void write_name(merge *m, const char *what, int process, int lane, const char *name)
{
    next(m);
    fprintf(m->out, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":", what, process, lane);
    tri__json_put_string(m->out, name, "\"\"");
    fputs("}}", m->out);
}

/* Where the ends of this message begin among all, or would begin. */
static int64_t first_end(const merge *m, uint64_t message)
{
    int64_t low = 0, high = m->ends;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->end[middle].message < message)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A message may lack an end: its task was killed, its part was full, or the message was not what the other side expected. */
static bool has_both_ends(const merge *m, uint64_t message)
{
    bool sent = false, received = false;
    for (int64_t i = first_end(m, message); i < m->ends && m->end[i].message == message; i++) {
        sent |= m->end[i].sends;
        received |= !m->end[i].sends;
    }
    return sent && received;
}

static void write_flow(merge *m, const tri__trace_event *event, double begin, int process)
{
    const bool sends = event->flow == TRI_FLOW_SENDS;
    next(m);
    fprintf(m->out,
            "{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"%s\",%s\"id\":\"%016" PRIx64 "\",\"ts\":%.3f,\"pid\":%d,\"tid\":%d}",
            sends ? "s" : "f", sends ? "" : "\"bp\":\"e\",", event->message, begin, process, event->lane);
}

static void write_event(merge *m, const source *s, int process)
{
    const tri__trace_event event = *tri__trace_part_event(s->part);
    const double begin = microseconds(event.begin - s->offset - m->start);
    next(m);
    fputs("{\"name\":", m->out);
    tri__json_put_string(m->out, tri__trace_part_name(s->part), "\"\"");
    fprintf(m->out, ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d",
            event.name < TRI_SPANS ? "phase" : "layer", begin, microseconds(event.duration), process, event.lane);
    if (event.step >= 0)
        fprintf(m->out, ",\"args\":{\"step\":%" PRId64 "}", event.step);
    fputc('}', m->out);
    if (event.message && has_both_ends(m, event.message))
        write_flow(m, &event, begin, process);
}

/* Each start of a task is a process of the timeline: a task that was restarted has several. */
static void write_source(merge *m, source *s, int *process)
{
    int seen = 0, lanes = 0;
    tri__trace_part_rewind(s->part);
    while (tri__trace_part_next(s->part)) {
        const tri__trace_event *event = tri__trace_part_event(s->part);
        if (tri__trace_part_process(s->part) != seen) {
            char name[2 * TRI_TRACE_TEXT + 32];
            const tri__trace_task *task = tri__trace_part_task(s->part);
            snprintf(name, sizeof name, seen ? "%s on %s, started again" : "%s on %s", task->task, task->host);
            seen = tri__trace_part_process(s->part);
            lanes = 0;
            write_name(m, "process_name", ++*process, 0, name);
        }
        for (; lanes <= event->lane; lanes++)
            write_name(m, "thread_name", *process, lanes, tri__trace_part_lane(s->part, lanes));
        write_event(m, s, *process);
    }
}

static void write_marks(merge *m, const char *run)
{
    char *path = tri__path_join(run, TRI_RUN_MARKS);
    tri__mark *mark = NULL;
    int count = 0;
    tri_status_free(path ? tri__marks_read(path, &mark, &count) : NULL);
    const tri__trace_task *first = &m->source[0].task;
    for (int i = 0; i < count && m->count > 0; i++) {
        char line[256];
        const double at = (mark[i].wall - first->wall) * 1e6 + microseconds(first->now - m->start);
        if (!(at >= 0))
            continue; /* the mark is from before the trace */
        snprintf(line, sizeof line, "%s of %s", tri__mark_kind_name(mark[i].kind), mark[i].task);
        next(m);
        fputs("{\"name\":", m->out);
        tri__json_put_string(m->out, line, "\"\"");
        fprintf(m->out, ",\"cat\":\"mark\",\"ph\":\"i\",\"s\":\"g\",\"ts\":%.3f,\"pid\":1,\"tid\":0,\"args\":{\"note\":", at);
        tri__json_put_string(m->out, mark[i].note, "\"\"");
        fputs("}}", m->out);
    }
    free(mark);
    free(path);
}

static void write_clocks(merge *m, int64_t left_out)
{
    static const char *const how[] = {[BY_SHARING] = "shared clock", [BY_MESSAGES] = "messages both ways", [BY_WALL] = "wall clock"};
    fprintf(m->out, "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"events_left_out\":%" PRId64 ",\"clocks\":{", left_out);
    for (int i = 0; i < m->count; i++) {
        fputs(i > 0 ? "," : "", m->out);
        tri__json_put_string(m->out, m->source[i].task.task, "\"\"");
        fprintf(m->out, ":{\"offset_us\":%.3f,\"by\":\"%s\"}", microseconds(m->source[i].offset), how[m->source[i].by]);
    }
    fputs("}}}\n", m->out);
}

static void write_all(merge *m, const char *run, int64_t *left_out)
{
    int process = 0;
    *left_out = m->left_out;
    fputs("{\"traceEvents\":[", m->out);
    for (int i = 0; i < m->count; i++) {
        write_source(m, &m->source[i], &process);
        *left_out += tri__trace_part_left_out(m->source[i].part);
    }
    write_marks(m, run);
    write_clocks(m, *left_out);
}

static ssize_t pass_on(void *writer, const char *data, size_t size)
{
    tri__writer_write(writer, data, size);
    return (ssize_t)size;
}

/* Write the file, complete or not at all. */
static tri_status write_file(merge *m, const char *run, const char *path, int64_t *left_out)
{
    tri__writer *writer;
    TRI_TRY(tri__writer_create(path, &writer));
    m->out = fopencookie(writer, "w", (cookie_io_functions_t){.write = pass_on});
    if (m->out)
        write_all(m, run, left_out);
    if (!m->out || fclose(m->out)) {
        tri__writer_abandon(writer);
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to write it", path);
    }
    return tri__writer_commit(writer);
}

/* ---- from beginning to end ---- */

static tri_status open_parts(merge *m, const char *folder, char **names, size_t count)
{
    TRI_TRY(tri__allocate(count + 1, sizeof *m->source, "the parts of a trace", &m->source));
    for (size_t i = 0; i < count; i++) {
        char *path = tri__path_join(folder, names[i]);
        if (!path)
            return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
        tri_status status = tri__trace_part_open(path, &m->source[m->count].part);
        free(path);
        TRI_TRY(status);
        m->count++;
    }
    return NULL;
}

static tri_status merge_into(merge *m, const char *run, int64_t *left_out)
{
    char *path = tri__path_join(run, TRI_RUN_TIMELINE);
    tri_status status = path ? align_all(m) : tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    if (!status)
        status = write_file(m, run, path, left_out);
    free(path);
    return status;
}

tri_status tri__trace_merge(const char *run, int64_t *left_out)
{
    char **names = NULL, *folder = tri__path_join(run, TRI_RUN_TRACES);
    size_t count = 0;
    int64_t lost = 0;
    merge m = {0};
    tri_status status = folder ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a folder");
    if (!status && tri__folder_exists(folder))
        status = tri__folder_list(folder, &names, &count);
    if (!status && count > 0)
        status = open_parts(&m, folder, names, count);
    if (!status && count > 0)
        status = merge_into(&m, run, &lost);
    for (int i = 0; i < m.count; i++)
        tri__trace_part_close(m.source[i].part);
    if (left_out)
        *left_out = lost;
    free(m.source);
    free(m.end);
    tri__folder_free(names, count);
    free(folder);
    return status;
}
