/* summary.c: the same numbers for programs (JSON) and for people (a table). */
#include "watch/report/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/task.h"
#include "base/text/text.h"

/* ---- for programs ---- */

/* An object that is being filled. If a member cannot be made (memory is short, text is not UTF-8), the first such key is kept. */
typedef struct {
    json_t *object;
    const char *failed; /* the first key that failed, or NULL */
} filling;

static void put(filling *to, const char *key, json_t *value)
{
    if (json_object_set_new(to->object, key, value) && !to->failed)
        to->failed = key;
}

static void put_text(filling *to, const char *key, const char *text)
{
    put(to, key, text ? json_string(text) : json_null());
}

static void put_number(filling *to, const char *key, double number)
{
    put(to, key, tri__json_number(number));
}

static void put_count(filling *to, const char *key, int64_t count)
{
    put(to, key, json_integer(count));
}

static json_t *worker_json(const tri__worker_summary *worker, int64_t since_step, filling *parent)
{
    filling to = {.object = json_object()};
    put_text(&to, "task", worker->task);
    put_count(&to, "since_step", since_step);
    put_count(&to, "steps", worker->steps);
    put_count(&to, "examples", worker->examples);
    put_number(&to, "seconds", worker->seconds);
    put_number(&to, "began", worker->began);
    put_number(&to, "ended", worker->ended);
    put_number(&to, "test_accuracy", worker->test_accuracy);
    put_count(&to, "bytes_sent", worker->bytes_sent);
    put_count(&to, "bytes_received", worker->bytes_received);
    put_number(&to, "cpu_percent", worker->cpu_percent);
    put_number(&to, "peak_rss_mb", worker->peak_rss_mb);
    put(&to, "phases", tri__phases_json(worker->phases));
    if (to.failed && !parent->failed)
        parent->failed = to.failed;
    return to.object;
}

static void put_what_was_asked(filling *to, const tri__summary *s)
{
    put_text(to, "model", s->model);
    put_text(to, "data", s->data);
    put_text(to, "strategy", s->strategy);
    put_text(to, "mode", s->mode);
    put_count(to, "workers", s->workers);
    put_count(to, "servers", s->servers);
    put_count(to, "batch", s->batch);
    put_text(to, "rule", s->rule);
    put_number(to, "rate", s->rate);
    if (s->average > 0)
        put_number(to, "average", s->average);
    put_count(to, "threads", s->threads);
    put_count(to, "seed", (int64_t)s->seed);
    if (s->options)
        put(to, "options", json_deep_copy(s->options));
}

static void put_what_came_of_it(filling *to, const tri__summary *s)
{
    put_count(to, "steps", s->steps);
    put_count(to, "examples", s->examples);
    put_count(to, "examples_before", s->examples_before);
    put_number(to, "epochs", s->epochs);
    put_number(to, "seconds", s->seconds);
    put_number(to, "total_seconds", s->total_seconds);
    put_number(to, "examples_per_second", s->examples_per_second);
    put_number(to, "train_loss", s->train_loss);
    put_number(to, "test_loss", s->test_loss);
    put_number(to, "test_accuracy", s->test_accuracy);
    if (s->two_classes) {
        put_number(to, "test_logloss", s->test_logloss);
        put_number(to, "test_auc", s->test_auc);
        put_number(to, "test_calibration", s->test_calibration);
        put_number(to, "progressive_logloss", s->progressive_logloss);
    }
    if (s->numbers) {
        put_number(to, "test_mse", s->test_mse);
        put_number(to, "test_mae", s->test_mae);
        put_number(to, "test_r2", s->test_r2);
    }
    if (s->sets)
        put_number(to, "test_f1", s->test_f1);
    if (s->stream) {
        put_number(to, "progressive_accuracy", s->progressive_accuracy);
        put_number(to, "progressive_auc", s->progressive_auc);
        put_number(to, "progressive_calibration", s->progressive_calibration);
    }
    put_text(to, "stopped_by", s->stopped_by);
    put(to, "until_step", s->until_step >= 0 ? json_integer(s->until_step) : json_null());
}

static json_t *consumer_json(const tri__consumer *consumer, const char *key)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", key, consumer->name, "seconds", consumer->seconds, "cpu_percent",
                     consumer->cpu_percent, "memory_mb", consumer->memory_mb, "peak_memory_mb", consumer->peak_mb, "bytes_sent",
                     (json_int_t)consumer->sent, "bytes_received", (json_int_t)consumer->received, "disk_read",
                     (json_int_t)consumer->disk_read, "disk_written", (json_int_t)consumer->disk_written);
}

/* A task, with what it exchanged with each of its peers. */
static json_t *task_json(const tri__consumer *task)
{
    json_t *all = consumer_json(task, "task"), *peers = json_array();
    for (int i = 0; i < task->peers; i++)
        json_array_append_new(peers, json_pack("{s:s, s:I, s:I}", "peer", task->peer[i].name, "bytes_sent", (json_int_t)task->peer[i].sent,
                                               "bytes_received", (json_int_t)task->peer[i].received));
    if (task->peers > 0)
        json_object_set(all, "peers", peers);
    json_decref(peers);
    return all;
}

static void put_consumption(filling *to, const tri__consumption *consumption)
{
    json_t *tasks = json_array(), *hosts = json_array();
    for (int i = 0; i < consumption->tasks; i++)
        json_array_append_new(tasks, task_json(&consumption->task[i]));
    for (int i = 0; i < consumption->hosts; i++)
        json_array_append_new(hosts, consumer_json(&consumption->host[i], "host"));
    put(to, "task_stats", tasks);
    put(to, "hosts", hosts);
}

static void put_what_it_took(filling *to, const tri__summary *s)
{
    put_number(to, "peak_rss_mb", s->peak_rss_mb);
    if (s->table_rows > 0) {
        put_count(to, "table_rows", s->table_rows);
        put_count(to, "table_bytes", s->table_bytes);
    }
    if (s->tables_grow) {
        put_count(to, "left_out_rare", s->left_rare);
        put_count(to, "left_out_full", s->left_full);
    }
    put_count(to, "bytes_sent", s->bytes_sent);
    put_count(to, "bytes_received", s->bytes_received);
    put_count(to, "dropped_stale", s->dropped_stale);
    put_count(to, "re_leased", s->re_leased);
    put_count(to, "lost_updates", s->lost_updates);
    put_count(to, "damaged", s->damaged);
    put_count(to, "test_damaged", s->test_damaged);
    put(to, "phases", tri__phases_json(s->phases));
    put_text(to, "verdict", s->verdict);
    json_t *workers = json_array();
    for (int i = 0; i < s->workers; i++)
        json_array_append_new(workers, worker_json(&s->worker_stats[i], s->since_step, to));
    put(to, "worker_stats", workers);
    if (s->consumption)
        put_consumption(to, s->consumption);
    put_text(to, "checkpoint", s->checkpoint);
}

tri_status tri__summary_json(const tri__summary *summary, json_t **out)
{
    filling to = {.object = json_object()};
    put_what_was_asked(&to, summary);
    put_what_came_of_it(&to, summary);
    put_what_it_took(&to, summary);
    if (to.failed) {
        json_decref(to.object);
        return tri_fail(TRI_BAD_CALL, "the summary cannot be made: '%s' is not UTF-8 text, or memory is short", to.failed);
    }
    *out = to.object;
    return NULL;
}

/* ---- for people ---- */

static void row(tri__text *table, const char *what)
{
    tri__text_add(table, "%s%-12s ", table->used ? "\n" : "", what);
}

static void add_loss_row(tri__text *table, const char *what, double loss, double accuracy)
{
    if (isnan(loss) && isnan(accuracy))
        return;
    row(table, what);
    if (!isnan(loss))
        tri__text_add(table, "loss %.4f", loss);
    if (!isnan(accuracy))
        tri__text_add(table, "%saccuracy %.2f %%", isnan(loss) ? "" : ", ", 100 * accuracy);
}

static void add_setting_rows(tri__text *table, const tri__summary *s)
{
    char number[TRI_TEXT_SHORT];
    row(table, "model");
    tri__text_add(table, "%s on %s", s->model ? s->model : "-", s->data ? s->data : "-");
    row(table, "strategy");
    tri__text_add(table, "%s%s%s, batch %s, %d thread%s", s->strategy ? s->strategy : "-", s->mode ? " " : "", s->mode ? s->mode : "",
                  tri__text_count(number, (double)s->batch), s->threads, s->threads == 1 ? "" : "s");
    if (s->workers > 1)
        tri__text_add(table, ", %d workers", s->workers);
    if (s->servers > 0)
        tri__text_add(table, ", %d server%s", s->servers, s->servers == 1 ? "" : "s");
}

static void add_work_rows(tri__text *table, const tri__summary *s)
{
    char number[TRI_TEXT_SHORT], more[TRI_TEXT_SHORT];
    row(table, "trained");
    tri__text_add(table, "%s step%s, %s example%s", tri__text_count(number, (double)s->steps), s->steps == 1 ? "" : "s",
                  tri__text_count(more, (double)s->examples), s->examples == 1 ? "" : "s");
    if (!isnan(s->epochs))
        tri__text_add(table, ", %.4g epoch%s", s->epochs, s->epochs == 1 ? "" : "s");
    if (s->stopped_by)
        tri__text_add(table, " (stopped by %s)", s->stopped_by);
    row(table, "time");
    tri__text_add(table, "%.2f s of training, %.2f s in all", s->seconds, s->total_seconds);
    row(table, "speed");
    tri__text_add(table, "%s examples/s", tri__text_count(number, s->examples_per_second));
    if (s->seconds > 0)
        tri__text_add(table, ", %s steps/s", tri__text_brief(more, (double)s->steps / s->seconds));
}

/* Figures for models that learn numbers or sets of labels. */
static void add_target_figures(tri__text *table, const tri__summary *s)
{
    if (s->numbers && !isnan(s->test_mse))
        tri__text_add(table, ", MSE %.4f, MAE %.4f", s->test_mse, s->test_mae);
    if (s->numbers && !isnan(s->test_r2))
        tri__text_add(table, ", R2 %.4f", s->test_r2);
    if (s->sets && !isnan(s->test_f1))
        tri__text_add(table, ", F1 %.2f %%", 100 * s->test_f1);
}

/* Figures for models of two classes. */
static void add_class_rows(tri__text *table, const tri__summary *s)
{
    if (!s->two_classes)
        return;
    if (!isnan(s->test_logloss))
        tri__text_add(table, ", log loss %.4f", s->test_logloss);
    if (!isnan(s->test_auc))
        tri__text_add(table, ", AUC %.4f", s->test_auc);
    if (!isnan(s->test_calibration))
        tri__text_add(table, ", calibration %.3f", s->test_calibration);
    if (isnan(s->progressive_logloss))
        return;
    row(table, "progressive");
    tri__text_add(table, "log loss %.4f", s->progressive_logloss);
    if (!s->stream)
        return;
    if (!isnan(s->progressive_accuracy))
        tri__text_add(table, ", accuracy %.2f %%", 100 * s->progressive_accuracy);
    if (!isnan(s->progressive_auc))
        tri__text_add(table, ", AUC %.4f", s->progressive_auc);
    if (!isnan(s->progressive_calibration))
        tri__text_add(table, ", calibration %.3f", s->progressive_calibration);
}

static void add_phase_row(tri__text *table, const tri__summary *s)
{
    const char *separator = "";
    row(table, "phases");
    for (int i = 0; i < TRI_PHASES; i++)
        if (s->phases[i] >= 0.005) {
            tri__text_add(table, "%s%s %.0f %%", separator, tri__phase_name((tri__phase)i), 100 * s->phases[i]);
            separator = ", ";
        }
}

enum { MOST_ROWS = 8 }; /* of workers, of other tasks, and of hosts: if there are more, only summary.json has them all */

static void add_left_out(tri__text *table, int count, const char *what)
{
    if (count > MOST_ROWS)
        tri__text_add(table, "\n%-12s %d more %s in summary.json", "", count - MOST_ROWS, what);
}

static void add_worker_rows(tri__text *table, const tri__summary *s)
{
    char steps[TRI_TEXT_SHORT], since[TRI_TEXT_SHORT], sent[TRI_TEXT_SHORT], received[TRI_TEXT_SHORT], peak[TRI_TEXT_SHORT];
    for (int i = 0; s->worker_stats && s->workers > 1 && i < s->workers && i < MOST_ROWS; i++) {
        const tri__worker_summary *worker = &s->worker_stats[i];
        row(table, worker->task);
        tri__text_add(table, "%s step%s", tri__text_count(steps, (double)worker->steps), worker->steps == 1 ? "" : "s");
        if (s->since_step)
            tri__text_add(table, " since step %s", tri__text_count(since, (double)s->since_step));
        if (!isnan(worker->seconds)) /* NaN if the worker reported before ps:0 was lost */
            tri__text_add(table, " in %.2f s", worker->seconds);
        if (!isnan(worker->test_accuracy))
            tri__text_add(table, ", accuracy %.2f %%", 100 * worker->test_accuracy);
        if (!isnan(worker->cpu_percent))
            tri__text_add(table, ", %.0f %% of a CPU, %s at most", worker->cpu_percent, tri__text_bytes(peak, 1e6 * worker->peak_rss_mb));
        if (worker->bytes_sent)
            tri__text_add(table, ", %s sent, %s received", tri__text_bytes(sent, (double)worker->bytes_sent),
                          tri__text_bytes(received, (double)worker->bytes_received));
    }
    add_left_out(table, s->workers, "workers");
}

static void add_consumer(tri__text *table, const tri__consumer *consumer)
{
    char mean[TRI_TEXT_SHORT], peak[TRI_TEXT_SHORT], sent[TRI_TEXT_SHORT], received[TRI_TEXT_SHORT], read[TRI_TEXT_SHORT],
        written[TRI_TEXT_SHORT];
    tri__text_add(table, ", %s, at most %s, %s sent, %s received, disk %s read, %s written",
                  tri__text_bytes(mean, 1e6 * consumer->memory_mb), tri__text_bytes(peak, 1e6 * consumer->peak_mb),
                  tri__text_bytes(sent, consumer->sent), tri__text_bytes(received, consumer->received),
                  tri__text_bytes(read, consumer->disk_read), tri__text_bytes(written, consumer->disk_written));
}

/* Rows for tasks that are not workers, and for hosts. */
static void add_consumer_rows(tri__text *table, const tri__consumption *all)
{
    int others = 0;
    for (int i = 0; i < all->tasks; i++)
        if (!tri__task_name_has_role(all->task[i].name, TRI_ROLE_WORKER) && others++ < MOST_ROWS) {
            row(table, all->task[i].name);
            tri__text_add(table, "%.0f %% of a CPU", all->task[i].cpu_percent);
            add_consumer(table, &all->task[i]);
        }
    add_left_out(table, others, "tasks");
    for (int i = 0; i < all->hosts && i < MOST_ROWS; i++) {
        row(table, i == 0 ? "hosts" : "");
        tri__text_add(table, "%s: %.0f %% of all its CPUs", all->host[i].name, all->host[i].cpu_percent);
        add_consumer(table, &all->host[i]);
    }
    add_left_out(table, all->hosts, "hosts");
}

/* A row about what failures cost; none if there were no failures. */
static void add_failure_row(tri__text *table, const tri__summary *s)
{
    if (!s->lost_updates && !s->re_leased)
        return;
    row(table, "failures");
    tri__text_add(table, "%" PRId64 " update%s lost, %" PRId64 " step%s done again", s->lost_updates, s->lost_updates == 1 ? "" : "s",
                  s->re_leased, s->re_leased == 1 ? "" : "s");
}

const char *tri__summary_table(const tri__summary *summary, char *buffer, size_t size)
{
    char number[TRI_TEXT_SHORT], more[TRI_TEXT_SHORT];
    tri__text table;
    tri__text_init(&table, buffer, size);
    add_setting_rows(&table, summary);
    add_work_rows(&table, summary);
    add_loss_row(&table, "training", summary->train_loss, NAN);
    add_loss_row(&table, "test", summary->test_loss, summary->test_accuracy);
    add_target_figures(&table, summary);
    add_class_rows(&table, summary);
    add_phase_row(&table, summary);
    row(&table, "memory");
    tri__text_add(&table, "%s at most", tri__text_bytes(number, summary->peak_rss_mb * 1e6));
    if (summary->table_rows > 0)
        tri__text_add(&table, ", tables of %s rows in %s", tri__text_count(more, (double)summary->table_rows),
                      tri__text_bytes(number, (double)summary->table_bytes));
    if (summary->tables_grow)
        tri__text_add(&table, "; left out: %s features of keys seen too seldom (--min-count), %s for want of memory (--table-memory)",
                      tri__text_count(more, (double)summary->left_rare), tri__text_count(number, (double)summary->left_full));
    if (summary->bytes_sent || summary->bytes_received) {
        row(&table, "network");
        tri__text_add(&table, "%s sent, %s received", tri__text_bytes(number, (double)summary->bytes_sent),
                      tri__text_bytes(more, (double)summary->bytes_received));
    }
    add_worker_rows(&table, summary);
    if (summary->consumption)
        add_consumer_rows(&table, summary->consumption);
    add_failure_row(&table, summary);
    if (summary->dropped_stale) {
        row(&table, "dropped");
        tri__text_add(&table, "%s stale gradients", tri__text_count(number, (double)summary->dropped_stale));
    }
    if (summary->damaged || summary->test_damaged) {
        row(&table, "damaged");
        tri__text_add(&table, "%s training and %s test records left out", tri__text_count(number, (double)summary->damaged),
                      tri__text_count(more, (double)summary->test_damaged));
    }
    if (summary->verdict) {
        row(&table, "verdict");
        tri__text_add(&table, "%s", summary->verdict);
    }
    if (summary->checkpoint) {
        row(&table, "checkpoint");
        tri__text_add(&table, "%s", summary->checkpoint);
    }
    return buffer;
}
