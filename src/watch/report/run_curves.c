/* run_curves.c: each poll continues each event file where the last poll ended. */
#include "watch/report/run_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "watch/sample/run_files.h"
#include "watch/sample/sample_read.h"

typedef struct {
    char *path;
    char task[TRI_CURVE_NAME];
    size_t read; /* bytes read so far */
    bool broken; /* the file is damaged: nothing more is read from it */
} event_file;

struct tri__run_curves {
    char *folder; /* RUN/events */
    event_file *file;
    int64_t file_room, curve_room;
    int files, count;
    tri__curve **curve;
    uint8_t *graph;
    size_t graph_size;
    int64_t version;
};

/* ---- curves ---- */

static tri_status add_curve(tri__run_curves *curves, const char *task, tri__span tag, tri__curve **out)
{
    tri__curve *curve = NULL;
    TRI_TRY(tri__grow(&curves->curve, &curves->curve_room, curves->count + 1, sizeof *curves->curve, "curves"));
    TRI_TRY(tri__allocate(1, sizeof *curve, "a curve", &curve));
    tri_status status = tri__allocate(TRI_CURVE_POINTS, sizeof *curve->point, "the points of a curve", &curve->point);
    if (status) {
        free(curve);
        return status;
    }
    snprintf(curve->task, sizeof curve->task, "%s", task);
    memcpy(curve->tag, tag.data, tag.size);
    curve->stride = 1;
    curves->curve[curves->count++] = curve;
    curves->version++;
    *out = curve;
    return NULL;
}

/* Find or add a curve. *out is NULL if there are too many curves, or the tag is too long or otherwise unusable. */
static tri_status find_curve(tri__run_curves *curves, const char *task, tri__span tag, tri__curve **out)
{
    *out = NULL;
    for (int i = 0; i < curves->count && !*out; i++)
        if (!strcmp(curves->curve[i]->task, task) && tri__span_equal(tag, curves->curve[i]->tag))
            *out = curves->curve[i];
    if (*out || curves->count == TRI_CURVES_MOST || tag.size == 0 || tag.size >= TRI_CURVE_NAME || memchr(tag.data, 0, tag.size))
        return NULL;
    return add_curve(curves, task, tag, out);
}

static void halve(tri__curve *curve)
{
    for (int i = 0; i < curve->count / 2; i++)
        curve->point[i] = curve->point[2 * i + 1];
    curve->count /= 2;
    curve->stride *= 2;
}

static void add_point(tri__run_curves *curves, tri__curve *curve, const tri__curve_point *point)
{
    curve->last = *point;
    if (++curve->skipped < curve->stride)
        return;
    if (curve->count == TRI_CURVE_POINTS) { /* stride doubles, so this value is only half way to the next point */
        halve(curve);
        curves->version++;
        return;
    }
    curve->skipped = 0;
    curve->point[curve->count++] = *point;
}

/* A resumed run repeats the steps after its checkpoint. The earlier points of those steps are dropped. */
static void go_back(tri__run_curves *curves, const char *task, double step)
{
    for (int i = 0; i < curves->count; i++) {
        tri__curve *curve = curves->curve[i];
        while (!strcmp(curve->task, task) && curve->count > 0 && curve->point[curve->count - 1].step >= step)
            curve->count--;
    }
    curves->version++;
}

static void keep_graph(tri__run_curves *curves, tri__span graph)
{
    if (curves->graph || graph.size == 0)
        return;
    curves->graph = malloc(graph.size);
    if (!curves->graph)
        return;
    memcpy(curves->graph, graph.data, graph.size);
    curves->graph_size = graph.size;
    curves->version++;
}

/* ---- files ---- */

static tri_status take(tri__run_curves *curves, const char *task, const tri__event *event)
{
    tri__curve *curve = NULL;
    if (event->kind == TRI_EVENT_GRAPH)
        keep_graph(curves, event->body);
    else if (event->kind == TRI_EVENT_RESTART)
        go_back(curves, task, (double)event->step);
    if (event->kind != TRI_EVENT_SCALAR)
        return NULL;
    TRI_TRY(find_curve(curves, task, event->tag, &curve));
    const tri__curve_point point = {event->wall, (double)event->step, event->value};
    if (curve && isfinite(event->value))
        add_point(curves, curve, &point);
    else if (curve)
        curve->last = point;
    return NULL;
}

static tri_status read_values(tri__run_curves *curves, event_file *file, const tri__mapping *mapping)
{
    tri__event_reader reader;
    tri__event event;
    bool more = true;
    tri__event_reader_init(&reader, file->path, mapping->data + file->read, mapping->size - file->read);
    while (more) {
        tri_status damaged = tri__event_next(&reader, &event, &more);
        file->broken = damaged;
        if (damaged || !more) {
            tri_status_free(damaged);
            break;
        }
        TRI_TRY(take(curves, file->task, &event));
    }
    file->read += (size_t)(reader.at - reader.start);
    return NULL;
}

static tri_status read_on(tri__run_curves *curves, event_file *file)
{
    tri__mapping mapping;
    if (file->broken || tri__file_size(file->path) <= (int64_t)file->read)
        return NULL;
    tri_status status = tri__file_map(file->path, &mapping);
    if (status) { /* the file is gone: its points stay */
        tri_status_free(status);
        return NULL;
    }
    status = mapping.size > file->read ? read_values(curves, file, &mapping) : NULL;
    tri__file_unmap(&mapping);
    return status;
}

/* Takes ownership of path. */
static tri_status add_file(tri__run_curves *curves, const char *task, char *path)
{
    for (int i = 0; i < curves->files; i++)
        if (!strcmp(curves->file[i].path, path)) {
            free(path);
            return NULL;
        }
    tri_status status = tri__grow(&curves->file, &curves->file_room, curves->files + 1, sizeof *curves->file, "event files");
    if (status) {
        free(path);
        return status;
    }
    event_file *file = &curves->file[curves->files++];
    *file = (event_file){.path = path};
    snprintf(file->task, sizeof file->task, "%s", task);
    return NULL;
}

/* ---- folders ---- */

static tri_status find_files(tri__run_curves *curves, const char *folder, const char *task)
{
    char **names = NULL;
    size_t count = 0;
    tri_status status = tri__folder_list(folder, &names, &count);
    if (status) { /* there is no folder, or it is being made */
        tri_status_free(status);
        return NULL;
    }
    for (size_t i = 0; !status && i < count; i++) {
        char *path = strncmp(names[i], "events.out.tfevents.", 20) ? NULL : tri__path_join(folder, names[i]);
        status = path ? add_file(curves, task, path) : NULL;
    }
    tri__folder_free(names, count);
    return status;
}

static tri_status find_task(tri__run_curves *curves, const char *name)
{
    char file[TRI_CURVE_NAME + 8], task[TRI_SAMPLE_TASK];
    if (strlen(name) >= TRI_CURVE_NAME)
        return NULL;
    snprintf(file, sizeof file, "%s.csv", name);
    char *folder = tri__sample_task(file, task) ? tri__path_join(curves->folder, name) : NULL;
    tri_status status = folder ? find_files(curves, folder, task) : NULL;
    free(folder);
    return status;
}

tri_status tri__run_curves_poll(tri__run_curves *curves)
{
    char **names = NULL;
    size_t count = 0;
    tri_status status = tri__folder_list(curves->folder, &names, &count);
    if (status) {
        tri_status_free(status);
        return NULL;
    }
    for (size_t i = 0; !status && i < count; i++)
        status = find_task(curves, names[i]);
    tri__folder_free(names, count);
    for (int i = 0; !status && i < curves->files; i++)
        status = read_on(curves, &curves->file[i]);
    return status;
}

tri_status tri__run_curves_open(const char *folder, tri__run_curves **out)
{
    *out = NULL;
    tri__run_curves *curves = NULL;
    TRI_TRY(tri__allocate(1, sizeof *curves, "the curves of a run", &curves));
    curves->folder = tri__path_join(folder, TRI_RUN_EVENTS);
    tri_status status = curves->folder ? tri__run_curves_poll(curves) : tri_fail(TRI_NO_MEMORY, "no memory for the name of a folder");
    if (status) {
        tri__run_curves_close(curves);
        return status;
    }
    *out = curves;
    return NULL;
}

void tri__run_curves_close(tri__run_curves *curves)
{
    if (!curves)
        return;
    for (int i = 0; i < curves->files; i++)
        free(curves->file[i].path);
    for (int i = 0; i < curves->count; i++) {
        free(curves->curve[i]->point);
        free(curves->curve[i]);
    }
    free(curves->file);
    free(curves->curve);
    free(curves->graph);
    free(curves->folder);
    free(curves);
}

int64_t tri__run_curves_version(const tri__run_curves *curves)
{
    return curves->version;
}

int tri__run_curves_count(const tri__run_curves *curves)
{
    return curves->count;
}

const tri__curve *tri__run_curves_get(const tri__run_curves *curves, int index)
{
    return curves->curve[index];
}

const tri__curve *tri__run_curves_find(const tri__run_curves *curves, const char *tag)
{
    const tri__curve *newest = NULL;
    for (int i = 0; i < curves->count; i++)
        if (!strcmp(curves->curve[i]->tag, tag) && (!newest || curves->curve[i]->last.wall > newest->last.wall))
            newest = curves->curve[i];
    return newest;
}

tri__span tri__run_curves_graph(const tri__run_curves *curves)
{
    return (tri__span){curves->graph, curves->graph_size};
}
