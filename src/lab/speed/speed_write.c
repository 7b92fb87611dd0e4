/* speed_write.c: writes the measurements of a speed study as CSV, and as a plot with a panel for each parameter. */
#include "lab/speed/speed_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "lab/figures/plot.h"

static void print_csv(FILE *out, const void *context)
{
    const tri__speed_result *result = context;
    fputs("batch,batches,items,repetition,items_per_second,workers,seconds,cpu_seconds\n", out);
    for (int64_t i = 0; i < result->count; i++) {
        const tri__speed_cell *cell = &result->cells[i];
        fprintf(out, "%lld,%lld,%lld,%lld,%.4f,", (long long)cell->value[TRI_SPEED_BATCH], (long long)cell->value[TRI_SPEED_BATCHES],
                (long long)cell->items, (long long)cell->value[TRI_SPEED_REPEAT], cell->items_per_second);
        if (cell->value[TRI_SPEED_WORKERS])
            fprintf(out, "%lld", (long long)cell->value[TRI_SPEED_WORKERS]);
        fprintf(out, ",%.6f,%.6f\n", cell->seconds, cell->cpu_seconds);
    }
}

/* values: [1 + variables][count]: items/s, then each varied parameter */
static void fill_panels(const tri__speed_result *result, double *values, char titles[][80], tri__series *series, tri__panel *panels)
{
    for (int64_t i = 0; i < result->count; i++)
        values[i] = result->cells[i].items_per_second;
    for (int v = 0; v < result->variables; v++) {
        const tri__regression *fit = &result->alone[v];
        double *x = values + (v + 1) * result->count;
        for (int64_t i = 0; i < result->count; i++)
            x[i] = (double)result->cells[i].value[result->varied[v]];
        snprintf(titles[v], sizeof titles[v], "slope %.4g, p %.3g, R² %.3g", fit->column[0].slope, fit->column[0].p, fit->r2);
        series[v] = (tri__series){.x = x, .y = values, .count = result->count};
        panels[v] = (tri__panel){
            .title = titles[v],
            .x_label = tri__speed_parameter_name(result->varied[v]),
            .y_label = "items/s",
            .series = &series[v],
            .count = 1,
            .intercept = fit->intercept,
            .slope = fit->column[0].slope,
        };
    }
}

static tri_status write_plot(const tri__speed_result *result, const char *path, const char *title)
{
    double *values;
    char titles[TRI_SPEED_PARAMETERS][80];
    tri__series series[TRI_SPEED_PARAMETERS];
    tri__panel panels[TRI_SPEED_PARAMETERS];
    TRI_TRY(tri__allocate((size_t)(result->count * (result->variables + 1)), sizeof *values, "a plot", &values));
    fill_panels(result, values, titles, series, panels);
    tri_status status = tri__plot_write(path, title, panels, result->variables);
    free(values);
    return status;
}

tri_status tri__speed_write(const tri__speed_result *result, const char *folder, const char *title)
{
    TRI_TRY(tri__folder_create(folder));
    char *csv = tri__path_join(folder, "speed.csv"), *svg = tri__path_join(folder, "speed.svg");
    tri_status status = csv && svg ? tri__file_print(csv, print_csv, result) : tri_fail(TRI_NO_MEMORY, "no memory for names in %s", folder);
    if (!status && result->variables > 0)
        status = write_plot(result, svg, title);
    free(csv);
    free(svg);
    return status;
}
