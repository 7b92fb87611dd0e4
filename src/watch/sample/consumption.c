/* consumption.c: adds up the samples of each task. All tasks of a host have the host's columns; those of the file that covers the most time
 * are used. Hosts come in the order of their tasks, and the machine of a supervisor or launcher, if it has no other task, comes last. */
#include "watch/sample/consumption.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/task.h"
#include "watch/sample/columns.h"
#include "watch/sample/run_files.h"

#define MEGA  1e6
#define SHORT 0.5 /* the first and the last sample may be much shorter than the others: rates that happen to be high */

/* The columns that are added up for a consumer; CPU is the sum of the first two. */
enum { CPU, CPU_MORE, STOLEN, MEMORY, SENT, RECEIVED, READ, WRITTEN, COLUMNS };

static const char *const of_task[COLUMNS] = {
    TRI_COLUMN_OWN_CPU,    "", "", TRI_COLUMN_OWN_USED, TRI_COLUMN_OWN_SENT, TRI_COLUMN_OWN_RECEIVED, TRI_COLUMN_OWN_READ,
    TRI_COLUMN_OWN_WRITTEN};
static const char *const of_host[COLUMNS] = {TRI_COLUMN_USER, TRI_COLUMN_SYSTEM,   TRI_COLUMN_STOLEN, TRI_COLUMN_USED,
                                             TRI_COLUMN_SENT, TRI_COLUMN_RECEIVED, TRI_COLUMN_READ,   TRI_COLUMN_WRITTEN};

static void find_columns(const tri__sample_reader *reader, const char *const names[COLUMNS], int column[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        column[i] = tri__sample_reader_column(reader, names[i]);
}

/* Add one sample. Fields that will be means are sums over time until settle divides them. */
static void add(tri__consumer *to, const double *sample, const int column[COLUMNS], double seconds, bool whole)
{
    double value[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        value[i] = column[i] >= 0 && isfinite(sample[column[i]]) ? sample[column[i]] : 0;
    to->seconds += seconds;
    to->cpu_percent += seconds * (value[CPU] + value[CPU_MORE]);
    to->stolen_percent += seconds * value[STOLEN];
    to->memory_mb += seconds * value[MEMORY] / MEGA;
    to->peak_mb = fmax(to->peak_mb, value[MEMORY] / MEGA);
    to->sent += seconds * value[SENT];
    to->received += seconds * value[RECEIVED];
    to->disk_read += seconds * value[READ];
    to->disk_written += seconds * value[WRITTEN];
    to->best_read = whole ? fmax(to->best_read, value[READ]) : to->best_read;
}

/* Rates in a file are rounded, so that sums of bytes have fractions, which mean nothing. */
static void settle(tri__consumer *consumer)
{
    double *const bytes[] = {&consumer->sent, &consumer->received, &consumer->disk_read, &consumer->disk_written};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        *bytes[i] = round(*bytes[i]);
    if (consumer->seconds <= 0)
        return;
    consumer->cpu_percent /= consumer->seconds;
    consumer->stolen_percent /= consumer->seconds;
    consumer->memory_mb /= consumer->seconds;
}

/* ---- links ---- */

enum { LINKS = 8, BINS = 201 }; /* links of a host that are counted, and bins for shares from 0 to 200 % */

typedef struct {
    char name[TRI_SAMPLE_LINK];
    int column[TRI_LINK_PARTS];
    double most;
    int bins[2][BINS]; /* how many samples used each share of the speed: received, sent */
    int samples;
} link_fill;

static int find_links(const tri__sample_reader *reader, link_fill link[LINKS])
{
    int count = 0;
    while (count < LINKS && tri__sample_reader_link(reader, count, link[count].name)) {
        for (int part = 0; part < TRI_LINK_PARTS; part++) {
            char name[TRI_LINK_COLUMN];
            link[count].column[part] = tri__sample_reader_column(reader, tri__link_column(link[count].name, (tri__link_part)part, name));
        }
        count++;
    }
    return count;
}

static void count_fill(link_fill *link, const double *sample)
{
    if (link->column[TRI_LINK_RECEIVED] < 0 || link->column[TRI_LINK_SENT] < 0 || !(sample[link->column[TRI_LINK_MOST]] > 0))
        return;
    link->most = sample[link->column[TRI_LINK_MOST]];
    for (int i = 0; i < 2; i++) {
        const double share = sample[link->column[i]] / link->most;
        link->bins[i][share < 0 ? 0 : share >= 2 ? BINS - 1 : (int)(100 * share)]++;
    }
    link->samples++;
}

static double median_fill(const link_fill *link, int direction)
{
    int bin = 0;
    for (int seen = link->bins[direction][0]; 2 * seen < link->samples && bin < BINS - 1;)
        seen += link->bins[direction][++bin];
    return bin / 100.0;
}

static void take_fullest(const link_fill *link, int count, tri__consumer *host)
{
    for (int i = 0; i < count; i++)
        for (int direction = 0; direction < 2; direction++) {
            const double fill = median_fill(&link[i], direction);
            if (link[i].samples == 0 || (host->link.most > 0 && fill <= host->link.fill))
                continue;
            memcpy(host->link.name, link[i].name, sizeof host->link.name);
            host->link.most = link[i].most;
            host->link.fill = fill;
            host->link.sends = direction == 1;
            host->link.other = median_fill(&link[i], 1 - direction);
        }
}

/* ---- one task ---- */

static void add_up(tri__sample_reader *reader, double since, tri__consumer *task, tri__consumer *host)
{
    const int epoch = tri__sample_reader_column(reader, TRI_COLUMN_EPOCH), length = tri__sample_reader_column(reader, TRI_COLUMN_SECONDS);
    int task_column[COLUMNS], host_column[COLUMNS];
    find_columns(reader, of_task, task_column);
    find_columns(reader, of_host, host_column);
    link_fill link[LINKS] = {0};
    const int links = find_links(reader, link);
    if (epoch < 0 || length < 0)
        return;
    for (const double *sample; (sample = tri__sample_reader_next(reader));) {
        if (sample[epoch] <= since || !(sample[length] > 0))
            continue;
        const bool whole = sample[length] >= SHORT * tri__sample_reader_every(reader);
        add(task, sample, task_column, sample[length], whole);
        add(host, sample, host_column, sample[length], whole);
        for (int i = 0; i < links; i++)
            count_fill(&link[i], sample);
    }
    take_fullest(link, links, host);
    settle(task);
    settle(host);
}

static void keep_host(tri__consumption *all, const tri__consumer *host)
{
    for (int i = 0; i < all->hosts; i++)
        if (!strcmp(all->host[i].name, host->name)) {
            if (host->seconds > all->host[i].seconds)
                all->host[i] = *host;
            return;
        }
    all->host[all->hosts++] = *host;
}

/* The folder of peers is beside that of samples. */
static tri_status read_peers(const char *folder, const char *file, double since, tri__consumer *task)
{
    char beside[TRI_SAMPLE_TASK + sizeof TRI_RUN_PEERS + 16];
    snprintf(beside, sizeof beside, "../" TRI_RUN_PEERS "/%.*s", TRI_SAMPLE_TASK, file);
    char *path = tri__path_join(folder, beside);
    tri_status status = path ? tri__peers_read(path, since, &task->peer, &task->peers) : tri_fail(TRI_NO_MEMORY, "no memory for a name");
    free(path);
    return status;
}

static tri_status read_task(const char *folder, const char *file, double since, tri__consumption *all)
{
    char *path = tri__path_join(folder, file);
    tri__consumer task = {0}, host = {0};
    tri__sample_reader *reader = path && tri__sample_task(file, task.name) ? tri__sample_reader_open(path) : NULL;
    free(path);
    if (!reader)
        return NULL;
    snprintf(host.name, sizeof host.name, "%.63s", tri__sample_reader_host(reader));
    memcpy(task.host, host.name, sizeof task.host);
    add_up(reader, since, &task, &host);
    tri__sample_reader_close(reader);
    if (task.seconds <= 0)
        return NULL;
    TRI_TRY(read_peers(folder, file, since, &task));
    all->task[all->tasks++] = task;
    keep_host(all, &host);
    return NULL;
}

/* A name that is not of a file of samples is left out later. */
static int by_task(const void *a, const void *b)
{
    char x[TRI_SAMPLE_TASK] = "", y[TRI_SAMPLE_TASK] = "";
    tri__sample_task(*(char *const *)a, x);
    tri__sample_task(*(char *const *)b, y);
    return tri__task_name_order(x, y);
}

static tri_status read_all(const char *folder, char **names, size_t count, double since, tri__consumption *out)
{
    TRI_TRY(tri__allocate(count + 1, sizeof *out->task, "what tasks used", &out->task));
    TRI_TRY(tri__allocate(count + 1, sizeof *out->host, "what hosts used", &out->host));
    qsort(names, count, sizeof *names, by_task);
    for (size_t i = 0; i < count; i++)
        TRI_TRY(read_task(folder, names[i], since, out));
    return NULL;
}

tri_status tri__consumption_read(const char *folder, double since, tri__consumption *out)
{
    char **names = NULL;
    size_t count = 0;
    *out = (tri__consumption){0};
    if (!tri__folder_exists(folder))
        return NULL;
    TRI_TRY(tri__folder_list(folder, &names, &count));
    tri_status status = read_all(folder, names, count, since, out);
    tri__folder_free(names, count);
    if (status)
        tri__consumption_fini(out);
    return status;
}

void tri__consumption_fini(tri__consumption *consumption)
{
    for (int i = 0; i < consumption->tasks; i++)
        free(consumption->task[i].peer);
    free(consumption->task);
    free(consumption->host);
    *consumption = (tri__consumption){0};
}
