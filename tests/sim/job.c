/* job.c: a simulated job from beginning to end. */
#include "sim/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/history.h"
#include "sim/invariants.h"
#include "sim/model.h"
#include "sim/place.h"
#include "sim/task.h"

#define LONGEST_SILENCE (1700 * SIM_MS)

enum { PORT = 20000 };

sim_history sim_all;

static void describe_tables(const sim_job *job, char *text, size_t size)
{
    snprintf(text, size, "no table");
    for (int i = 0, used = 0; i < job->tables.count; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRId64 " rows of %" PRId64 "%s", i ? ", " : "", job->tables.table[i].rows,
                         job->tables.table[i].width,
                         i + 1 < job->tables.count  ? ""
                         : job->settings.dense_rows ? " (dense)"
                         : job->settings.half_rows  ? " (fp16)"
                                                    : "");
    size_t used = strlen(text);
    if (job->tables.growth.most)
        snprintf(text + used, size - used, ", growing to %" PRId64 " each, min-count %" PRId64, job->tables.growth.most,
                 job->tables.growth.min_count);
}

void sim_job_describe(const sim_job *job, char *text, size_t size)
{
    const tri__ps_settings *s = &job->settings;
    char tables[128];
    describe_tables(job, tables, sizeof tables);
    snprintf(text, size,
             "%s%s, %d servers, %d workers%s, %zu floats, %s, %s%s%s, %" PRId64 " steps, %" PRId64 " examples in batches of %" PRId64
             ", checkpoints every %" PRId64 " steps or %" PRId64 " ms, evaluation every %" PRId64 " steps, ahead %d%s%s%s%s",
             tri__ps_mode_name(s->mode), s->sum ? " (sum)" : "", s->servers, s->workers, s->backup ? " (1 backup)" : "", job->floats,
             tables, job->rule.name, job->rule.clip > 0 ? ", clip" : "", job->rule.average > 0 ? ", averages" : "", job->steps,
             job->examples, job->batch, job->checkpoint_every, job->checkpoint_period / SIM_MS, job->evaluate_every, job->ahead,
             job->evaluator ? "" : ", no evaluator", job->kept_sockets ? ", sockets kept" : "",
             job->disk_hangs ? ", a disk that hangs" : "", s->replicas == 2 ? ", 2 replicas" : "");
}

/* If no message is sent for longer than any short fault lasts, some log must name the task that is awaited. */
static void watch_silence(void *context, int64_t number)
{
    (void)context, (void)number;
    int64_t now = sim_now();
    if (sim_all.over_at || sim_all.ending) /* then ps:0 waits at most two seconds for tasks that have not heard it */
        return;
    if (now - sim_all.said > LONGEST_SILENCE && sim_all.named < sim_all.said - sim_all.job.settings.timeout)
        sim_violate("nothing was said for %" PRId64 " ms, and nobody was named", (now - sim_all.said) / SIM_MS);
    sim_at(now + 100 * SIM_MS, watch_silence, NULL, 0);
}

void sim_job_begin(const sim_job *job, const sim_truth *truth, sim_truth *record)
{
    memset(&sim_all, 0, sizeof sim_all);
    sim_all.job = *job;
    sim_all.truth = truth;
    sim_all.record = record;
    sim_all.model = sim_model_create(&job->rule, job->tables.growth.most > 0);
    for (int i = 0; i < job->settings.servers; i++) {
        snprintf(sim_all.host[i], sizeof sim_all.host[i], "10.0.0.%d", i);
        sim_all.address[i] = (tri__address){.host = sim_all.host[i], .port = PORT};
        char *second = sim_all.host[SIM_MOST_SERVERS + i];
        snprintf(second, sizeof sim_all.host[i], "10.0.0.%d", sim_place_second(job, i));
        sim_all.second[i] = (tri__address){.host = second, .port = PORT};
    }
    for (int place = 0; place < sim_places(job); place++)
        sim_task_start(place, false);
    sim_all.said = sim_now();
    watch_silence(NULL, 0);
}

void sim_job_end(void)
{
    tri_store_destroy(sim_all.model);
    tri__standing_fini(&sim_all.standing);
    json_decref(sim_all.reports);
}

bool sim_job_finished(void)
{
    return sim_all.finished;
}

bool sim_job_begun(void)
{
    return sim_all.begun;
}

/* ps:0 has ended, and the other tasks have ended too, or had time to. */
bool sim_job_over(void)
{
    if (sim_all.violation[0])
        return true;
    if (!sim_all.over_at)
        return false;
    bool anybody = false;
    for (int place = 0; place < sim_places(&sim_all.job); place++)
        anybody |= sim_process_at(place) != NULL;
    return !anybody || sim_now() > sim_all.over_at + sim_all.job.settings.timeout + 2000 * SIM_MS;
}

void sim_job_one_loss(void)
{
    sim_all.one_loss = true;
}

/* The cut is survivable if the range of that server lives on two servers; for a server of ps:0's range, if all other ranges do. */
void sim_job_partitioned(int place)
{
    int range = sim_range_at(&sim_all.job, place);
    sim_all.survivable = sim_all.one_loss;
    for (int i = 1; i < sim_all.job.settings.servers; i++)
        sim_all.survivable &= (range && i != range) || sim_all.whole[i];
}
