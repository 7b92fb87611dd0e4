/* owner.c: the owner's calls for ps:0: the job's terms, and a checkpoint that is kept in memory. */
#include "sim/owner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/store/key_map.h"
#include "sim/faults.h"
#include "sim/history.h"
#include "sim/invariants.h"
#include "sim/model.h"

const char sim_digest[65] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", sim_terms[12] = "rate 0.0625";

static tri_status owner_settle(void *context, const json_t *hello, tri__ps_job *out)
{
    (void)context, (void)hello;
    const sim_job *job = &sim_all.job;
    *out = (tri__ps_job){
        .floats = job->floats,
        .tables = job->tables,
        .rule = job->rule,
        .work = {.examples = job->examples, .batch = job->batch, .last_step = job->steps, .last_position = INT64_MAX},
        .evaluate_every = job->evaluate_every,
        .checkpoint_every = job->checkpoint_every,
        .checkpoint_period = job->checkpoint_period,
    };
    memcpy(out->digest, sim_digest, sizeof sim_digest);
    memcpy(out->terms, sim_terms, sizeof sim_terms);
    return NULL;
}

static void copy_standing(const tri__standing *from, tri__standing *out)
{
    *out = *from;
    out->outstanding = NULL;
    out->books = json_deep_copy(from->books);
    if (from->count) {
        out->outstanding = malloc((size_t)from->count * sizeof *out->outstanding);
        memcpy(out->outstanding, from->outstanding, (size_t)from->count * sizeof *out->outstanding);
    }
}

static tri_status owner_load(void *context, tri_store *whole, tri__standing *standing)
{
    (void)context;
    *standing = (tri__standing){0};
    if (!sim_all.saved) {
        sim_initial(whole);
        return NULL;
    }
    sim_model_copy(sim_all.model, whole);
    copy_standing(&sim_all.standing, standing);
    sim_note("checkpoint of step %" PRId64 " is loaded", standing->step);
    return NULL;
}

/* In some histories the disk hangs once, for longer than the timeout, so that training goes on without it. A job that is asked to end would
 * fail then, as it should. */
static int64_t disk_time(void)
{
    const bool hangs = sim_all.job.disk_hangs && !sim_all.hung && !sim_faults_ask() && sim_draw(3) == 0;
    if (!hangs)
        return sim_span(10000, 30 * SIM_MS);
    sim_all.hung = true;
    sim_note("the disk hangs");
    return sim_all.job.settings.timeout + sim_span(100 * SIM_MS, 2000 * SIM_MS);
}

/* Called on a thread of its own. It takes a while, and may be killed with its process. */
static tri_status owner_save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    (void)context, (void)best;
    uint64_t before = sim_model_hash(whole), keys = sim_keys_hash(whole);
    sim_compare("the checkpoint", standing->step, whole);
    sim_wait(sim_now() + disk_time(), "the disk");
    if (sim_model_hash(whole) != before || sim_keys_hash(whole) != keys)
        sim_violate("the checkpoint of step %" PRId64 " changes while it is written", standing->step);
    if (sim_all.model->map)
        tri__key_map_empty(sim_all.model->map);
    sim_model_copy(whole, sim_all.model);
    if (sim_all.saved && standing->step < sim_all.standing.step && sim_all.job.settings.mode != TRI_PS_SYNC)
        sim_violate("the checkpoint of step %" PRId64 " follows that of step %" PRId64, standing->step, sim_all.standing.step);
    tri__standing_fini(&sim_all.standing);
    copy_standing(standing, &sim_all.standing);
    sim_all.saved = true;
    sim_note("checkpoint of step %" PRId64 " is written", standing->step);
    return NULL;
}

static unsigned owner_evaluated(void *context, int64_t step, const json_t *evaluation)
{
    (void)context, (void)evaluation;
    sim_note("step %" PRId64 " is evaluated", step);
    return 0;
}

static bool owner_watch(void *context, const tri__ps_status *status)
{
    (void)context, (void)status;
    return false;
}

static tri_status owner_conclude(void *context, const tri__ps_status *status)
{
    (void)context;
    if (sim_all.concluded)
        sim_violate("the job is concluded twice");
    sim_all.concluded = true;
    sim_all.status = *status;
    sim_all.reports = json_incref(status->reports);
    sim_note("the job is concluded at step %" PRId64, status->step);
    return NULL;
}

static tri_status owner_note(void *context, uint32_t pair)
{
    (void)context;
    sim_all.noted = pair;
    return NULL;
}

static uint32_t owner_noted(void *context)
{
    (void)context;
    return sim_all.noted;
}

const tri__ps_owner sim_owner = {
    .settle = owner_settle,
    .load = owner_load,
    .save = owner_save,
    .evaluated = owner_evaluated,
    .watch = owner_watch,
    .conclude = owner_conclude,
    .note = owner_note,
    .noted = owner_noted,
};
