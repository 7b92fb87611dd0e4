/* run_view.c: reads the last samples of each file in RUN/samples. */
#include "watch/sample/run_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/text/text.h"
#include "base/thread/clock.h"
#include "watch/sample/columns.h"
#include "watch/sample/run_files.h"

#define SLOW 0.7
#define LATE 0.5 /* seconds by which a sample may be late */

enum { BAR = 20, WITH_BAR = 97, LEAST_PATIENCE = 5 };

/* ---- one file ---- */

/* Read the last sample of the file. If there is none, the row is as old as the file. */
static void read_last(tri__sample_reader *reader, tri__run_row *row)
{
    int column[TRI_RUN_FIELDS];
    tri__run_row_columns(reader, column);
    tri__sample_reader_skip(reader);
    for (const double *sample; (sample = tri__sample_reader_next(reader));)
        tri__run_row_take(row, column, sample);
}

/* A task is silent if its next sample is late by two intervals, and by at least some seconds. */
static tri__task_state state_of(const tri__run_row *row)
{
    return tri__clock_wall() - row->wall > fmax(3 * row->every, LEAST_PATIENCE) ? TRI_TASK_SILENT : TRI_TASK_ACTIVE;
}

/* Read the row of a file. False if it is not a file of samples. */
static bool read_file(const char *folder, const char *name, tri__run_row *row)
{
    *row = (tri__run_row){0};
    tri__run_row_clear(row);
    char *path = tri__path_join(folder, name);
    tri__sample_reader *reader = path && tri__sample_task(name, row->task) ? tri__sample_reader_open(path) : NULL;
    if (reader) {
        read_last(reader, row);
        if (!(row->wall >= 0 && row->wall < TRI_LATEST_WALL))
            row->wall = tri__sample_reader_changed(reader);
        row->every = tri__sample_reader_every(reader);
    }
    tri__sample_reader_close(reader);
    free(path);
    return isfinite(row->wall);
}

/* ---- all of them ---- */

static bool is_worker(const tri__run_row *row)
{
    return tri__task_name_has_role(row->task, TRI_ROLE_WORKER);
}

static int by_task(const void *a, const void *b)
{
    const tri__run_row *x = a, *y = b;
    return tri__task_name_order(x->task, y->task);
}

static int by_speed(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_speed(const tri__run_view *view)
{
    double *speed = malloc((size_t)(view->count + 1) * sizeof *speed);
    int count = 0;
    for (int i = 0; speed && i < view->count; i++)
        if (is_worker(&view->row[i]) && view->row[i].state == TRI_TASK_ACTIVE && isfinite(view->row[i].speed))
            speed[count++] = view->row[i].speed;
    if (speed)
        qsort(speed, (size_t)count, sizeof *speed, by_speed);
    double median = count ? speed[count / 2] : 0;
    free(speed);
    return median;
}

/* All tasks sample at the same moments. A task that lacks the last two samples of the others is silent. */
static void mark_silent(tri__run_view *view)
{
    double newest = 0;
    for (int i = 0; i < view->count; i++)
        newest = fmax(newest, view->row[i].wall);
    for (int i = 0; i < view->count; i++)
        if (newest - view->row[i].wall > 2 * view->row[i].every + LATE)
            view->row[i].state = TRI_TASK_SILENT;
}

void tri__run_view_compare(tri__run_view *view)
{
    qsort(view->row, (size_t)view->count, sizeof *view->row, by_task);
    view->running = false;
    for (int i = 0; i < view->count; i++)
        view->row[i].state = state_of(&view->row[i]);
    mark_silent(view);
    const double median = median_speed(view);
    for (int i = 0; i < view->count; i++)
        view->running |= view->row[i].state == TRI_TASK_ACTIVE;
    for (int i = 0; i < view->count; i++)
        if (view->row[i].state == TRI_TASK_ACTIVE && is_worker(&view->row[i]) && view->row[i].speed < SLOW * median)
            view->row[i].state = TRI_TASK_SLOW;
    if (!view->running)
        tri__run_view_end(view);
}

void tri__run_view_end(tri__run_view *view)
{
    view->running = false;
    for (int i = 0; i < view->count; i++)
        view->row[i].state = TRI_TASK_ENDED;
}

/* The object about this task in a list of summary.json; NULL if there is none. */
static const json_t *find_task(const json_t *list, const char *task)
{
    const json_t *one;
    size_t index;
    json_array_foreach(list, index, one)
    {
        const char *name = json_string_value(json_object_get(one, "task"));
        if (name && !strcmp(name, task))
            return one;
    }
    return NULL;
}

static double per_second(const json_t *stats, const char *key)
{
    return tri__json_number_of(stats, key) / tri__json_number_of(stats, "seconds");
}

static void sum_up_work(tri__run_row *row, const json_t *work)
{
    row->speed = per_second(work, "examples");
    tri__phases_read(json_object_get(work, "phases"), row->share);
}

static tri_status sum_up_flows(tri__run_view *view, const json_t *summary)
{
    tri__run_flows_fini(&view->flows);
    TRI_TRY(tri__run_flows_add_summary(&view->flows, summary));
    tri__run_flows_order(&view->flows);
    return NULL;
}

tri_status tri__run_view_sum_up(tri__run_view *view, const json_t *summary)
{
    int workers = 0;
    for (int i = 0; i < view->count; i++) {
        tri__run_row *row = &view->row[i];
        const json_t *used = find_task(json_object_get(summary, "task_stats"), row->task);
        const json_t *work = find_task(json_object_get(summary, "worker_stats"), row->task), *traffic = work ? work : used;
        workers += is_worker(row);
        if (!used)
            continue;
        row->cpu = tri__json_number_of(used, "cpu_percent");
        row->resident = 1e6 * tri__json_number_of(used, "peak_memory_mb");
        row->sent = per_second(traffic, "bytes_sent");
        row->received = per_second(traffic, "bytes_received");
        if (work)
            sum_up_work(row, work);
    }
    for (int i = 0; workers == 1 && i < view->count; i++) /* workers that are threads of one process have one row, and the speed of all */
        if (is_worker(&view->row[i]))
            view->row[i].speed = tri__json_number_of(summary, "examples_per_second");
    return sum_up_flows(view, summary);
}

/* What the task exchanged in the time of its last sample. Lines of peers are written after the sample's line, and have its time. */
static tri_status read_flows(const char *folder, const tri__run_row *row, tri__run_flows *flows)
{
    tri__peer_sum *sums = NULL;
    int count = 0;
    char name[sizeof row->task + sizeof ".csv"];
    snprintf(name, sizeof name, "%s.csv", row->task);
    tri__task_name_to_file(name);
    char *path = tri__path_join(folder, name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    tri_status status = tri__peers_read_end(path, row->wall - row->every / 2, &sums, &count);
    if (!status)
        status = tri__run_flows_add(flows, row->task, sums, count, 1 / row->every);
    free(sums);
    free(path);
    return status;
}

static tri_status read_all_flows(const char *folder, tri__run_view *view)
{
    char *peers = tri__path_join(folder, TRI_RUN_PEERS);
    tri_status status = peers ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a folder");
    for (int i = 0; i < view->count && !status; i++)
        if (view->row[i].state != TRI_TASK_SILENT && view->row[i].every > 0)
            status = read_flows(peers, &view->row[i], &view->flows);
    free(peers);
    tri__run_flows_order(&view->flows);
    return status;
}

static tri_status read_all(const char *samples, char **names, size_t count, tri__run_view *out)
{
    TRI_TRY(tri__allocate(count + 1, sizeof *out->row, "the tasks of a run", &out->row));
    for (size_t i = 0; i < count; i++)
        out->count += read_file(samples, names[i], &out->row[out->count]);
    tri__run_view_compare(out);
    return NULL;
}

tri_status tri__run_view_read_marks(const char *folder, tri__run_view *out)
{
    char *path = tri__path_join(folder, TRI_RUN_MARKS);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    tri_status status = tri__marks_read(path, &out->mark, &out->marks);
    free(path);
    return status;
}

static tri_status list_samples(const char *folder, const char *samples, char ***names, size_t *count)
{
    if (!tri__folder_exists(folder))
        return tri_fail(TRI_NOT_FOUND, "%s: there is no such run folder (check the name)", folder);
    if (!tri__folder_exists(samples))
        return tri_fail(TRI_NOT_FOUND, "%s: has no samples: it is not a run folder, or its run was started with --sample-every never",
                        folder);
    TRI_TRY(tri__folder_list(samples, names, count));
    if (*count > 0)
        return NULL;
    tri__folder_free(*names, *count);
    *names = NULL;
    return tri_fail(TRI_NOT_FOUND, "%s: has no samples yet; try again in a moment", folder);
}

tri_status tri__run_view_list(const char *folder, char ***names, size_t *count)
{
    *names = NULL;
    *count = 0;
    char *samples = tri__path_join(folder, TRI_RUN_SAMPLES);
    if (!samples)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a folder");
    tri_status status = list_samples(folder, samples, names, count);
    free(samples);
    return status;
}

tri_status tri__run_view_read(const char *folder, tri__run_view *out)
{
    char **names = NULL, *samples = tri__path_join(folder, TRI_RUN_SAMPLES);
    size_t count = 0;
    *out = (tri__run_view){0};
    tri_status status =
        samples ? tri__run_view_list(folder, &names, &count) : tri_fail(TRI_NO_MEMORY, "no memory for the name of a folder");
    if (!status)
        status = read_all(samples, names, count, out);
    if (!status && out->count == 0)
        status = tri_fail(TRI_NOT_FOUND, "%s: has no samples yet; try again in a moment", folder);
    if (!status)
        status = tri__run_view_read_marks(folder, out);
    if (!status)
        status = read_all_flows(folder, out);
    tri__folder_free(names, count);
    free(samples);
    if (status)
        tri__run_view_fini(out);
    return status;
}

void tri__run_view_fini(tri__run_view *view)
{
    free(view->row);
    free(view->mark);
    tri__run_flows_fini(&view->flows);
    *view = (tri__run_view){0};
}

/* ---- lines ---- */

static const char letters[TRI_PHASES] = {
    [TRI_PHASE_INPUT] = 'i', [TRI_PHASE_COMPUTE] = 'c', [TRI_PHASE_SEND] = 's', [TRI_PHASE_SERVER] = 'w',
    [TRI_PHASE_PEERS] = 'p', [TRI_PHASE_UPDATE] = 'u',  [TRI_PHASE_OTHER] = '.'};

const char *tri__run_view_header(int columns, char *buffer, size_t size)
{
    snprintf(buffer, size, "%-12s %9s %10s %7s %5s %6s %6s %6s  %s", "task", "step", "examples/s", "loss", "cpu %", "memory", "sent/s",
             "recv/s", columns >= WITH_BAR ? "phases" : "");
    return buffer;
}

static void add_bar(tri__text *text, const double share[TRI_PHASES])
{
    double until = 0;
    int drawn = 0;
    for (int i = 0; i < TRI_PHASES; i++) {
        until += isfinite(share[i]) ? share[i] : 0;
        const char letter[] = {letters[i], 0};
        const int end = (int)lround(until * BAR);
        tri__text_repeat(text, letter, end - drawn);
        drawn = end > drawn ? end : drawn;
    }
    tri__text_repeat(text, " ", BAR - drawn);
}

const char *tri__run_view_line(const tri__run_row *row, int columns, char *buffer, size_t size)
{
    char step[TRI_TEXT_SHORT], speed[TRI_TEXT_SHORT], loss[TRI_TEXT_SHORT] = "", memory[TRI_TEXT_SHORT], sent[TRI_TEXT_SHORT],
                                                      received[TRI_TEXT_SHORT];
    tri__text text;
    if (isfinite(row->loss))
        snprintf(loss, sizeof loss, "%.4f", row->loss);
    tri__text_init(&text, buffer, size);
    const bool speaks = row->state != TRI_TASK_SILENT, works = speaks && row->examples > 0; /* servers and evaluators compute no examples */
    const bool talks = speaks && strchr(row->task, ':');                                    /* a supervisor has no connections */
    tri__text_add(&text, "%-12s %9s %10s %7s %5.0f %6s %6s %6s  ", row->task, row->step > 0 ? tri__text_count(step, row->step) : "",
                  works ? tri__text_count(speed, row->speed) : "", loss, row->cpu, tri__text_brief(memory, row->resident),
                  talks ? tri__text_brief(sent, row->sent) : "", talks ? tri__text_brief(received, row->received) : "");
    if (columns >= WITH_BAR)
        add_bar(&text, row->share);
    if (row->state != TRI_TASK_ACTIVE)
        tri__text_add(&text, " %s", tri__task_state_name(row->state));
    return buffer;
}

const char *tri__run_view_legend(int columns, char *buffer, size_t size)
{
    tri__text text;
    tri__text_init(&text, buffer, size);
    if (columns < WITH_BAR)
        return buffer;
    tri__text_add(&text, "phases:");
    for (int i = 0; i < TRI_PHASES; i++)
        tri__text_add(&text, " %c %s", letters[i], tri__phase_name((tri__phase)i));
    return buffer;
}

const char *tri__run_view_flows(const tri__run_view *view, int columns, char *buffer, size_t size)
{
    return tri__run_flows_line(&view->flows, view->running ? "most bytes/s" : "most bytes", columns, buffer, size);
}
