/* metrics.c: each row of the tables below is one family of metrics. Units are those of Prometheus: bytes, and shares of 1 instead of
 * percent. */
#include "watch/web/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *field; /* its name in tri__run_fields */
    const char *name, *type, *help;
    double scale;
} metric;

static const metric of_tasks[] = {
    {"step", "trireme_step", "gauge", "Step of the job, as far as the task knows.", 1},
    {"examples", "trireme_examples_total", "counter", "Examples that the task has computed.", 1},
    {"speed", "trireme_examples_per_second", "gauge", "Examples a second, in the last sample.", 1},
    {"loss", "trireme_training_loss", "gauge", "Training loss of late.", 1},
    {"cpu", "trireme_task_cpu_cores", "gauge", "CPUs that the task used.", 0.01},
    {"resident", "trireme_task_resident_bytes", "gauge", "Resident memory of the task.", 1},
    {"sent", "trireme_task_sent_bytes_per_second", "gauge", "Bytes that the task sent, by its own count.", 1},
    {"received", "trireme_task_received_bytes_per_second", "gauge", "Bytes that the task received, by its own count.", 1},
};

static const metric of_hosts[] = {
    {"user", "trireme_host_cpu_user_ratio", "gauge", "Share of the host's CPUs in user code.", 0.01},
    {"system", "trireme_host_cpu_system_ratio", "gauge", "Share of the host's CPUs in the kernel.", 0.01},
    {"used", "trireme_host_memory_used_bytes", "gauge", "Memory in use on the host.", 1},
    {"sent", "trireme_host_network_sent_bytes_per_second", "gauge", "Traffic that the host sent, loopback left out.", 1},
    {"received", "trireme_host_network_received_bytes_per_second", "gauge", "Traffic that the host received, loopback left out.", 1},
    {"read", "trireme_host_disk_read_bytes_per_second", "gauge", "What the host's disks read.", 1},
    {"written", "trireme_host_disk_written_bytes_per_second", "gauge", "What the host's disks wrote.", 1},
};

static const metric of_curves[] = {
    {"test/loss", "trireme_test_loss", "gauge", "Loss of the last evaluation.", 1},
    {"test/accuracy", "trireme_test_accuracy_ratio", "gauge", "Accuracy of the last evaluation.", 1},
    {"test/auc", "trireme_test_auc_ratio", "gauge", "Area under the curve of the last evaluation.", 1},
    {"test/mae", "trireme_test_absolute_error", "gauge", "Mean absolute error of the last evaluation.", 1},
    {"test/r2", "trireme_test_r2_ratio", "gauge", "Share of the variance that the model explains, in the last evaluation.", 1},
    {"test/f1", "trireme_test_f1_ratio", "gauge", "Mean F1 of the labels in the last evaluation.", 1},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static void put_head(FILE *out, const metric *family)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name, family->type);
}

/* Write a label. In its value, backslash, quote and newline are escaped. */
static void put_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            fputc('\\', out);
        if (*value == '\n')
            fputs("\\n", out);
        else
            fputc(*value, out);
    }
    fputc('"', out);
}

static const tri__run_field *field_of(const char *name, tri__run_field_owner owner)
{
    for (int i = 0; i < TRI_RUN_FIELDS; i++)
        if (tri__run_fields[i].owner == owner && !strcmp(tri__run_fields[i].name, name))
            return &tri__run_fields[i];
    return NULL;
}

static const tri__run_series *series_of(const tri__live_run *run, const char *task)
{
    for (int i = 0; i < tri__run_history_count(run->history); i++)
        if (!strcmp(tri__run_history_series(run->history, i)->task, task))
            return tri__run_history_series(run->history, i);
    return NULL;
}

/* Write a line for each task, or for each host, from the task whose samples are used for it. */
static void put_family(FILE *out, const tri__live_run *run, const metric *family, tri__run_field_owner owner)
{
    const tri__run_view *view = tri__run_history_view(run->history);
    const tri__run_field *field = field_of(family->field, owner);
    put_head(out, family);
    for (int i = 0; field && i < view->count; i++) {
        const tri__run_series *series = series_of(run, view->row[i].task);
        const double value = tri__run_row_get(&view->row[i], field);
        if (!isfinite(value) || !series || (owner == TRI_FIELD_OF_HOST && !series->tells_host))
            continue;
        fprintf(out, "%s{", family->name);
        put_label(out, owner == TRI_FIELD_OF_HOST ? "host" : "task", owner == TRI_FIELD_OF_HOST ? series->host : series->task);
        fprintf(out, "} %.13g\n", value * family->scale);
    }
}

static void put_phases(FILE *out, const tri__run_view *view)
{
    put_head(out, &(metric){NULL, "trireme_phase_ratio", "gauge", "Share of a worker's time in each phase, in the last sample.", 1});
    for (int i = 0; i < view->count; i++)
        for (int phase = 0; phase < TRI_PHASES; phase++) {
            if (!isfinite(view->row[i].share[phase]))
                continue;
            fputs("trireme_phase_ratio{", out);
            put_label(out, "task", view->row[i].task);
            fprintf(out, ",phase=\"%s\"} %.6g\n", tri__phase_name((tri__phase)phase), view->row[i].share[phase]);
        }
}

static void put_states(FILE *out, const tri__run_view *view)
{
    put_head(out, &(metric){NULL, "trireme_task_state", "gauge", "1 for the state that a task is in.", 1});
    for (int i = 0; i < view->count; i++)
        for (tri__task_state state = TRI_TASK_ACTIVE; state <= TRI_TASK_ENDED; state++) {
            fputs("trireme_task_state{", out);
            put_label(out, "task", view->row[i].task);
            fprintf(out, ",state=\"%s\"} %d\n", tri__task_state_name(state), view->row[i].state == state);
        }
}

static void put_all(FILE *out, const tri__live_run *run)
{
    const tri__run_view *view = tri__run_history_view(run->history);
    put_head(out, &(metric){NULL, "trireme_running", "gauge", "1 while the run goes on, 0 when it has ended.", 1});
    fprintf(out, "trireme_running %d\n", view->running);
    for (int i = 0; i < COUNT(of_tasks); i++)
        put_family(out, run, &of_tasks[i], TRI_FIELD_OF_TASK);
    put_phases(out, view);
    put_states(out, view);
    for (int i = 0; i < COUNT(of_hosts); i++)
        put_family(out, run, &of_hosts[i], TRI_FIELD_OF_HOST);
    for (int i = 0; i < COUNT(of_curves); i++) {
        const tri__curve *curve = tri__run_curves_find(run->curves, of_curves[i].field);
        if (!curve)
            continue;
        put_head(out, &of_curves[i]);
        if (isfinite(curve->last.value))
            fprintf(out, "%s %.9g\n", of_curves[i].name, curve->last.value);
        else
            fprintf(out, "%s NaN\n", of_curves[i].name);
    }
}

tri_status tri__metrics_text(const tri__live_run *run, char **text, size_t *size)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (!out)
        return tri_fail(TRI_NO_MEMORY, "no memory for the metrics of a run");
    put_all(out, run);
    const bool failed = ferror(out);
    if (!fclose(out) && !failed)
        return NULL;
    free(*text);
    *text = NULL;
    return tri_fail(TRI_NO_MEMORY, "no memory for the metrics of a run");
}
