/* rank_peers.c: joins ranks, exchanges notes, and fills in what a summary says about ranks. */
#include "train/ranks/rank_peers.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "train/run/run_setup.h"
#include "watch/host/resources.h"

/* ---- exchanging notes ---- */

tri_status tri__rank_peers_compare(tri__rank_peers *self, tri__rank_note *mine, tri_status own)
{
    tri__rank_failure_write(&mine->failure, own);
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

tri_status tri__rank_peers_agree(tri__run *run, tri_status own)
{
    tri__rank_note mine = {0};
    return tri__rank_peers_compare((tri__rank_peers *)run->peers, &mine, own);
}

tri_status tri__rank_peers_agree_on_folder(tri__run *run, tri_status own)
{
    tri__rank_peers *self = (tri__rank_peers *)run->peers;
    tri__rank_note mine = {0};
    if (!own && tri__run_leads(run))
        tri__run_folder_identify(run->journal.folder.path, &mine.folder);
    TRI_TRY(tri__rank_peers_compare(self, &mine, own));
    const tri__folder_identity *folder = &self->notes[0].folder;
    const bool joins = !run->journal.folder.path && tri__run_folder_is(folder);
    return tri__rank_peers_agree(run, joins ? tri__run_join_folder(run, folder->path) : NULL);
}

/* A rank with its own files may find another number of features there, and so have another table. */
static const char *another_model(const tri__run *run)
{
    return run->settings.own_files && tri_model_is_sparse(run->inputs.model) && !run->settings.features
               ? "another model, or other features in its files (give all ranks the same --features N),"
               : "another model";
}

tri_status tri__rank_peers_compare_inputs(tri__run *run, tri_status own)
{
    tri__rank_peers *self = (tri__rank_peers *)run->peers;
    tri__rank_note mine = {0};
    if (!own)
        own = tri_model_digest(run->inputs.model, run->inputs.graph, mine.digest);
    if (!own) {
        mine.sum[0] = run->settings.batch;
        mine.sum[1] = run->settings.own_files ? 0 : tri_source_describe(run->inputs.source)->examples;
    }
    if (!own && !run->settings.own_files)
        own = tri__source_digest(run->inputs.source, mine.data);
    TRI_TRY(tri__rank_peers_compare(self, &mine, own));
    const tri__rank_note *first = self->notes;
    for (int i = 1; i < self->peers.workers; i++) {
        const tri__rank_note *theirs = &self->notes[i];
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

/* ---- what ranks did ---- */

static void fill_note(const tri__rank_peers *self, tri__rank_note *mine)
{
    const tri__run *run = self->run;
    tri__usage usage = tri__usage_now();
    mine->steps = run->state.step - run->since.step;
    mine->examples = run->trainer.examples;
    mine->damaged = tri_dataset_damaged(run->trainer.dataset);
    mine->cpu_percent = tri__usage_cpu_percent(&run->since.usage, &usage);
    mine->peak_rss_mb = tri__peak_rss_mb();
    mine->began = tri__clock_wall_of(run->since.usage.wall);
    mine->ended = tri__clock_wall_of(run->trainer.ended);
    mine->losses = self->own;
    memcpy(mine->spent, run->trainer.phases.spent, sizeof mine->spent);
}

tri_status tri__rank_peers_part(tri__rank_peers *self, int64_t sent, int64_t received, tri_status own)
{
    tri__rank_note mine = {.sent = sent, .received = received};
    fill_note(self, &mine);
    tri__run_publish_traffic(self->run, sent, received);
    tri__sampler_take(self->run->journal.sampler); /* rank 0 adds up the samples of all ranks when it has their notes */
    own = tri__rank_peers_compare(self, &mine, own);
    if (tri_status_code(own) != TRI_STOPPED || self->peers.worker == 0)
        return own;
    tri_status_free(own);
    return NULL;
}

void tri__rank_peers_stats(const tri__peers *base, int worker, tri__worker_summary *out, tri__phases *phases)
{
    const tri__rank_note *theirs = &((const tri__rank_peers *)base)->notes[worker];
    out->steps = theirs->steps;
    out->examples = theirs->examples;
    out->cpu_percent = theirs->cpu_percent;
    out->peak_rss_mb = theirs->peak_rss_mb;
    out->began = theirs->began;
    out->ended = theirs->ended;
    out->bytes_sent = theirs->sent;
    out->bytes_received = theirs->received;
    memcpy(phases->spent, theirs->spent, sizeof theirs->spent);
}

/* ---- from beginning to end ---- */

static void tell_hung(void *context, const char *why)
{
    const tri__run *run = context;
    run->request->give_up(run->request->context, why);
}

static void tell_slow(void *context, const char *why)
{
    const tri__run *run = context;
    tri__log_line(run->request->log, TRI_LOG_WARNING, "%s", why); /* this is not the journal's thread */
}

static tri_status check_size(const tri__rank_peers *self)
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
    const tri__rank_peers *self = (const tri__rank_peers *)run->peers;
    int cpus = omp_get_num_procs();
    bool bound = cpus < (int)sysconf(_SC_NPROCESSORS_ONLN);
    return bound ? cpus : cpus / tri__ranks_here(self->ranks);
}

tri_status tri__rank_peers_join(tri__rank_peers *self, const tri__peers_kind *kind, tri__run *run, size_t window)
{
    self->run = run;
    self->peers = (tri__peers){.kind = kind, .workers = 1, .here = 1};
    run->peers = &self->peers;
    if (!run->request->ranks)
        return tri_fail(TRI_BAD_CALL, "strategy %s needs ranks, which mpirun or srun start", run->strategy->name);
    const tri__ranks_options options = {
        .timeout = run->request->timeout,
        .hung = tell_hung,
        .slow = tell_slow,
        .context = run,
        .window = window,
        .traffic = &run->journal.work.traffic,
    };
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

void tri__rank_peers_fini(tri__rank_peers *self)
{
    if (self->orderly)
        tri__ranks_leave(self->ranks);
    free(self->notes);
}
