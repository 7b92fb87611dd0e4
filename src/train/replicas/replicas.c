/* replicas.c: replicas as threads. The run's own thread is replica 0; between steps it evaluates, saves and logs. The other replicas only
 * make steps: they fetch their next batch, then wait until replica 0 begins the step. So no thread reads or writes a parameter while
 * replica 0 evaluates, writes a checkpoint or ends the run. */
#include "train/options/strategy.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "graph/nodes/initialise.h"
#include "store/mirrored.h"
#include "train/run/peers.h"
#include "train/run/run_setup.h"
#include "watch/sample/run_files.h"

#define LONGEST_STEP (600 * TRI_SECOND) /* only for steps that hang: a thread that fails reports it */

typedef struct replicas replicas;

typedef struct {
    replicas *peers;
    int index;
    pthread_t thread;
    bool started;

    /* written by the replica's thread; replica 0 reads them after `done` has counted the step, or after the thread has ended */
    tri__trainer trainer; /* replica 0 uses the run's trainer instead */
    tri__tally tally;
    double cpu; /* seconds of this thread */
    char *note; /* about a record that was left out, until replica 0 logs it; or NULL */
    tri_status status;
    atomic_int_fast64_t done; /* steps made, plus one when the replica has failed */

    /* only replica 0 uses these */
    tri__tally curve;    /* of this replica, since the last point of its curves */
    tri__events *events; /* NULL for replica 0, which writes to the run's file, and where events are off */
} replica;

struct replicas {
    tri__peers peers;
    tri__run *run;
    tri__rendezvous rendezvous;
    tri__mirrored_group *group;
    replica *replica; /* [workers] */
    int threads;
    tri_step step;             /* the last step that was begun; written before `begun` is */
    atomic_int_fast64_t begun; /* how many steps were begun */
    atomic_bool over;
};

/* ---- replicas 1 and up ---- */

typedef struct {
    replicas *peers;
    int64_t steps;
} turn;

static bool may_begin(const void *context)
{
    const turn *my = context;
    return atomic_load(&my->peers->begun) > my->steps || atomic_load(&my->peers->over);
}

/* No deadline: replica 0 may be evaluating. */
static bool wait_for_turn(replica *self)
{
    replicas *peers = self->peers;
    const turn mine = {peers, self->trainer.steps};
    tri__phases_enter(&self->trainer.phases, TRI_PHASE_PEERS, self->trainer.now);
    while (!tri__rendezvous_wait(&peers->rendezvous, may_begin, &mine, tri__clock_now() + LONGEST_STEP))
        continue;
    return atomic_load(&peers->begun) > self->trainer.steps;
}

static tri_status do_step(replica *self, const tri_batch *batch)
{
    tri__trainer_enter(&self->trainer, TRI_PHASE_COMPUTE);
    TRI_TRY(tri__trainer_compute(&self->trainer, &self->peers->step, batch, &self->tally));
    if (batch->damaged && !self->note)
        self->note = tri__dataset_note(self->trainer.dataset);
    return NULL;
}

/* If a batch cannot be read, the step that needs it fails, not the step before. */
static bool next_step(replica *self)
{
    const tri_batch *batch = NULL;
    self->trainer.now = tri__clock_now();
    tri_status status = tri__trainer_fetch(&self->trainer, &batch);
    if (!wait_for_turn(self)) {
        tri_status_free(status);
        return false;
    }
    if (!status)
        status = do_step(self, batch);
    self->status = tri_wrap(status, "replica %d", self->index);
    if (status)
        tri__mirrored_group_stop(self->peers->group);
    atomic_fetch_add(&self->done, 1);
    tri__rendezvous_notify(&self->peers->rendezvous);
    return !self->status;
}

static double thread_cpu(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) ? 0 : (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void *run_replica(void *context)
{
    replica *self = context;
    omp_set_num_threads(self->peers->threads);
    double before = thread_cpu();
    while (next_step(self))
        continue;
    tri__trainer_pause(&self->trainer);
    self->cpu = thread_cpu() - before;
    return NULL;
}

/* ---- the run's side ---- */

static tri_status start_threads(replicas *peers)
{
    for (int i = 1; i < peers->peers.workers; i++) {
        replica *self = &peers->replica[i];
        if (pthread_create(&self->thread, NULL, run_replica, self))
            return tri_fail(TRI_IO, "no thread for replica %d of %d", i, peers->peers.workers);
        self->started = true;
    }
    return NULL;
}

static tri_status replicas_begin(tri__peers *base, const tri_step *step, const tri_batch *batch)
{
    replicas *peers = (replicas *)base;
    (void)batch;
    if (peers->peers.workers > 1 && !peers->replica[1].started)
        TRI_TRY(start_threads(peers));
    peers->step = *step;
    atomic_fetch_add(&peers->begun, 1);
    tri__rendezvous_notify(&peers->rendezvous);
    return NULL;
}

static bool all_done(const void *context)
{
    const replicas *peers = context;
    int64_t steps = atomic_load(&peers->begun);
    for (int i = 1; i < peers->peers.workers; i++)
        if (atomic_load(&peers->replica[i].done) < steps)
            return false;
    return true;
}

static void tell_note(const replicas *peers, replica *other)
{
    if (!other->note)
        return;
    tri__log_line(peers->run->journal.log, TRI_LOG_WARNING, "%s", other->note);
    free(other->note);
    other->note = NULL;
}

static tri_status replicas_end(tri__peers *base, tri__tally *tally)
{
    replicas *peers = (replicas *)base;
    if (!tri__rendezvous_wait(&peers->rendezvous, all_done, peers, tri__clock_now() + LONGEST_STEP))
        return tri_fail(TRI_TIMEOUT, "a replica has not ended its step for %g s", tri__clock_seconds(LONGEST_STEP));
    tri__tally_add(&peers->replica[0].curve, tally);
    for (int i = 1; i < peers->peers.workers; i++) {
        replica *other = &peers->replica[i];
        tell_note(peers, other);
        if (other->status)
            return tri_fail(TRI_STOPPED, "another replica has stopped"); /* the call `leave` returns the reason */
        tri__tally_add(tally, &other->tally);
        tri__tally_add(&other->curve, &other->tally);
    }
    const tri_dataset *dataset = peers->run->trainer.dataset;
    return tri__peers_count_damage(peers->run, tally->damaged, tri_dataset_position(dataset) % tri_dataset_examples(dataset) == 0);
}

/* Records that any replica found damaged, each counted once: in another epoch, another replica may read the same record. */
static tri_status merge_damage(const replicas *peers)
{
    for (int i = 1; i < peers->peers.workers; i++) {
        const int64_t *found;
        int64_t count = tri__dataset_damage(peers->replica[i].trainer.dataset, &found);
        TRI_TRY(tri__dataset_recall_damage(peers->run->trainer.dataset, found, count));
    }
    return NULL;
}

/* Ends the threads. Returns own, or the failure of a replica. */
static tri_status end_threads(replicas *peers, tri_status own)
{
    atomic_store(&peers->over, true);
    if (own)
        tri__mirrored_group_stop(peers->group);
    tri__rendezvous_notify(&peers->rendezvous);
    for (int i = 1; i < peers->peers.workers; i++) {
        replica *other = &peers->replica[i];
        if (other->started)
            pthread_join(other->thread, NULL);
        other->started = false;
        bool cause = other->status && tri_status_code(other->status) != TRI_STOPPED;
        if (cause && tri_status_code(own) == TRI_STOPPED) {
            tri_status_free(own);
            own = other->status;
            other->status = NULL;
        }
    }
    return own;
}

static tri_status replicas_leave(tri__peers *base, tri_status own)
{
    replicas *peers = (replicas *)base;
    own = end_threads(peers, own);
    return own ? own : merge_damage(peers);
}

static void replicas_stats(const tri__peers *base, int worker, tri__worker_summary *out, tri__phases *phases)
{
    const replicas *peers = (const replicas *)base;
    const replica *other = &peers->replica[worker];
    *phases = other->trainer.phases;
    out->steps = other->trainer.steps;
    out->examples = other->trainer.examples;
    out->began = tri__clock_wall_of(peers->run->since.usage.wall);
    out->ended = tri__clock_wall_of(other->trainer.ended);
    out->peak_rss_mb = tri__peak_rss_mb();
    /* over the same time as the process's CPU time: the run subtracts this from it */
    double seconds = tri__clock_seconds(tri__clock_now() - peers->run->since.usage.wall);
    if (peers->threads == 1 && seconds > 0)
        out->cpu_percent = 100 * other->cpu / seconds;
}

/* ---- making replicas ---- */

/* The run's own plan and dataset exist; make those of the other replicas. */
static tri_status prepare_others(tri__run *run, tri_status own)
{
    replicas *peers = (replicas *)run->peers;
    TRI_TRY(own);
    for (int i = 1; i < peers->peers.workers; i++) {
        TRI_TRY(tri__run_create_plan(run, &peers->replica[i].trainer));
        TRI_TRY(tri__run_create_dataset(run, i, &peers->replica[i].trainer));
    }
    return NULL;
}

static void replicas_destroy(tri__peers *base)
{
    replicas *peers = (replicas *)base;
    tri_status_free(end_threads(peers, NULL));
    for (int i = 1; peers->replica && i < peers->peers.workers; i++) {
        replica *other = &peers->replica[i];
        tri__trainer_fini(&other->trainer);
        tri_status_free(tri__events_close(other->events));
        tri_status_free(other->status);
        free(other->note);
    }
    tri__mirrored_group_destroy(peers->group);
    tri__rendezvous_fini(&peers->rendezvous);
    free(peers->replica);
    free(peers);
}

/* The event file of a replica. It is made with the first point. */
static tri__events *events_of(replicas *peers, int index)
{
    tri__run *run = peers->run;
    replica *self = &peers->replica[index];
    char path[PATH_MAX], task[TRI_TASK_SIZE];
    if (index == 0 || self->events)
        return index == 0 ? run->journal.events : self->events;
    const int size = snprintf(path, sizeof path, "%s/" TRI_RUN_EVENTS "/%s", run->journal.folder.path,
                              tri__task_file_name((tri__task){TRI_ROLE_WORKER, index}, task));
    tri_status status =
        size < (int)sizeof path ? tri__events_create(path, &self->events) : tri_fail(TRI_BAD_CALL, "the path of its folder is too long");
    if (status)
        tri__log_line(run->journal.log, TRI_LOG_WARNING, "replica %d has no curves of its own: %s", index, tri_status_message(status));
    tri_status_free(status);
    return self->events;
}

/* The run's curves are of all replicas together; these are of each replica alone. */
static void replicas_tell_curves(tri__peers *base, int64_t step)
{
    replicas *peers = (replicas *)base;
    for (int i = 0; i < base->workers; i++) {
        tri__tally *curve = &peers->replica[i].curve;
        tri__events *events = curve->count ? events_of(peers, i) : NULL;
        if (events) {
            tri__events_scalar(events, "worker/loss", step, (float)tri__tally_mean(curve));
            if (curve->judged)
                tri__events_scalar(events, "worker/accuracy", step, (float)((double)curve->right / (double)curve->judged));
        }
        *curve = (tri__tally){0};
    }
}

static void replicas_flush_curves(tri__peers *base)
{
    replicas *peers = (replicas *)base;
    for (int i = 1; i < base->workers; i++)
        if (peers->replica[i].events)
            tri_status_free(tri__events_flush(peers->replica[i].events)); /* a full disk is reported for the run's own file */
}

static void replicas_trace(tri__peers *base, tri__trace *trace)
{
    replicas *peers = (replicas *)base;
    for (int i = 1; i < base->workers; i++) {
        char name[32];
        snprintf(name, sizeof name, "replica %d", i);
        tri__trainer_trace(&peers->replica[i].trainer, trace, name);
    }
}

static const tri__peers_kind replicas_kind = {
    .workers = "replicas",
    .begin = replicas_begin,
    .end = replicas_end,
    .leave = replicas_leave,
    .stats = replicas_stats,
    .trace = replicas_trace,
    .tell_curves = replicas_tell_curves,
    .flush_curves = replicas_flush_curves,
    .destroy = replicas_destroy,
};

static tri_status create_stores(replicas *peers, tri__run *run)
{
    const tri__mirrored_group_options options = {
        .floats = tri_graph_parameter_floats(run->inputs.graph),
        .rule = run->settings.rule,
        .replicas = peers->peers.workers,
        .rendezvous = &peers->rendezvous,
        .timeout = LONGEST_STEP,
    };
    TRI_TRY(tri__allocate((size_t)peers->peers.workers, sizeof *peers->replica, "the replicas", &peers->replica));
    TRI_TRY(tri__mirrored_group_create(&options, &peers->group));
    TRI_TRY(tri__mirrored_store_create(peers->group, 0, &run->trainer.store));
    TRI_TRY(tri__run_add_tables(run, tri__run_table_bytes(run), run->trainer.store));
    for (int i = 1; i < peers->peers.workers; i++) {
        replica *other = &peers->replica[i];
        other->peers = peers;
        other->index = i;
        TRI_TRY(tri__mirrored_store_create(peers->group, i, &other->trainer.store));
        TRI_TRY(tri__graph_add_shared_tables(run->inputs.graph, run->trainer.store, other->trainer.store));
    }
    return NULL;
}

/* The run uses the store of the first replica. */
static tri_status create(tri__run *run)
{
    replicas *peers;
    int workers = run->settings.workers;
    TRI_TRY(tri__allocate(1, sizeof *peers, "the replicas", &peers));
    peers->peers = (tri__peers){.kind = &replicas_kind, .workers = workers, .here = workers};
    peers->run = run;
    peers->threads = run->settings.threads;
    tri__rendezvous_init(&peers->rendezvous, workers * peers->threads, omp_get_num_procs());
    run->peers = &peers->peers;
    return create_stores(peers, run);
}

/* ---- the row ---- */

/* All replicas read one source, so no replica has its own files. */
static tri_status check(const tri__train_options *options)
{
    if (options->shard && !strcmp(options->shard, "files"))
        return tri_fail(TRI_BAD_CALL,
                        "--shard files: replicas of one process read the same files (leave it out: each takes its part of them)");
    return NULL;
}

/* Replicas share the CPUs evenly. */
static int threads_of(const tri__run *run)
{
    return omp_get_max_threads() / run->settings.workers;
}

const tri__strategy tri__strategy_mirrored = {
    .name = "mirrored",
    .options = (const char *const[]){"min-count", "table-memory", NULL},
    .check = check,
    .threads = threads_of,
    .create_store = create,
    .agree_on_parts = prepare_others,
};
