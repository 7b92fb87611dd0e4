/* report_curves.c: draws a picture for each cell, with a line for each host. */
#include "lab/report/report_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "lab/figures/plot.h"
#include "watch/sample/columns.h"
#include "watch/sample/run_files.h"
#include "watch/sample/run_view.h"
#include "watch/sample/sample_read.h"

enum { MOST_SAMPLES = 4000, MOST_MARKS = 25 }; /* MOST_MARKS: of one kind; more would hide the curves */

typedef struct {
    tri__arena *arena;
    tri__series cpu[TRI_MOST_SERIES], sent[TRI_MOST_SERIES];
    int hosts;
    double begun; /* when the first sample of all hosts was taken, in seconds since 1970 */
    double *marks;
    int mark_count;
    char marked[160]; /* "; marked: checkpoints, one of 16 epochs": what the vertical lines are; "": there are none */
} curves;

static bool has_host(const curves *self, const char *host)
{
    for (int i = 0; i < self->hosts; i++)
        if (!strcmp(self->cpu[i].name, host))
            return true;
    return false;
}

/* Keep every other sample of all three rows. */
static int64_t thin(double *rows)
{
    for (int row = 0; row < 3; row++)
        for (int64_t i = 0; i < MOST_SAMPLES / 2; i++)
            rows[row * MOST_SAMPLES + i] = rows[row * MOST_SAMPLES + 2 * i];
    return MOST_SAMPLES / 2;
}

/* Read one host's curves from its file of samples. Of a long run, only some samples are drawn. Times are those of the wall clock. */
static tri_status add_host(curves *self, tri__sample_reader *reader)
{
    int epoch = tri__sample_reader_column(reader, TRI_COLUMN_EPOCH), user = tri__sample_reader_column(reader, TRI_COLUMN_USER);
    int system = tri__sample_reader_column(reader, TRI_COLUMN_SYSTEM), send = tri__sample_reader_column(reader, TRI_COLUMN_SENT);
    double *memory = tri__arena_alloc(self->arena, 3 * MOST_SAMPLES * sizeof *memory);
    const char *host = tri__arena_copy(self->arena, tri__sample_reader_host(reader));
    const double *sample;
    int64_t count = 0;
    if (!memory || !host)
        return tri_fail(TRI_NO_MEMORY, "no memory for the curves of a host");
    double *cpu = memory + MOST_SAMPLES, *sent = cpu + MOST_SAMPLES;
    if (epoch < 0 || user < 0 || system < 0 || send < 0 || self->hosts == TRI_MOST_SERIES)
        return NULL;
    for (int64_t index = 0, every = 1; (sample = tri__sample_reader_next(reader)); index++) {
        if (index % every)
            continue;
        if (count == MOST_SAMPLES)
            count = thin(memory), every *= 2;
        memory[count] = sample[epoch];
        cpu[count] = sample[user] + sample[system];
        sent[count++] = sample[send] / 1e6;
        self->begun = fmin(self->begun, sample[epoch]);
    }
    self->cpu[self->hosts] = (tri__series){.name = host, .x = memory, .y = cpu, .count = count, .joined = true, .bare = true};
    self->sent[self->hosts] = (tri__series){.name = host, .x = memory, .y = sent, .count = count, .joined = true, .bare = true};
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

/* Make times count from the first sample of all hosts. The two series of a host share their times. */
static void count_from_start(const curves *self)
{
    for (int i = 0; i < self->hosts; i++)
        for (int64_t k = 0; k < self->cpu[i].count; k++)
            ((double *)(uintptr_t)self->cpu[i].x)[k] -= self->begun;
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

static tri_status draw(const curves *self, tri__markup *markup, const char *cell)
{
    char title[600];
    snprintf(title, sizeof title, "%s%s", cell, self->marked);
    const tri__panel panels[] = {
        {"CPU of each host", "seconds", "CPU, %", .series = self->cpu, .count = self->hosts, .slope = NAN, .marks = self->marks,
         .mark_count = self->mark_count},
        {"sent by each host", "seconds", "MB/s", .series = self->sent, .count = self->hosts, .slope = NAN, .marks = self->marks,
         .mark_count = self->mark_count},
    };
    char *svg;
    TRI_TRY(tri__plot_draw(title, panels, 2, &svg));
    tri_status status = tri__markup_picture(markup, title, svg);
    free(svg);
    return status;
}

/* A run without samples has no picture. */
static tri_status put_cell(const tri__results *results, int cell, tri__markup *markup)
{
    char title[400], *folder = tri__results_run_folder(results, cell);
    curves self = {.begun = INFINITY};
    if (!folder)
        return NULL;
    tri_status status = tri__arena_create(&self.arena);
    if (!status)
        status = read_run(&self, folder);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri_status_free(status);
        status = NULL;
    }
    if (!status && self.hosts)
        status = draw(&self, markup, tri__study_cell_text(tri__results_study(results), cell, title, sizeof title));
    tri__arena_destroy(self.arena);
    free(folder);
    return status;
}

tri_status tri__report_curves(const tri__results *results, tri__markup *markup)
{
    const tri__study *study = tri__results_study(results);
    if (!json_object_get(study->document, "curves"))
        return NULL;
    tri__markup_heading(markup, "Resources over time");
    for (int cell = 0; cell < study->cell_count; cell++)
        TRI_TRY(put_cell(results, cell, markup));
    return NULL;
}
