/* mirror.c: replicas as threads. The run's own thread is replica 0 and does between steps what a run does; the others do steps and nothing
 * else. They fetch their next batch, then wait until replica 0 begins the step: so when it evaluates, writes a checkpoint or ends the run,
 * nobody reads or writes a parameter. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "store/mirrored.h"
#include "train/crew.h"

#define LONGEST_STEP INT64_C(600000000000) /* nanoseconds: no thread dies in silence, so this is for steps that hang */

typedef struct mirror_crew mirror_crew;

typedef struct {
    mirror_crew *crew;
    int index;
    pthread_t thread;
    bool started;
    tri_store *store; /* that of replica 0 is the run's, as are its plan and dataset */
    tri_plan *plan;
    tri_dataset *dataset;

    /* written by the replica's thread; replica 0 reads them when done tells it to, or when the thread is gone */
    tri__tally tally;
    tri__phases phases;
    int64_t steps, examples;
    double cpu; /* seconds of this thread */
    char *note; /* of a record that was left out, until replica 0 tells it; or NULL */
    tri_status status;
    atomic_int_fast64_t done; /* steps, and one more when the replica has failed */
} replica;

struct mirror_crew {
    tri__crew crew;
    tri__run *run;
    tri__rendezvous place;
    tri__mirror *mirror;
    replica *replica; /* [workers] */
    int threads;
    int64_t started;           /* when the threads were */
    double seconds;            /* from then to the end */
    tri_step step;             /* the last that was begun; written before begun */
    atomic_int_fast64_t begun; /* steps */
    atomic_bool over;
};

/* ---- replicas 1 and up ---- */

typedef struct {
    mirror_crew *crew;
    int64_t steps;
} turn;

static bool may_begin(const void *context)
{
    const turn *my = context;
    return atomic_load(&my->crew->begun) > my->steps || atomic_load(&my->crew->over);
}

/* Replica 0 may evaluate for as long as it likes. */
static bool wait_for_turn(replica *self)
{
    mirror_crew *crew = self->crew;
    const turn mine = {crew, self->steps};
    tri__phases_enter(&self->phases, TRI_PHASE_PEERS, tri__clock_now());
    while (!tri__rendezvous_wait(&crew->place, may_begin, &mine, tri__clock_now() + LONGEST_STEP))
        continue;
    return atomic_load(&crew->begun) > self->steps;
}

static tri_status do_step(replica *self, const tri_batch *batch)
{
    tri__phases_enter(&self->phases, TRI_PHASE_COMPUTE, tri__clock_now());
    TRI_TRY(tri_store_begin(self->store, &self->crew->step));
    double loss;
    TRI_TRY(tri_plan_train(self->plan, batch, &loss));
    tri__phases_enter(&self->phases, TRI_PHASE_OTHER, tri__clock_now());
    tri__run_count_times(self->store, &self->phases);
    self->tally = (tri__tally){loss, batch->count, batch->damaged};
    if (batch->damaged && !self->note)
        self->note = tri__dataset_note(self->dataset);
    self->steps++;
    self->examples += batch->count;
    return NULL;
}

/* A batch that cannot be read is a failure of the step that needs it, not of the one before. */
static bool next_step(replica *self)
{
    const tri_batch *batch = NULL;
    tri__phases_enter(&self->phases, TRI_PHASE_INPUT, tri__clock_now());
    tri_status status = tri_dataset_next(self->dataset, &batch);
    if (!wait_for_turn(self)) {
        tri_status_free(status);
        return false;
    }
    if (!status)
        status = do_step(self, batch);
    self->status = tri_wrap(status, "replica %d", self->index);
    if (status)
        tri__mirror_stop(self->crew->mirror);
    atomic_fetch_add(&self->done, 1);
    tri__rendezvous_notify(&self->crew->place);
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
    omp_set_num_threads(self->crew->threads);
    double before = thread_cpu();
    while (next_step(self))
        continue;
    tri__phases_pause(&self->phases, tri__clock_now());
    self->cpu = thread_cpu() - before;
    return NULL;
}

/* ---- the run's side ---- */

static tri_status start_threads(mirror_crew *crew)
{
    crew->started = tri__clock_now();
    for (int i = 1; i < crew->crew.workers; i++) {
        replica *self = &crew->replica[i];
        if (pthread_create(&self->thread, NULL, run_replica, self))
            return tri_fail(TRI_IO, "no thread for replica %d of %d", i, crew->crew.workers);
        self->started = true;
    }
    return NULL;
}

static tri_status mirror_begin(tri__crew *base, const tri_step *step)
{
    mirror_crew *crew = (mirror_crew *)base;
    if (crew->crew.workers > 1 && !crew->replica[1].started)
        TRI_TRY(start_threads(crew));
    crew->step = *step;
    atomic_fetch_add(&crew->begun, 1);
    tri__rendezvous_notify(&crew->place);
    return NULL;
}

static bool all_done(const void *context)
{
    const mirror_crew *crew = context;
    int64_t steps = atomic_load(&crew->begun);
    for (int i = 1; i < crew->crew.workers; i++)
        if (atomic_load(&crew->replica[i].done) < steps)
            return false;
    return true;
}

static void tell_note(const mirror_crew *crew, replica *other)
{
    if (!other->note)
        return;
    tri__log_line(crew->run->log, TRI_LOG_WARNING, "%s", other->note);
    free(other->note);
    other->note = NULL;
}

static tri_status mirror_end(tri__crew *base, tri__tally *tally)
{
    mirror_crew *crew = (mirror_crew *)base;
    if (!tri__rendezvous_wait(&crew->place, all_done, crew, tri__clock_now() + LONGEST_STEP))
        return tri_fail(TRI_TIMEOUT, "a replica has not ended its step for %g s", tri__clock_seconds(LONGEST_STEP));
    for (int i = 1; i < crew->crew.workers; i++) {
        replica *other = &crew->replica[i];
        tell_note(crew, other);
        if (other->status)
            return tri_fail(TRI_STOPPED, "another replica has stopped"); /* leave tells why */
        tally->loss += other->tally.loss;
        tally->count += other->tally.count;
        tally->damaged += other->tally.damaged;
    }
    const tri_dataset *dataset = crew->run->dataset;
    return tri__crew_count_damage(crew->run, tally->damaged, tri_dataset_position(dataset) % tri_dataset_examples(dataset) == 0);
}

/* Records that any replica found damaged, each counted once: a record meets other replicas in other epochs. */
static tri_status merge_damage(const mirror_crew *crew)
{
    for (int i = 1; i < crew->crew.workers; i++) {
        const int64_t *found;
        int64_t count = tri__dataset_damage(crew->replica[i].dataset, &found);
        TRI_TRY(tri__dataset_recall_damage(crew->run->dataset, found, count));
    }
    return NULL;
}

/* The threads end; own, or why a replica ended them. */
static tri_status end_threads(mirror_crew *crew, tri_status own)
{
    atomic_store(&crew->over, true);
    if (crew->started && !crew->seconds)
        crew->seconds = tri__clock_seconds(tri__clock_now() - crew->started);
    if (own)
        tri__mirror_stop(crew->mirror);
    tri__rendezvous_notify(&crew->place);
    for (int i = 1; i < crew->crew.workers; i++) {
        replica *other = &crew->replica[i];
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

static tri_status mirror_leave(tri__crew *base, tri_status own)
{
    mirror_crew *crew = (mirror_crew *)base;
    own = end_threads(crew, own);
    return own ? own : merge_damage(crew);
}

static void mirror_stats(const tri__crew *base, int worker, tri__worker_summary *out, tri__phases *phases)
{
    const mirror_crew *crew = (const mirror_crew *)base;
    const replica *other = &crew->replica[worker];
    *phases = other->phases;
    out->steps = other->steps;
    out->examples = other->examples;
    out->peak_rss_mb = tri__peak_rss_mb();
    if (crew->threads == 1 && crew->seconds > 0)
        out->cpu_percent = 100 * other->cpu / crew->seconds;
}

/* ---- making them ---- */

static tri_status prepare_replica(replica *self, tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri_plan_options plan = {.batch = settings->batch, .training = true, .threads = settings->threads, .seed = settings->seed};
    TRI_TRY(tri_plan_create(run->graph, &plan, self->store, &self->plan));
    tri_dataset_options options = tri__run_dataset_options(run);
    options.worker = self->index;
    TRI_TRY(tri_dataset_create(run->source, &options, &self->dataset));
    if (!run->resumed)
        return NULL;
    TRI_TRY(tri__dataset_recall_damage(self->dataset, run->resumed->damaged, run->resumed->damaged_count));
    return tri_dataset_seek(self->dataset, run->resumed->state.position);
}

tri_status tri__mirror_prepare(tri__run *run)
{
    mirror_crew *crew = (mirror_crew *)run->crew;
    for (int i = 1; i < crew->crew.workers; i++)
        TRI_TRY(prepare_replica(&crew->replica[i], run));
    return NULL;
}

static void mirror_destroy(tri__crew *base)
{
    mirror_crew *crew = (mirror_crew *)base;
    tri_status_free(end_threads(crew, NULL));
    for (int i = 1; crew->replica && i < crew->crew.workers; i++) {
        replica *other = &crew->replica[i];
        tri_plan_destroy(other->plan);
        tri_dataset_destroy(other->dataset);
        tri_store_destroy(other->store);
        tri_status_free(other->status);
        free(other->note);
    }
    tri__mirror_destroy(crew->mirror);
    tri__rendezvous_fini(&crew->place);
    free(crew->replica);
    free(crew);
}

static const tri__crew_kind mirror_kind = {
    .begin = mirror_begin,
    .end = mirror_end,
    .leave = mirror_leave,
    .stats = mirror_stats,
    .destroy = mirror_destroy,
};

static tri_status create_stores(mirror_crew *crew, tri__run *run)
{
    const tri__mirror_options options = {
        .floats = tri_graph_parameter_floats(run->graph),
        .rule = run->settings.rule,
        .replicas = crew->crew.workers,
        .place = &crew->place,
        .timeout = LONGEST_STEP,
    };
    TRI_TRY(tri__allocate((size_t)crew->crew.workers, sizeof *crew->replica, "the replicas", &crew->replica));
    TRI_TRY(tri__mirror_create(&options, &crew->mirror));
    TRI_TRY(tri__mirrored_store_create(crew->mirror, 0, &run->store));
    for (int i = 1; i < crew->crew.workers; i++) {
        replica *other = &crew->replica[i];
        other->crew = crew;
        other->index = i;
        TRI_TRY(tri__mirrored_store_create(crew->mirror, i, &other->store));
    }
    return NULL;
}

tri_status tri__mirror_crew_create(tri__run *run)
{
    mirror_crew *crew;
    TRI_TRY(tri__allocate(1, sizeof *crew, "the replicas", &crew));
    crew->crew = (tri__crew){.kind = &mirror_kind, .workers = run->settings.workers};
    crew->run = run;
    crew->threads = run->settings.threads;
    tri__rendezvous_init(&crew->place, crew->crew.workers * crew->threads, omp_get_num_procs());
    run->crew = &crew->crew;
    return create_stores(crew, run);
}
