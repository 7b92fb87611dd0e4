/* live_run.c: polls the readers of a run's files. */
#include "watch/web/live_run.h"

#include <stdlib.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "watch/sample/run_files.h"

enum { LARGEST_COMMAND = 1 << 16 };

/* ---- what is read ---- */

static void read_command(tri__live_run *run)
{
    char *path = tri__path_join(run->folder, TRI_RUN_COMMAND);
    size_t size = 0;
    if (!run->command && path && tri__file_exists(path)) {
        tri_status_free(tri__file_read(path, LARGEST_COMMAND, &run->command, &size));
        run->version += run->command != NULL;
    }
    free(path);
}

/* Read the summary only if the run has ended. While a resumed run goes on, the file has the summary of its earlier part. */
static void read_summary(tri__live_run *run)
{
    const bool running = tri__run_history_view(run->history)->running;
    char *path = tri__path_join(run->folder, TRI_RUN_SUMMARY);
    if (running && run->summary) {
        json_decref(run->summary);
        run->summary = NULL;
        run->version++;
    } else if (!running && !run->summary && path && tri__file_exists(path)) {
        tri_status_free(tri__json_read(path, &run->summary)); /* a damaged summary counts as none */
        run->version += run->summary != NULL;
    }
    free(path);
}

static tri_status note_told(tri__live_run *run)
{
    const int tasks = tri__run_history_count(run->history), curves = tri__run_curves_count(run->curves);
    TRI_TRY(tri__grow(&run->told_points, &run->told_points_room, tasks, sizeof *run->told_points, "a run's state"));
    TRI_TRY(tri__grow(&run->told_curves, &run->told_curves_room, curves, sizeof *run->told_curves, "a run's state"));
    run->told_marks = tri__run_history_view(run->history)->marks;
    for (int i = 0; i < tasks; i++)
        run->told_points[i] = tri__run_history_series(run->history, i)->count;
    for (int i = 0; i < curves; i++)
        run->told_curves[i] = tri__run_curves_get(run->curves, i)->count;
    return NULL;
}

static void finish_poll(tri__live_run *run)
{
    tri__run_view *view = tri__run_history_view(run->history);
    const int64_t structure = tri__run_history_version(run->history) + tri__run_curves_version(run->curves);
    if (run->has_ended(run->folder, view))
        tri__run_view_end(view);
    if (structure != run->structure)
        run->version++;
    run->structure = structure;
    read_command(run);
    read_summary(run);
}

tri_status tri__live_run_poll(tri__live_run *run)
{
    TRI_TRY(note_told(run));
    TRI_TRY(tri__run_history_poll(run->history));
    TRI_TRY(tri__run_curves_poll(run->curves));
    finish_poll(run);
    return NULL;
}

tri_status tri__live_run_init(tri__live_run *run, const char *folder, bool (*has_ended)(const char *folder, const tri__run_view *view))
{
    *run = (tri__live_run){.folder = folder, .has_ended = has_ended, .version = 1};
    tri_status status = tri__run_history_open(folder, &run->history);
    if (!status)
        status = tri__run_curves_open(folder, &run->curves);
    if (!status)
        finish_poll(run);
    else
        tri__live_run_fini(run);
    return status;
}

void tri__live_run_fini(tri__live_run *run)
{
    tri__run_history_close(run->history);
    tri__run_curves_close(run->curves);
    json_decref(run->summary);
    free(run->command);
    free(run->told_points);
    free(run->told_curves);
    *run = (tri__live_run){0};
}
