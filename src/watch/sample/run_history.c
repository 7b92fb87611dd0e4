/* run_history.c: keeps one reader open for each file, and a bounded list of points for each. */
#include "watch/sample/run_history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/task.h"
#include "watch/sample/columns.h"
#include "watch/sample/run_files.h"

/* The reader of a series. */
struct tri__series_reader {
    tri__sample_reader *file; /* NULL until there is a file */
    int column[TRI_RUN_FIELDS];
    tri__run_row last; /* the last sample */
    tri__run_row sum;  /* the mean of the samples that are not enough for a point yet */
    int gathered;      /* how many such samples there are */
};

struct tri__run_history {
    char *folder; /* the folder of samples */
    char *run;
    tri__run_series **series;
    int64_t room;
    int count;
    int64_t version;
    tri__run_view view;
};

/* ---- points ---- */

/* Merge the mean of `have` samples with row, the mean of `weight` others. If a number is NaN on one side, the other side's is kept. */
static void merge(tri__run_row *mean, int have, const tri__run_row *row, int weight)
{
    for (int i = 0; i < TRI_RUN_FIELDS; i++) {
        const tri__run_field *field = &tri__run_fields[i];
        const double old = tri__run_row_get(mean, field), added = tri__run_row_get(row, field);
        if (!isfinite(added))
            continue;
        const bool replace = field->counts || !isfinite(old) || have == 0;
        tri__run_row_set(mean, field, replace ? added : (old * have + added * weight) / (have + weight));
    }
}

static void halve(tri__run_series *series)
{
    for (int i = 0; i < series->count / 2; i++) {
        tri__run_row point = series->point[2 * i];
        merge(&point, 1, &series->point[2 * i + 1], 1);
        series->point[i] = point;
    }
    series->count /= 2;
    series->stride *= 2;
}

/* Add a sample. Returns whether points were merged. */
static bool add_sample(tri__run_series *series, const tri__run_row *row)
{
    struct tri__series_reader *reader = series->reader;
    if (reader->gathered == 0)
        tri__run_row_clear(&reader->sum);
    merge(&reader->sum, reader->gathered, row, 1);
    if (++reader->gathered < series->stride)
        return false;
    if (series->count == TRI_HISTORY_POINTS) { /* stride doubles, so these samples are only half of the next point */
        halve(series);
        return true;
    }
    series->point[series->count++] = reader->sum;
    reader->gathered = 0;
    return false;
}

/* ---- files ---- */

static void free_series(tri__run_series *series)
{
    if (!series)
        return;
    if (series->reader)
        tri__sample_reader_close(series->reader->file);
    free(series->reader);
    free(series->point);
    free(series);
}

static tri_status fill_series(tri__run_series *series)
{
    TRI_TRY(tri__allocate(TRI_HISTORY_POINTS, sizeof *series->point, "the samples of a task", &series->point));
    TRI_TRY(tri__allocate(1, sizeof *series->reader, "the reader of a task", &series->reader));
    series->stride = 1;
    return NULL;
}

static tri_status add_series(tri__run_history *history, const char *task, tri__run_series **out)
{
    tri__run_series *series = NULL;
    TRI_TRY(tri__grow(&history->series, &history->room, history->count + 1, sizeof *history->series, "the tasks of a run"));
    TRI_TRY(tri__allocate(1, sizeof *series, "a task of a run", &series));
    tri_status status = fill_series(series);
    if (status) {
        free_series(series);
        return status;
    }
    snprintf(series->task, sizeof series->task, "%s", task);
    tri__run_row_clear(&series->reader->last);
    memcpy(series->reader->last.task, series->task, sizeof series->task);
    history->series[history->count++] = series;
    history->version++;
    *out = series;
    return NULL;
}

static tri_status find_series(tri__run_history *history, const char *task, tri__run_series **out)
{
    for (int i = 0; i < history->count; i++)
        if (!strcmp(history->series[i]->task, task)) {
            *out = history->series[i];
            return NULL;
        }
    return add_series(history, task, out);
}

/* Open the task's file. A task that was restarted on another host has a new file. */
static bool open_file(tri__run_history *history, tri__run_series *series, const char *path)
{
    struct tri__series_reader *reader = series->reader;
    if (reader->file && !tri__sample_reader_is_of(reader->file, path)) {
        tri__sample_reader_close(reader->file);
        reader->file = NULL;
    }
    if (!reader->file) {
        reader->file = tri__sample_reader_open(path);
        if (reader->file) {
            history->version++;
            tri__run_row_columns(reader->file, reader->column);
            snprintf(series->host, sizeof series->host, "%.63s", tri__sample_reader_host(reader->file));
        }
    }
    return reader->file;
}

static void read_on(tri__run_history *history, tri__run_series *series)
{
    struct tri__series_reader *reader = series->reader;
    tri__run_row *last = &reader->last;
    for (const double *sample; (sample = tri__sample_reader_next(reader->file));) {
        tri__run_row_take(last, reader->column, sample);
        history->version += add_sample(series, last);
    }
    last->every = tri__sample_reader_every(reader->file);
    if (!(last->wall >= 0 && last->wall < TRI_LATEST_WALL))
        last->wall = tri__sample_reader_changed(reader->file);
}

static tri_status read_file(tri__run_history *history, const char *name)
{
    char task[TRI_SAMPLE_TASK];
    tri__run_series *series = NULL;
    if (!tri__sample_task(name, task))
        return NULL;
    char *path = tri__path_join(history->folder, name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    tri_status status = find_series(history, task, &series);
    if (!status && open_file(history, series, path))
        read_on(history, series);
    free(path);
    return status;
}

/* ---- all of them ---- */

/* Whether the samples of this task, instead of teller's, should be used for the host from now on: teller has fallen silent, or none is used
 * yet and this task has more points. */
static bool tells_more(const tri__run_series *series, const tri__run_series *teller)
{
    const double ahead = series->reader->last.wall - teller->reader->last.wall;
    return ahead > 2 * teller->reader->last.every || (!teller->tells_host && series->count > teller->count);
}

static void choose_teller(tri__run_history *history, const char *host)
{
    tri__run_series *teller = NULL;
    for (int i = 0; i < history->count; i++)
        if (!strcmp(history->series[i]->host, host) && (!teller || history->series[i]->tells_host))
            teller = history->series[i];
    for (int i = 0; i < history->count; i++)
        if (!strcmp(history->series[i]->host, host) && tells_more(history->series[i], teller))
            teller = history->series[i];
    for (int i = 0; i < history->count; i++) {
        tri__run_series *series = history->series[i];
        if (strcmp(series->host, host) != 0 || series->tells_host == (series == teller))
            continue;
        series->tells_host = series == teller;
        history->version++;
    }
}

static void choose_tellers(tri__run_history *history)
{
    for (int i = 0; i < history->count; i++)
        choose_teller(history, history->series[i]->host);
}

static int by_task(const void *a, const void *b)
{
    const tri__run_series *const *x = a, *const *y = b;
    return tri__task_name_order((*x)->task, (*y)->task);
}

static tri_status make_view(tri__run_history *history)
{
    tri__run_view_fini(&history->view);
    TRI_TRY(tri__allocate((size_t)history->count + 1, sizeof *history->view.row, "the tasks of a run", &history->view.row));
    for (int i = 0; i < history->count; i++)
        if (history->series[i]->reader->file)
            history->view.row[history->view.count++] = history->series[i]->reader->last;
    tri__run_view_compare(&history->view);
    return tri__run_view_read_marks(history->run, &history->view);
}

tri_status tri__run_history_poll(tri__run_history *history)
{
    char **names = NULL;
    size_t count = 0;
    TRI_TRY(tri__run_view_list(history->run, &names, &count));
    tri_status status = NULL;
    for (size_t i = 0; !status && i < count; i++)
        status = read_file(history, names[i]);
    tri__folder_free(names, count);
    TRI_TRY(status);
    if (history->count > 0)
        qsort(history->series, (size_t)history->count, sizeof *history->series, by_task);
    choose_tellers(history);
    return make_view(history);
}

tri_status tri__run_history_open(const char *folder, tri__run_history **out)
{
    *out = NULL;
    tri__run_history *history = NULL;
    TRI_TRY(tri__allocate(1, sizeof *history, "the history of a run", &history));
    history->run = strdup(folder);
    history->folder = tri__path_join(folder, TRI_RUN_SAMPLES);
    tri_status status = history->run && history->folder ? tri__run_history_poll(history) : tri_fail(TRI_NO_MEMORY, "no memory for a name");
    if (status) {
        tri__run_history_close(history);
        return status;
    }
    *out = history;
    return NULL;
}

void tri__run_history_close(tri__run_history *history)
{
    if (!history)
        return;
    for (int i = 0; i < history->count; i++)
        free_series(history->series[i]);
    tri__run_view_fini(&history->view);
    free(history->series);
    free(history->folder);
    free(history->run);
    free(history);
}

int64_t tri__run_history_version(const tri__run_history *history)
{
    return history->version;
}

tri__run_view *tri__run_history_view(tri__run_history *history)
{
    return &history->view;
}

int tri__run_history_count(const tri__run_history *history)
{
    return history->count;
}

const tri__run_series *tri__run_history_series(const tri__run_history *history, int index)
{
    return history->series[index];
}
