/* invariants.c: what must hold for a job, while it runs and when it is over. */
#include "sim/invariants.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/store/store.h"
#include "sim/history.h"
#include "sim/model.h"

void sim_violate(const char *format, ...)
{
    if (sim_all.violation[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sim_all.violation, sizeof sim_all.violation, format, arguments);
    va_end(arguments);
    sim_note("VIOLATION: %s", sim_all.violation);
}

const char *sim_job_violation(void)
{
    return sim_all.violation[0] ? sim_all.violation : NULL;
}

static bool is_pure(void)
{
    return sim_all.job.settings.mode == TRI_PS_SYNC && sim_all.job.settings.backup == 0 && sim_all.left == 0 && sim_all.worker_kills == 0;
}

/* A snapshot that is only evaluated has no keys. */
static void compare_keys(const char *what, int64_t step, uint64_t sum)
{
    if (sim_all.record) {
        sim_all.record->keys[step] = sum;
        sim_all.record->keys_known[step] = true;
    }
    if (sim_all.truth && sim_all.truth->keys_known[step] && is_pure() && sim_all.truth->keys[step] != sum)
        sim_violate("%s of step %" PRId64 " has seen other keys than in an undisturbed run", what, step);
}

void sim_compare(const char *what, int64_t step, tri_store *model)
{
    uint64_t sum = sim_model_hash(model);
    if (step < 0 || step > SIM_MOST_STEPS)
        return;
    if (sim_all.record) {
        sim_all.record->model[step] = sum;
        sim_all.record->known[step] = true;
    }
    if (sim_all.truth && sim_all.truth->known[step] && is_pure() && sim_all.truth->model[step] != sum)
        sim_violate("%s of step %" PRId64 " has other bits than in an undisturbed run", what, step);
    if (model->map)
        compare_keys(what, step, sim_keys_hash(model));
}

static int64_t reported(const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(sim_all.reports); i++)
        sum += json_integer_value(json_object_get(json_array_get(sim_all.reports, i), key));
    return sum;
}

/* An update counts the sightings of its keys once, though it has a part for every table. */
static void check_sightings(int server)
{
    const int64_t seen = sim_sightings_of(sim_all.model, server);
    int64_t least = INT64_MAX, most = 0;
    for (int table = 0; table < sim_all.job.tables.count; table++) {
        const int64_t made = (int64_t)sim_updates_of(sim_all.model, tri__layout_table_chunk(sim_layout(), server, table));
        least = made < least ? made : least;
        most = made > most ? made : most;
    }
    if (seen >= 0 && (seen < least || seen > most))
        sim_violate("ps:%d has counted the sightings of %" PRId64 " updates, and its tables have had %" PRId64 " to %" PRId64, server, seen,
                    least, most);
}

/* Each update is applied once to each chunk, except for what the books say: a server lost some updates with its memory, and some were given
 * out again. When ps:0 is lost, the other servers keep their updates: those that ps:0 takes back, and for each worker one that ps:0 did not
 * have yet. Both are made again. No more updates may be lost than servers have applied and taken back, or a worker has sent to only some of
 * them. */
static void check_updates(void)
{
    if (!sim_counts_updates())
        return;
    int64_t step = sim_all.status.step, lost = sim_all.status.lost, again = sim_all.status.re_leased, most_lost = 0;
    int64_t begun = sim_all.first_kills * sim_all.job.settings.workers, halved = sim_all.worker_kills * (sim_all.job.settings.servers - 1);
    bool replicated = sim_all.job.settings.replicas == 2;
    int64_t left = sim_all.stop ? sim_all.worker_kills : 0; /* a job that is asked to end does not give their tokens out again */
    for (int server = 0; server < sim_all.job.settings.servers; server++) {
        int64_t taken_back = 0;
        check_sightings(server);
        for (uint32_t chunk = tri__layout_first(sim_layout(), server); chunk < tri__layout_first(sim_layout(), server + 1); chunk++) {
            float made = sim_updates_of(sim_all.model, chunk);
            int64_t count = (int64_t)made;
            if (made != floorf(made) || count > step + lost + again + left + (server || replicated ? begun : 0) || count < step - lost)
                sim_violate("chunk %u has had %g updates; there were %" PRId64 " steps, %" PRId64 " lost, %" PRId64 " given out again",
                            chunk, (double)made, step, lost, again);
            taken_back = sim_all.applied[chunk] - count > taken_back ? sim_all.applied[chunk] - count : taken_back;
        }
        most_lost += taken_back;
    }
    if (lost > most_lost + halved)
        sim_violate("%" PRId64 " updates are said to be lost, and servers took back %" PRId64, lost, most_lost);
}

/* If one server of a range that lived on two was lost, nobody goes back, and every update is in the model once. */
static void check_loss(void)
{
    if (!sim_all.survivable)
        return;
    if (sim_all.went_back || sim_all.status.lost)
        sim_violate("a server that had a standby was lost, and %" PRId64 " updates with it", sim_all.status.lost);
    for (uint32_t chunk = 0; sim_counts_updates() && chunk < tri__layout_chunks(sim_layout()); chunk++) {
        float made = sim_updates_of(sim_all.model, chunk);
        float most = (float)(sim_all.status.step + sim_all.first_kills * sim_all.job.settings.workers); /* begun steps are made again */
        if (made < (float)sim_all.status.step || made > most)
            sim_violate("a server that had a standby was lost: chunk %u has had %g updates in %" PRId64 " steps", chunk, (double)made,
                        sim_all.status.step);
    }
}

/* The steps of all workers, as the books say, are those in the model: in async always, and in sync if all took part in all steps. */
static void check_shares(void)
{
    const sim_job *job = &sim_all.job;
    bool sync = job->settings.mode == TRI_PS_SYNC, whole = sim_all.left == 0 && sim_all.worker_kills == 0 && !job->settings.backup;
    int64_t steps = reported("steps"), most = (sync ? job->settings.workers : 1) * sim_all.status.step;
    if (steps > most || (steps < most && (!sync || whole)))
        sim_violate("workers brought %" PRId64 " parts of %" PRId64 " steps", steps, sim_all.status.step);
    if (!sync && reported("examples") != steps * job->batch)
        sim_violate("workers brought %" PRId64 " examples in %" PRId64 " steps", reported("examples"), steps);
}

void sim_job_check(void)
{
    const sim_job *job = &sim_all.job;
    if (!sim_all.finished)
        return;
    if (!sim_all.stop && sim_all.status.step != job->steps)
        sim_violate("%" PRId64 " steps were made, and %" PRId64 " wanted", sim_all.status.step, job->steps);
    if (!sim_all.saved || sim_all.standing.step != sim_all.status.step)
        sim_violate("the job ends at step %" PRId64 " with a checkpoint of step %" PRId64, sim_all.status.step,
                    sim_all.saved ? sim_all.standing.step : -1);
    sim_compare("the final model", sim_all.status.step, sim_all.model);
    check_updates();
    check_shares();
    check_loss();
    bool undisturbed = sim_all.left == 0 && sim_all.went_back == 0 && sim_all.worker_kills == 0 && sim_all.server_kills == 0;
    if (undisturbed && sim_all.status.lost)
        sim_violate("%" PRId64 " updates are said to be lost, and no server was", sim_all.status.lost);
    if (undisturbed && !job->settings.backup && sim_all.status.dropped)
        sim_violate("%" PRId64 " gradients are said to be stale", sim_all.status.dropped);
}
