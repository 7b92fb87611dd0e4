/* trace_part.c: reads the blocks of a file. Reading ends at a block that makes no sense. */
#include "watch/report/trace_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

enum { MOST_TEXTS = 1 << 20 };

typedef char text[TRI_TRACE_TEXT];

typedef struct {
    text *text;
    int64_t room;
    int count;
} texts;

struct tri__trace_part {
    FILE *file;
    tri__trace_task task;
    int processes;
    texts names, lanes;
    int64_t left_out;
    tri__trace_event event[TRI_TRACE_BLOCK];
    int count, at; /* how many events were read, and how many were given out */
};

tri_status tri__trace_part_open(const char *path, tri__trace_part **out)
{
    tri__trace_part *part;
    *out = NULL;
    FILE *file = fopen(path, "re");
    if (!file)
        return tri_fail(TRI_IO, "%s: cannot be read: %s", path, strerror(errno));
    tri_status status = tri__allocate(1, sizeof *part, "a part of a trace", &part);
    if (status) {
        fclose(file);
        return status;
    }
    part->file = file;
    *out = part;
    return NULL;
}

void tri__trace_part_close(tri__trace_part *part)
{
    if (!part)
        return;
    fclose(part->file);
    free(part->names.text);
    free(part->lanes.text);
    free(part);
}

void tri__trace_part_rewind(tri__trace_part *part)
{
    rewind(part->file);
    part->processes = part->names.count = part->lanes.count = part->count = part->at = 0;
    part->left_out = 0;
}

/* ---- blocks ---- */

static bool read_bytes(tri__trace_part *part, void *to, size_t bytes)
{
    return fread(to, 1, bytes, part->file) == bytes;
}

static bool take_task(tri__trace_part *part, size_t bytes)
{
    if (bytes != sizeof part->task || !read_bytes(part, &part->task, bytes))
        return false;
    part->task.task[sizeof part->task.task - 1] = part->task.host[sizeof part->task.host - 1] = 0;
    part->task.clock[sizeof part->task.clock - 1] = 0;
    part->processes++;
    part->names.count = part->lanes.count = 0;
    return true;
}

static bool take_text(tri__trace_part *part, size_t bytes, texts *to)
{
    text own = "";
    if (bytes >= sizeof own || to->count == MOST_TEXTS || !read_bytes(part, own, bytes))
        return false;
    tri_status status = tri__grow(&to->text, &to->room, to->count + 1, sizeof *to->text, "the names of a trace");
    if (status) {
        tri_status_free(status);
        return false;
    }
    memcpy(to->text[to->count++], own, sizeof own);
    return true;
}

static bool take_events(tri__trace_part *part, size_t bytes)
{
    if (bytes > sizeof part->event || bytes % sizeof *part->event != 0 || !read_bytes(part, part->event, bytes))
        return false;
    part->count = (int)(bytes / sizeof *part->event);
    part->at = 0;
    return true;
}

static bool take_block(tri__trace_part *part)
{
    tri__trace_block block;
    int64_t left_out = 0;
    if (!read_bytes(part, &block, sizeof block) || (block.kind != TRI_BLOCK_TASK && part->processes == 0))
        return false;
    switch (block.kind) {
    case TRI_BLOCK_TASK:
        return take_task(part, block.bytes);
    case TRI_BLOCK_NAME:
        return take_text(part, block.bytes, &part->names);
    case TRI_BLOCK_LANE:
        return take_text(part, block.bytes, &part->lanes);
    case TRI_BLOCK_EVENTS:
        return take_events(part, block.bytes);
    case TRI_BLOCK_FULL:
        if (block.bytes != sizeof left_out || !read_bytes(part, &left_out, sizeof left_out) || left_out < 0 ||
            left_out > INT64_MAX - part->left_out)
            return false;
        part->left_out += left_out;
        return true;
    default:
        return false;
    }
}

/* ---- events ---- */

const tri__trace_event *tri__trace_part_event(const tri__trace_part *part)
{
    return &part->event[part->at - 1];
}

static bool makes_sense(const tri__trace_part *part, const tri__trace_event *event)
{
    return event->name >= 0 && event->name < part->names.count && event->lane >= 0 && event->lane < part->lanes.count &&
           event->begin >= 0 && event->duration >= 0 && event->duration <= INT64_MAX - event->begin;
}

const tri__trace_event *tri__trace_part_next(tri__trace_part *part)
{
    for (;;) {
        while (part->at < part->count)
            if (makes_sense(part, &part->event[part->at++]))
                return tri__trace_part_event(part);
        part->count = part->at = 0;
        if (!take_block(part))
            return NULL;
    }
}

const tri__trace_task *tri__trace_part_task(const tri__trace_part *part)
{
    return &part->task;
}

const char *tri__trace_part_name(const tri__trace_part *part)
{
    return part->names.text[tri__trace_part_event(part)->name];
}

const char *tri__trace_part_lane(const tri__trace_part *part, int lane)
{
    return part->lanes.text[lane];
}

int tri__trace_part_process(const tri__trace_part *part)
{
    return part->processes;
}

int64_t tri__trace_part_left_out(const tri__trace_part *part)
{
    return part->left_out;
}
