/* report_curves.c: draws a picture for each cell, with a line for each host. */
#include "lab/report/report_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "lab/figures/plot.h"
#include "lab/study/study_shown.h"
#include "watch/sample/columns.h"
#include "watch/sample/run_files.h"
#include "watch/sample/run_view.h"
#include "watch/sample/sample_read.h"

enum { MOST_SAMPLES = 4000, MOST_MARKS = 25, SIDE_BY_SIDE = 2 }; /* MOST_MARKS: of one kind; more would hide the curves */

/* How a curve is found in the samples, and drawn. */
typedef struct {
    const char *title, *unit;
    const char *columns[2]; /* the curve is their sum; NULL: there is no second */
    bool later;             /* the second pair of columns with these names */
    double scale;
} curve_kind;

static const curve_kind kinds[TRI_CURVES] = {
    [TRI_CURVE_CPU] = {"CPU of each host", "CPU, %", {TRI_COLUMN_USER, TRI_COLUMN_SYSTEM}, .scale = 1},
    [TRI_CURVE_MEMORY] = {"memory of each host", "MB", {TRI_COLUMN_USED}, .scale = 1e-6},
    [TRI_CURVE_SENT] = {"sent by each host", "MB/s", {TRI_COLUMN_SENT}, .scale = 1e-6},
    [TRI_CURVE_RECEIVED] = {"received by each host", "MB/s", {TRI_COLUMN_RECEIVED}, .scale = 1e-6},
    [TRI_CURVE_DISK] = {"disk operations", "a second", {TRI_COLUMN_READ, TRI_COLUMN_WRITTEN}, .later = true, .scale = 1},
};

typedef struct {
    tri__arena *arena;
    bool chosen[TRI_CURVES];
    tri__series series[TRI_CURVES][TRI_MOST_SERIES]; /* of each host */
    int hosts;
    double begun; /* when the first sample of all hosts was taken, in seconds since 1970 */
    double *marks;
    int mark_count;
    char marked[160]; /* "; marked: checkpoints, one of 16 epochs": what the vertical lines are; "": there are none */
} curves;

static bool has_host(const curves *self, const char *host)
{
    for (int i = 0; i < self->hosts; i++)
        if (!strcmp(self->series[0][i].name, host))
            return true;
    return false;
}

/* Keep every other sample: times, and all curves. */
static int64_t thin(double *rows)
{
    for (int row = 0; row <= TRI_CURVES; row++)
        for (int64_t i = 0; i < MOST_SAMPLES / 2; i++)
            rows[row * MOST_SAMPLES + i] = rows[row * MOST_SAMPLES + 2 * i];
    return MOST_SAMPLES / 2;
}

typedef struct {
    int epoch, curve[TRI_CURVES][2]; /* −1: there is no such column */
} sample_columns;

static bool find_columns(const tri__sample_reader *reader, sample_columns *out)
{
    bool all = (out->epoch = tri__sample_reader_column(reader, TRI_COLUMN_EPOCH)) >= 0;
    for (int i = 0; i < TRI_CURVES; i++)
        for (int k = 0; k < 2; k++) {
            const char *name = kinds[i].columns[k];
            int column = name ? tri__sample_reader_column(reader, name) : -1;
            if (column >= 0 && kinds[i].later)
                column = tri__sample_reader_column_after(reader, name, column);
            out->curve[i][k] = column;
            all = all && (!name || column >= 0);
        }
    return all;
}

static double value_of(const double *sample, const sample_columns *columns, int curve)
{
    const int *parts = columns->curve[curve];
    return kinds[curve].scale * (sample[parts[0]] + (parts[1] >= 0 ? sample[parts[1]] : 0));
}

/* Read one host's curves from its file of samples. Of a long run, only some samples are drawn. Times are those of the wall clock. */
static tri_status add_host(curves *self, tri__sample_reader *reader)
{
    double *times = tri__arena_alloc(self->arena, (TRI_CURVES + 1) * MOST_SAMPLES * sizeof *times);
    const char *host = tri__arena_copy(self->arena, tri__sample_reader_host(reader));
    const double *sample;
    sample_columns columns;
    int64_t count = 0;
    if (!times || !host)
        return tri_fail(TRI_NO_MEMORY, "no memory for the curves of a host");
    if (!find_columns(reader, &columns) || self->hosts == TRI_MOST_SERIES)
        return NULL;
    for (int64_t index = 0, every = 1; (sample = tri__sample_reader_next(reader)); index++) {
        if (index % every)
            continue;
        if (count == MOST_SAMPLES)
            count = thin(times), every *= 2;
        times[count] = sample[columns.epoch];
        for (int i = 0; i < TRI_CURVES; i++)
            times[(i + 1) * MOST_SAMPLES + count] = value_of(sample, &columns, i);
        count++;
        self->begun = fmin(self->begun, sample[columns.epoch]);
    }
    for (int i = 0; i < TRI_CURVES; i++)
        self->series[i][self->hosts] =
            (tri__series){.name = host, .x = times, .y = times + (i + 1) * MOST_SAMPLES, .count = count, .joined = true, .bare = true};
    self->hosts++;
    return NULL;
}

static tri_status add_file(curves *self, const char *folder, const char *name)
{
    char *samples = tri__path_join(folder, TRI_RUN_SAMPLES), *path = samples ? tri__path_join(samples, name) : NULL;
    tri__sample_reader *reader = path ? tri__sample_reader_open(path) : NULL;
    tri_status status = reader && !has_host(self, tri__sample_reader_host(reader)) ? add_host(self, reader) : NULL;
    tri__sample_reader_close(reader);
    free(samples);
    free(path);
    return status;
}

/* Make times count from the first sample of all hosts. All series of a host share their times. */
static void count_from_start(const curves *self)
{
    for (int i = 0; i < self->hosts; i++)
        for (int64_t k = 0; k < self->series[0][i].count; k++)
            ((double *)(uintptr_t)self->series[0][i].x)[k] -= self->begun;
}

/* Add the marks of a kind. If there are many, only every nth is drawn, so that the curves stay visible; the title says so. */
static void add_marks_of(curves *self, const tri__run_view *view, tri__mark_kind kind)
{
    int of_kind = 0, seen = 0;
    for (int i = 0; i < view->marks; i++)
        of_kind += view->mark[i].kind == kind;
    const int every = of_kind ? (of_kind - 1) / MOST_MARKS + 1 : 1;
    for (int i = 0; i < view->marks; i++)
        if (view->mark[i].kind == kind && seen++ % every == 0)
            self->marks[self->mark_count++] = view->mark[i].wall - self->begun;
    size_t used = strlen(self->marked), room = sizeof self->marked - used;
    const char *before = used ? ", " : "; marked: ", *name = tri__mark_kind_name(kind);
    if (every > 1)
        snprintf(self->marked + used, room, "%sone of %d %ss", before, every, name);
    else if (of_kind)
        snprintf(self->marked + used, room, "%s%s%s", before, name, of_kind > 1 ? "s" : "");
}

static tri_status add_marks(curves *self, const char *folder)
{
    tri__run_view view = {0};
    TRI_TRY(tri__run_view_read_marks(folder, &view));
    self->marks = tri__arena_alloc(self->arena, (size_t)(view.marks + 1) * sizeof *self->marks);
    for (int kind = 0; self->marks && kind < TRI_MARK_KINDS; kind++)
        add_marks_of(self, &view, (tri__mark_kind)kind);
    tri__run_view_fini(&view);
    return NULL;
}

static tri_status read_run(curves *self, const char *folder)
{
    char **names;
    size_t count;
    TRI_TRY(tri__run_view_list(folder, &names, &count));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(self, folder, names[i]);
    tri__folder_free(names, count);
    if (!status && self->hosts)
        status = add_marks(self, folder);
    count_from_start(self);
    return status;
}

static tri_status put_panels(const curves *self, tri__markup *markup, const char *cell, const tri__panel *panels, int count)
{
    char title[600], *svg;
    snprintf(title, sizeof title, "%s%s", cell, self->marked);
    TRI_TRY(tri__plot_draw(title, panels, count, &svg));
    tri_status status = tri__markup_picture(markup, title, svg);
    free(svg);
    return status;
}

/* Pictures of two panels fit a page. */
static tri_status draw(const curves *self, tri__markup *markup, const char *cell)
{
    tri__panel panels[TRI_CURVES];
    int count = 0;
    for (int i = 0; i < TRI_CURVES; i++)
        if (self->chosen[i])
            panels[count++] = (tri__panel){.title = kinds[i].title,
                                           .x_label = "seconds",
                                           .y_label = kinds[i].unit,
                                           .series = self->series[i],
                                           .count = self->hosts,
                                           .slope = NAN,
                                           .marks = self->marks,
                                           .mark_count = self->mark_count};
    for (int i = 0; i < count; i += SIDE_BY_SIDE)
        TRI_TRY(put_panels(self, markup, cell, panels + i, count - i < SIDE_BY_SIDE ? count - i : SIDE_BY_SIDE));
    return NULL;
}

/* A run without samples has no picture. */
static tri_status put_cell(const tri__results *results, int cell, tri__markup *markup)
{
    char title[400], *folder = tri__results_run_folder(results, cell);
    curves self = {.begun = INFINITY};
    if (!folder)
        return NULL;
    tri_status status = tri__study_curves(tri__results_study(results), self.chosen);
    if (!status)
        status = tri__arena_create(&self.arena);
    if (!status)
        status = read_run(&self, folder);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri_status_free(status);
        status = NULL;
    }
    if (!status && self.hosts)
        status = draw(&self, markup, tri__study_cell_title(tri__results_study(results), cell, title, sizeof title));
    tri__arena_destroy(self.arena);
    free(folder);
    return status;
}

tri_status tri__report_curves(const tri__results *results, tri__markup *markup)
{
    const tri__study *study = tri__results_study(results);
    bool chosen[TRI_CURVES], any = false;
    TRI_TRY(tri__study_curves(study, chosen));
    for (int i = 0; i < TRI_CURVES; i++)
        any = any || chosen[i];
    if (!any)
        return NULL;
    tri__markup_heading(markup, "Resources over time");
    for (int cell = 0; cell < study->cell_count; cell++)
        if (tri__study_has_curves(study, cell))
            TRI_TRY(put_cell(results, cell, markup));
    return NULL;
}
