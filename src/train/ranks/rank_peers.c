/* rank_peers.c: ranks of MPI as the workers of a run. Every rank runs the same loop; rank 0 has the run folder, evaluates, writes
 * checkpoints and decides when to stop. A rank joins the others before it does anything else. Before anything that all ranks must do
 * together, and when a rank leaves, all ranks exchange notes, so that every rank learns of a failure of one. */
#include "train/ranks/rank_peers.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "data/source/digest.h"
#include "net/mpi/ranks.h"
#include "store/allreduce.h"
#include "train/ranks/rank_failure.h"

enum { DIGEST_SIZE = 65 };

/* What a rank tells the others. */
typedef struct {
    tri__rank_failure failure;
    char digest[DIGEST_SIZE];        /* of its model */
    int64_t sum[2];                  /* what must be the same on all ranks: batch and number of examples */
    char data[TRI_DATA_DIGEST_SIZE]; /* digest of the examples; "": not known */
    int64_t steps, examples, damaged, spent[TRI_PHASES];
    int64_t sent, received;
    double cpu_percent, peak_rss_mb;
} note;

typedef struct {
    tri__peers peers;
    tri__run *run;
    tri__ranks *ranks;
    note *notes;  /* [workers], from the last exchange */
    bool orderly; /* the last exchange succeeded, so MPI can be finalised */

    int64_t position; /* in the data, after the last step … */
    int64_t met;      /* … which had this many examples on all ranks; 0: no step yet */
} rank_peers;

/* ---- exchanging notes ---- */

/* Returns the failure of the first rank that has one, or own, which is taken. Rank 0 reports a failure for all ranks. */
static tri_status compare(rank_peers *self, note *mine, tri_status own)
{
    self->orderly = false;
    tri_status status = tri__ranks_gather(self->ranks, mine, sizeof *mine, self->notes);
    if (status) {
        tri_status_free(status);
        return own ? own : tri_fail(TRI_INTERNAL, "the ranks of MPI have lost each other");
    }
    self->orderly = true;
    const int failed = tri__rank_failure_find(self->notes, sizeof *self->notes, self->peers.workers);
    if (failed < 0)
        return own;
    tri_status_free(own);
    self->peers.told = self->peers.worker > 0;
    return tri__rank_failure_read(self->notes, sizeof *self->notes, failed, "rank");
}

static tri_status agree(tri__run *run, tri_status own)
{
    note mine = {0};
    tri__rank_failure_write(&mine.failure, own);
    return compare((rank_peers *)run->peers, &mine, own);
}

/* Files of its own may show a rank another number of features, and so another table. */
static const char *another_model(const tri__run *run)
{
    return run->settings.own_files && tri_model_is_sparse(run->inputs.model) && !run->settings.features
               ? "another model, or other features in its files (give all ranks the same --features N),"
               : "another model";
}

tri_status tri__rank_peers_compare_inputs(tri__run *run, tri_status own)
{
    rank_peers *self = (rank_peers *)run->peers;
    note mine = {0};
    if (!own)
        own = tri_model_digest(run->inputs.model, run->inputs.graph, mine.digest);
    if (!own) {
        mine.sum[0] = run->settings.batch;
        mine.sum[1] = run->settings.own_files ? 0 : tri_source_describe(run->inputs.source)->examples;
    }
    if (!own && !run->settings.own_files)
        own = tri__source_digest(run->inputs.source, mine.data);
    tri__rank_failure_write(&mine.failure, own);
    TRI_TRY(compare(self, &mine, own));
    const note *first = self->notes;
    for (int i = 1; i < self->peers.workers; i++) {
        const note *theirs = &self->notes[i];
        const char *what = strcmp(theirs->digest, first->digest)          ? another_model(run)
                           : theirs->sum[0] != first->sum[0]              ? "another --batch"
                           : theirs->sum[1] != first->sum[1]              ? "other data: it has another number of examples"
                           : tri__data_differs(theirs->data, first->data) ? "other data: as many examples, but other ones"
                                                                          : NULL;
        self->peers.told = what && self->peers.worker > 0;
        if (what)
            return tri_fail(TRI_BAD_CALL, "rank %d has %s than rank 0: start all ranks with the same options, on the same files", i, what);
    }
    return NULL;
}

/* Where every rank has files of its own, an epoch is a pass over the longest of them; ranks with fewer examples begin theirs again. */
tri_status tri__rank_peers_agree_on_parts(tri__run *run, tri_status own)
{
    rank_peers *self = (rank_peers *)run->peers;
    note mine = {.examples = own ? 0 : tri_dataset_examples(run->trainer.dataset)};
    tri__rank_failure_write(&mine.failure, own);
    TRI_TRY(compare(self, &mine, own));
    int64_t most = 0;
    for (int i = 0; i < self->peers.workers; i++)
        most = self->notes[i].examples > most ? self->notes[i].examples : most;
    return run->settings.own_files ? tri__run_settle_length(run, most, 1) : NULL;
}

/* ---- steps ---- */

/* Rank 0 may be evaluating, which takes any length of time. */
static tri_status rank_peers_begin(tri__peers *base, const tri_step *step)
{
    rank_peers *self = (rank_peers *)base;
    (void)step;
    tri__ranks_be_patient(self->ranks, base->worker > 0 && tri__run_evaluation_due(self->run));
    return NULL;
}

/* Damaged records have weight 0, so the weight of all ranks tells how many there were. The weight of the step just made may still be in
 * transit. */
static tri_status check_last_step(const rank_peers *self)
{
    const tri__run *run = self->run;
    if (!self->met)
        return NULL;
    int64_t damaged = self->met - (int64_t)tri__allreduce_store_weight(run->trainer.store);
    return tri__peers_count_damage(self->run, damaged, self->position % tri_dataset_examples(run->trainer.dataset) == 0);
}

/* With --shard files, every rank is assumed to have as many examples as this one. */
static tri_status rank_peers_end(tri__peers *base, tri__tally *tally)
{
    rank_peers *self = (rank_peers *)base;
    tri__run *run = self->run;
    tri_status status = check_last_step(self);
    int64_t sent, received;
    tri__allreduce_store_traffic(run->trainer.store, &sent, &received);
    tri__run_publish_traffic(run, sent, received);
    int64_t position = tri_dataset_position(run->trainer.dataset);
    self->met = (position - self->position) * (run->settings.own_files ? base->workers : 1);
    self->position = position;
    if (tally->count > tally->damaged)
        tally->loss /= (double)(tally->count - tally->damaged); /* this rank's mean stands for all: losses are not exchanged */
    tally->count = self->met;
    tally->damaged = 0;
    tally->loss *= (double)tally->count;
    return status;
}

static void fill_note(const rank_peers *self, note *mine)
{
    const tri__run *run = self->run;
    tri__usage usage = tri__usage_now();
    mine->steps = run->state.step - run->since.step;
    mine->examples = run->trainer.examples;
    mine->damaged = tri_dataset_damaged(run->trainer.dataset);
    mine->cpu_percent = tri__usage_cpu_percent(&run->since.usage, &usage);
    mine->peak_rss_mb = tri__peak_rss_mb();
    tri__allreduce_store_traffic(run->trainer.store, &mine->sent, &mine->received);
    memcpy(mine->spent, run->trainer.phases.spent, sizeof mine->spent);
}

/* Records that any rank found damaged, each counted once: in another epoch, another rank may read the same record. */
static tri_status merge_damage(rank_peers *self, int64_t most)
{
    tri_dataset *dataset = self->run->trainer.dataset;
    size_t each = (size_t)most, ranks = (size_t)self->peers.workers;
    int64_t *all;
    const int64_t *found;
    size_t count = (size_t)tri__dataset_damage(dataset, &found);
    TRI_TRY(tri__allocate(each * (ranks + 1), sizeof *all, "damaged records", &all));
    int64_t *mine = all + each * ranks;
    if (count)
        memcpy(mine, found, count * sizeof *mine);
    tri_status status = tri__ranks_gather(self->ranks, mine, each * sizeof *mine, all);
    for (size_t i = 0; i < ranks && !status; i++)
        status = tri__dataset_recall_damage(dataset, all + i * each, self->notes[i].damaged);
    free(all);
    return status;
}

/* Now the weight of the last step is known, too. */
static tri_status check_all(rank_peers *self)
{
    self->peers.pass = 0;
    tri_status status = tri__peers_count_damage(self->run, tri_dataset_damaged(self->run->trainer.dataset), true);
    self->peers.told = status && self->peers.worker > 0;
    return status;
}

/* For the summary. With --shard files, no other rank reads this rank's records, and record numbers of different ranks cannot be
 * compared. */
static tri_status count_damage(rank_peers *self)
{
    int64_t most = 0;
    for (int i = 0; i < self->peers.workers; i++) {
        int64_t damaged = self->notes[i].damaged;
        most = damaged > most ? damaged : most;
        if (self->run->settings.own_files && i != self->peers.worker)
            self->peers.damaged += damaged;
    }
    if (!most || self->run->settings.own_files)
        return NULL;
    TRI_TRY(merge_damage(self, most));
    return check_all(self);
}

static tri_status rank_peers_leave(tri__peers *base, tri_status own)
{
    rank_peers *self = (rank_peers *)base;
    note mine = {0};
    tri_status parting = tri__allreduce_store_leave(self->run->trainer.store);
    if (parting && own)
        tri_status_free(parting);
    else if (parting)
        own = parting;
    fill_note(self, &mine);
    tri__rank_failure_write(&mine.failure, own);
    own = compare(self, &mine, own);
    bool stopped = tri_status_code(own) == TRI_STOPPED, well = self->orderly && (!own || stopped); /* the same for all ranks */
    if (stopped && base->worker > 0) {
        tri_status_free(own); /* rank 0 ended the run */
        own = NULL;
    }
    tri_status counted = well ? count_damage(self) : NULL;
    if (!own)
        return counted;
    tri_status_free(counted);
    return own;
}

static void rank_peers_stats(const tri__peers *base, int worker, tri__worker_summary *out, tri__phases *phases)
{
    const note *theirs = &((const rank_peers *)base)->notes[worker];
    out->steps = theirs->steps;
    out->examples = theirs->examples;
    out->cpu_percent = theirs->cpu_percent;
    out->peak_rss_mb = theirs->peak_rss_mb;
    out->bytes_sent = theirs->sent;
    out->bytes_received = theirs->received;
    memcpy(phases->spent, theirs->spent, sizeof theirs->spent);
}

/* ---- from beginning to end ---- */

tri_status tri__rank_peers_prepare(tri__run *run, tri_status own)
{
    TRI_TRY(agree(run, own));
    ((rank_peers *)run->peers)->position = tri_dataset_position(run->trainer.dataset);
    return agree(run, tri__allreduce_store_share(run->trainer.store));
}

static void rank_peers_destroy(tri__peers *base)
{
    rank_peers *self = (rank_peers *)base;
    if (self->orderly)
        tri__ranks_leave(self->ranks);
    free(self->notes);
    free(self);
}

static const tri__peers_kind rank_peers_kind = {
    .workers = "workers",
    .begin = rank_peers_begin,
    .end = rank_peers_end,
    .leave = rank_peers_leave,
    .stats = rank_peers_stats,
    .destroy = rank_peers_destroy,
};

static void tell_hung(void *context, const char *why)
{
    const tri__run *run = context;
    run->request->give_up(run->request->context, why);
}

static tri_status check_size(const rank_peers *self)
{
    int size = tri__ranks_size(self->ranks), wanted = self->run->request->ranks;
    if (size == wanted)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "MPI says that there are %d ranks, and %d were started: %s", size, wanted,
                    size == 1
                        ? "it does not know what started it (with srun: give srun --mpi=pmix or --mpi=pmi2, as Open MPI was built for, or "
                          "start with mpirun)"
                        : "leave --workers out where ranks are started by mpirun or srun");
}

int tri__rank_peers_threads(const tri__run *run)
{
    const rank_peers *self = (const rank_peers *)run->peers;
    int cpus = omp_get_num_procs();
    bool bound = cpus < (int)sysconf(_SC_NPROCESSORS_ONLN);
    return bound ? cpus : cpus / tri__ranks_here(self->ranks);
}

tri_status tri__rank_peers_join(tri__run *run)
{
    rank_peers *self;
    if (!run->request->ranks)
        return tri_fail(TRI_BAD_CALL, "strategy allreduce needs ranks, which mpirun or srun start");
    TRI_TRY(tri__allocate(1, sizeof *self, "the ranks of a run", &self));
    self->run = run;
    self->peers = (tri__peers){.kind = &rank_peers_kind, .workers = 1, .here = 1};
    run->peers = &self->peers;
    const tri__ranks_options options = {.timeout = run->request->timeout, .hung = tell_hung, .context = run};
    TRI_TRY(tri__ranks_join(&options, &self->ranks));
    self->orderly = true;
    TRI_TRY(check_size(self));
    self->peers.worker = tri__ranks_rank(self->ranks);
    self->peers.workers = tri__ranks_size(self->ranks);
    TRI_TRY(tri__allocate((size_t)self->peers.workers, sizeof *self->notes, "the ranks' notes", &self->notes));
    if (self->peers.worker == 0 && tri__ranks_apart(self->ranks))
        tri__log_line(run->journal.log, TRI_LOG_INFO, "ranks are on several hosts: MPI's traffic between them is not encrypted");
    return NULL;
}

tri_status tri__rank_peers_create_store(tri__run *run)
{
    const rank_peers *self = (const rank_peers *)run->peers;
    const tri__allreduce_options options = {
        .ranks = self->ranks,
        .floats = tri_graph_parameter_floats(run->inputs.graph),
        .rule = run->settings.rule,
        .timeout = run->request->timeout,
    };
    TRI_TRY(tri__allreduce_store_create(&options, &run->trainer.store));
    return tri_graph_add_tables(run->inputs.graph, run->trainer.store);
}
