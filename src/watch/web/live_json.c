/* live_json.c: writes JSON directly as text, as there may be a million numbers. */
#include "watch/web/live_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"
#include "watch/web/graph_json.h"

static void put_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.13g", number);
    else
        fputs("null", out);
}

static void put_string(FILE *out, const char *text)
{
    tri__json_put_string(out, text, "null");
}

static void put_json(FILE *out, const json_t *value)
{
    if (!value || json_dumpf(value, out, JSON_COMPACT))
        fputs("null", out);
}

static void put_field(FILE *out, const tri__run_series *series, int from, const tri__run_field *field)
{
    for (int i = from; i < series->count; i++) {
        fputs(i > from ? "," : "", out);
        put_number(out, tri__run_row_get(&series->point[i], field));
    }
}

static void put_points(FILE *out, const tri__run_series *series, int from, tri__run_field_owner owner)
{
    const char *between = "";
    for (int i = 0; i < TRI_RUN_FIELDS; i++) {
        if (tri__run_fields[i].owner != owner)
            continue;
        fprintf(out, "%s\"%s\":[", between, tri__run_fields[i].name);
        put_field(out, series, from, &tri__run_fields[i]);
        fputs("]", out);
        between = ",";
    }
}

static void put_last(FILE *out, const tri__run_row *row, tri__run_field_owner owner)
{
    const char *between = "";
    for (int i = 0; i < TRI_RUN_FIELDS; i++) {
        if (tri__run_fields[i].owner != owner)
            continue;
        fprintf(out, "%s\"%s\":", between, tri__run_fields[i].name);
        put_number(out, tri__run_row_get(row, &tri__run_fields[i]));
        between = ",";
    }
}

static const tri__run_row *row_of(const tri__live_run *run, const char *task)
{
    const tri__run_view *view = tri__run_history_view(run->history);
    for (int i = 0; i < view->count; i++)
        if (!strcmp(view->row[i].task, task))
            return &view->row[i];
    return NULL;
}

static void put_task(FILE *out, const tri__run_series *series, const tri__run_row *row, int from)
{
    fputs("{\"task\":", out);
    put_string(out, series->task);
    fputs(",\"host\":", out);
    put_string(out, series->host);
    fprintf(out, ",\"state\":\"%s\",\"every\":%g,\"stride\":%d,\"last\":{", tri__task_state_name(row->state), row->every, series->stride);
    put_last(out, row, TRI_FIELD_OF_TASK);
    fputs("},\"points\":{", out);
    put_points(out, series, from, TRI_FIELD_OF_TASK);
    fputs("}", out);
    if (series->tells_host) {
        fputs(",\"host_last\":{", out);
        put_last(out, row, TRI_FIELD_OF_HOST);
        fputs("},\"host_points\":{", out);
        put_points(out, series, from, TRI_FIELD_OF_HOST);
        fputs("}", out);
    }
    fputs("}", out);
}

static void put_tasks(FILE *out, const tri__live_run *run, tri__live_part part)
{
    const char *between = "";
    fputs("\"tasks\":[", out);
    for (int i = 0; i < tri__run_history_count(run->history); i++) {
        const tri__run_series *series = tri__run_history_series(run->history, i);
        const tri__run_row *row = row_of(run, series->task);
        if (!row)
            continue;
        fputs(between, out);
        put_task(out, series, row, part == TRI_LIVE_WHOLE ? 0 : run->told_points[i]);
        between = ",";
    }
    fputs("]", out);
}

static void put_curve_part(FILE *out, const char *key, const tri__curve *curve, int from, size_t offset)
{
    fprintf(out, ",\"%s\":[", key);
    for (int i = from; i < curve->count; i++) {
        double value;
        memcpy(&value, (const char *)&curve->point[i] + offset, sizeof value);
        fputs(i > from ? "," : "", out);
        put_number(out, value);
    }
    fputs("]", out);
}

static void put_curve(FILE *out, const tri__curve *curve, int from)
{
    fputs("{\"task\":", out);
    put_string(out, curve->task);
    fputs(",\"tag\":", out);
    put_string(out, curve->tag);
    fprintf(out, ",\"stride\":%d,\"last\":{\"wall\":%.3f,\"step\":%.0f,\"value\":", curve->stride, curve->last.wall, curve->last.step);
    put_number(out, curve->last.value);
    fputs("}", out);
    put_curve_part(out, "wall", curve, from, offsetof(tri__curve_point, wall));
    put_curve_part(out, "step", curve, from, offsetof(tri__curve_point, step));
    put_curve_part(out, "value", curve, from, offsetof(tri__curve_point, value));
    fputs("}", out);
}

static void put_curves(FILE *out, const tri__live_run *run, tri__live_part part)
{
    fputs("\"curves\":[", out);
    for (int i = 0; i < tri__run_curves_count(run->curves); i++) {
        fputs(i > 0 ? "," : "", out);
        put_curve(out, tri__run_curves_get(run->curves, i), part == TRI_LIVE_WHOLE ? 0 : run->told_curves[i]);
    }
    fputs("]", out);
}

static void put_mark(FILE *out, const tri__mark *mark)
{
    fprintf(out, "{\"wall\":%.3f,\"seconds\":%g,\"step\":", mark->wall, mark->seconds);
    put_number(out, mark->step >= 0 ? (double)mark->step : NAN);
    fprintf(out, ",\"kind\":\"%s\",\"task\":", tri__mark_kind_name(mark->kind));
    put_string(out, mark->task);
    fputs(",\"note\":", out);
    put_string(out, mark->note);
    fputs("}", out);
}

static void put_marks(FILE *out, const tri__run_view *view)
{
    const int before = view->marks > TRI_LIVE_MARKS ? view->marks - TRI_LIVE_MARKS : 0;
    fprintf(out, ",\"marks_before\":%d,\"marks\":[", before);
    for (int i = before; i < view->marks; i++) {
        fputs(i > before ? "," : "", out);
        put_mark(out, &view->mark[i]);
    }
    fputs("]", out);
}

/* Write what only the whole state has: it changes only when the version changes. */
static void put_rest(FILE *out, const tri__live_run *run)
{
    json_t *graph = tri__graph_json(tri__run_curves_graph(run->curves));
    fputs(",\"folder\":", out);
    put_string(out, run->folder);
    fputs(",\"command\":", out);
    put_string(out, run->command);
    fputs(",\"summary\":", out);
    put_json(out, run->summary);
    fputs(",\"graph\":", out);
    put_json(out, graph);
    json_decref(graph);
}

tri_status tri__live_json(const tri__live_run *run, tri__live_part part, char **text, size_t *size)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (!out)
        return tri_fail(TRI_NO_MEMORY, "no memory for the state of a run");
    const tri__run_view *view = tri__run_history_view(run->history);
    fprintf(out, "{\"running\":%s,\"time\":%.3f,", view->running ? "true" : "false", tri__clock_wall());
    put_tasks(out, run, part);
    fputs(",", out);
    put_curves(out, run, part);
    if (part == TRI_LIVE_WHOLE || view->marks != run->told_marks)
        put_marks(out, view);
    if (part == TRI_LIVE_WHOLE)
        put_rest(out, run);
    fputs("}", out);
    const bool failed = ferror(out);
    if (fclose(out) || failed) {
        free(*text);
        *text = NULL;
        return tri_fail(TRI_NO_MEMORY, "no memory for the state of a run");
    }
    return NULL;
}
