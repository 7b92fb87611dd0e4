/* find_rate.c: the loss over the rate. The loss is smoothed, as is usual for this, by a mean in which each step counts 0.9 times as much as
 * the next. */
#include "cli/command/run/find_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "lab/figures/plot.h"
#include "train/options/strategies.h"

enum { STEPS = 100, LEAST_STEPS = 20, ROWS = 12 };

#define RANGE    "sweep:1e-06:10"
#define KEPT     0.9  /* weight of the earlier losses in the smoothed loss, from step to step */
#define EXPLODED 4.0  /* times the best loss: larger rates are useless */
#define FALLEN   0.99 /* times the loss at the beginning: a smaller fall is noise */
#define SAFETY   10   /* the rate with the lowest loss is too large for a whole run, and the mean lags behind */
#define SKIPPED  5    /* first steps, whose mean has few losses */
#define NO_RUN   "--find-rate ends with a rate and not with a trained model: leave out --%s"
#define LOCAL    "--find-rate sweeps in one process (--strategy local); with N workers, give a batch N times as large"

struct tri__rate_curve {
    double *rate, *loss, *smooth; /* [count] */
    int64_t count, rate_room, loss_room, smooth_room;
    double sum, best;
};

tri_status tri__find_rate_prepare(const tri__run_request *request, tri__train_options *options)
{
    static const char *const others[] = {"epochs", "until",      "patience", "keep-best",       "warmup",
                                         "rate",   "validation", "test",     "checkpoint-every"};
    bool known;
    if (request->resume)
        return tri_fail(TRI_BAD_CALL, NO_RUN, "resume");
    if (request->strategy && request->strategy != tri__strategies_find("local"))
        return tri_fail(TRI_BAD_CALL, LOCAL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tri__train_options_given(options, others[i]))
            return tri_fail(TRI_BAD_CALL, NO_RUN, others[i]);
    if (options->schedule && strncmp(options->schedule, "sweep:", strlen("sweep:")) != 0)
        return tri_fail(TRI_BAD_CALL, "--find-rate and --schedule %s: a sweep has its own (--schedule sweep:LOW:HIGH)", options->schedule);
    if (options->steps != TRI_UNSET && options->steps < LEAST_STEPS)
        return tri_fail(TRI_BAD_CALL, "--find-rate: %lld steps show no curve; give at least %d", (long long)options->steps, LEAST_STEPS);
    if (options->steps == TRI_UNSET)
        options->steps = STEPS;
    if (!options->schedule)
        TRI_TRY(tri__train_options_set(options, "schedule", RANGE, &known));
    return tri__train_options_set(options, "eval-every", "never", &known);
}

tri_status tri__rate_curve_create(tri__rate_curve **out)
{
    TRI_TRY(tri__allocate(1, sizeof **out, "a curve of rates", out));
    (*out)->best = INFINITY;
    return NULL;
}

void tri__rate_curve_destroy(tri__rate_curve *curve)
{
    if (!curve)
        return;
    free(curve->rate);
    free(curve->loss);
    free(curve->smooth);
    free(curve);
}

static tri_status grow(tri__rate_curve *curve)
{
    const int64_t count = curve->count + 1;
    TRI_TRY(tri__grow(&curve->rate, &curve->rate_room, count, sizeof *curve->rate, "a curve of rates"));
    TRI_TRY(tri__grow(&curve->loss, &curve->loss_room, count, sizeof *curve->loss, "a curve of rates"));
    return tri__grow(&curve->smooth, &curve->smooth_room, count, sizeof *curve->smooth, "a curve of rates");
}

bool tri__rate_curve_add(tri__rate_curve *curve, double rate, double loss)
{
    tri_status status = grow(curve);
    if (status) { /* print the curve so far */
        tri_status_free(status);
        return false;
    }
    const int64_t i = curve->count++;
    curve->sum = KEPT * curve->sum + (1 - KEPT) * loss;
    curve->rate[i] = rate;
    curve->loss[i] = loss;
    curve->smooth[i] = curve->sum / (1 - pow(KEPT, (double)curve->count));
    curve->best = fmin(curve->best, curve->smooth[i]);
    return i < LEAST_STEPS || curve->smooth[i] <= EXPLODED * curve->best;
}

bool tri__rate_curve_is_empty(const tri__rate_curve *curve)
{
    return curve->count == 0;
}

static int64_t lowest(const tri__rate_curve *curve)
{
    int64_t at = 0;
    for (int64_t i = 0; i < curve->count; i++)
        if (curve->smooth[i] < curve->smooth[at])
            at = i;
    return at;
}

/* A tenth of the rate with the lowest smoothed loss, as is usual; NaN where the loss never falls. */
static double suggest(const tri__rate_curve *curve)
{
    const int64_t at = curve->count ? lowest(curve) : 0;
    return at > SKIPPED && curve->smooth[at] < FALLEN * curve->smooth[SKIPPED] ? curve->rate[at] / SAFETY : NAN;
}

static void print_csv(FILE *out, const void *context)
{
    const tri__rate_curve *curve = context;
    fputs("rate,loss,smoothed\n", out);
    for (int64_t i = 0; i < curve->count; i++)
        fprintf(out, "%.6g,%.6g,%.6g\n", curve->rate[i], curve->loss[i], curve->smooth[i]);
}

static tri_status write_plot(const tri__rate_curve *curve, const char *path, double suggested)
{
    const tri__series series[] = {
        {.name = "loss of a step", .x = curve->rate, .y = curve->loss, .count = curve->count},
        {.name = "smoothed", .x = curve->rate, .y = curve->smooth, .count = curve->count, .joined = true, .bare = true},
    };
    char title[96];
    snprintf(title, sizeof title, isnan(suggested) ? "no rate suggested" : "suggested: %.3g", suggested);
    const tri__panel panel = {.title = title,
                              .x_label = "learning rate",
                              .y_label = "training loss",
                              .series = series,
                              .count = 2,
                              .log_x = true,
                              .marks = &suggested,
                              .mark_count = !isnan(suggested),
                              .intercept = NAN,
                              .slope = NAN};
    return tri__plot_write(path, "Loss over the learning rate", &panel, 1);
}

static json_t *points_json(const tri__rate_curve *curve)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < curve->count; i++)
        json_array_append_new(list, json_pack("{s:f, s:o, s:o}", "rate", curve->rate[i], "loss", tri__json_number(curve->loss[i]),
                                              "smoothed", tri__json_number(curve->smooth[i])));
    return list;
}

static tri_status print(tri__session *session, const tri__rate_curve *curve, double suggested, const char *folder, const char *svg)
{
    if (session->json)
        return tri__session_print_json(session, json_pack("{s:o, s:o, s:s}", "suggested_rate", tri__json_number(suggested), "points",
                                                          points_json(curve), "folder", folder));
    fprintf(session->out, "%12s  %10s\n", "rate", "loss");
    for (int row = 0; row < ROWS; row++) {
        const int64_t i = (curve->count - 1) * row / (ROWS - 1);
        fprintf(session->out, "%12.3g  %10.4f\n", curve->rate[i], curve->smooth[i]);
    }
    if (isnan(suggested))
        fprintf(session->out, "no rate     the loss falls at none of them: give another range with --schedule sweep:LOW:HIGH\n");
    else
        fprintf(session->out, "suggested   --rate %.2g, a tenth of the rate with the least loss\n", suggested);
    fprintf(session->out, "curve       %s\n", svg);
    return NULL;
}

tri_status tri__find_rate_tell(tri__session *session, const tri__rate_curve *curve, const char *folder)
{
    if (tri__rate_curve_is_empty(curve))
        return tri_fail(TRI_STOPPED, "--find-rate was stopped before its first step: there is no curve");
    const double suggested = suggest(curve);
    char *csv = tri__path_join(folder, "find-rate.csv"), *svg = tri__path_join(folder, "find-rate.svg");
    tri_status status = csv && svg ? tri__file_print(csv, print_csv, curve) : tri_fail(TRI_NO_MEMORY, "no memory for names in %s", folder);
    if (!status)
        status = write_plot(curve, svg, suggested);
    if (!status)
        status = print(session, curve, suggested, folder, svg);
    free(csv);
    free(svg);
    return status;
}
