/* allreduce_peers.c: makes the steps of ranks that add up their gradients, and counts the records that any rank found damaged. */
#include "train/ranks/allreduce_peers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/batch/dataset.h"
#include "store/allreduce.h"
#include "train/ranks/rank_peers.h"
#include "train/run/run_setup.h"

typedef struct {
    tri__rank_peers base;
    int64_t position;        /* in the data, after the last step */
    int64_t met;             /* examples of the last step on all ranks; 0: no step yet */
    tri__rank_losses before; /* of the run, before the ranks joined */
} allreduce_peers;

/* With --shard files, an epoch is as long as the pass of the rank with the most examples; ranks with fewer examples begin theirs again. */
tri_status tri__allreduce_peers_agree_on_parts(tri__run *run, tri_status own)
{
    tri__rank_peers *self = (tri__rank_peers *)run->peers;
    tri__rank_note mine = {.examples = own ? 0 : tri_dataset_examples(run->trainer.dataset)};
    TRI_TRY(tri__rank_peers_compare(self, &mine, own));
    int64_t most = 0;
    for (int i = 0; i < self->peers.workers; i++)
        most = self->notes[i].examples > most ? self->notes[i].examples : most;
    return run->settings.own_files ? tri__run_settle_length(run, most, 1) : NULL;
}

/* ---- steps ---- */

/* Rank 0 may be evaluating, which may take any length of time. */
static tri_status allreduce_peers_begin(tri__peers *peers, const tri_step *step, const tri_batch *batch)
{
    allreduce_peers *self = (allreduce_peers *)peers;
    (void)step;
    tri__allreduce_store_tell_damaged(self->base.run->trainer.store, batch->damaged);
    tri__ranks_be_patient(self->base.ranks, peers->worker > 0 && tri__run_evaluation_due(self->base.run));
    return NULL;
}

/* Each rank reports how many damaged records it met. The number of the step just made may still be in transit. */
static tri_status check_last_step(const allreduce_peers *self)
{
    const tri__run *run = self->base.run;
    if (!self->met)
        return NULL;
    int64_t damaged = tri__allreduce_store_damaged(run->trainer.store);
    return tri__peers_count_damage(self->base.run, damaged, self->position % tri_dataset_examples(run->trainer.dataset) == 0);
}

/* With --shard files, every rank is assumed to have as many examples as this one. */
static tri_status allreduce_peers_end(tri__peers *peers, tri__tally *tally)
{
    allreduce_peers *self = (allreduce_peers *)peers;
    tri__run *run = self->base.run;
    tri_status status = check_last_step(self);
    int64_t sent, received;
    tri__allreduce_store_traffic(run->trainer.store, &sent, &received);
    tri__run_publish_traffic(run, sent, received);
    int64_t position = tri_dataset_position(run->trainer.dataset);
    self->met = (position - self->position) * (run->settings.own_files ? peers->workers : 1);
    self->position = position;
    self->base.own.sum += tri__tally_mean(tally) * (double)(tally->count - tally->damaged);
    self->base.own.count += tally->count - tally->damaged;
    tally->loss = tri__tally_mean(tally) * (double)self->met; /* losses are not exchanged: this rank's mean is taken for all */
    tally->weight = (double)self->met;
    tally->count = self->met;
    tally->damaged = 0;
    return status;
}

/* Records that any rank found damaged, each counted once: in another epoch, another rank may read the same record. */
static tri_status merge_damage(allreduce_peers *self, int64_t most)
{
    tri_dataset *dataset = self->base.run->trainer.dataset;
    size_t each = (size_t)most, ranks = (size_t)self->base.peers.workers;
    int64_t *all;
    const int64_t *found;
    size_t count = (size_t)tri__dataset_damage(dataset, &found);
    TRI_TRY(tri__allocate(each * (ranks + 1), sizeof *all, "damaged records", &all));
    int64_t *mine = all + each * ranks;
    if (count)
        memcpy(mine, found, count * sizeof *mine);
    tri_status status = tri__ranks_gather(self->base.ranks, mine, each * sizeof *mine, all);
    for (size_t i = 0; i < ranks && !status; i++)
        status = tri__dataset_recall_damage(dataset, all + i * each, self->base.notes[i].damaged);
    free(all);
    return status;
}

/* Now the damaged records of the last step are known, too. */
static tri_status check_all(allreduce_peers *self)
{
    self->base.peers.pass = 0;
    tri_status status = tri__peers_count_damage(self->base.run, tri_dataset_damaged(self->base.run->trainer.dataset), true);
    self->base.peers.told = status && self->base.peers.worker > 0;
    return status;
}

/* For the summary. With --shard files, no other rank reads this rank's records, and record numbers of different ranks cannot be
 * compared. */
static tri_status count_damage(allreduce_peers *self)
{
    int64_t most = 0;
    for (int i = 0; i < self->base.peers.workers; i++) {
        int64_t damaged = self->base.notes[i].damaged;
        most = damaged > most ? damaged : most;
        if (self->base.run->settings.own_files && i != self->base.peers.worker)
            self->base.peers.damaged += damaged;
    }
    if (!most || self->base.run->settings.own_files)
        return NULL;
    TRI_TRY(merge_damage(self, most));
    return check_all(self);
}

/* Until now, this rank's losses were taken for those of all ranks. */
static void add_up_losses(const allreduce_peers *self)
{
    tri__run_state *state = &self->base.run->state;
    state->loss_sum = self->before.sum;
    state->loss_count = self->before.count;
    for (int i = 0; i < self->base.peers.workers; i++) {
        state->loss_sum += self->base.notes[i].losses.sum;
        state->loss_count += self->base.notes[i].losses.count;
    }
}

static tri_status allreduce_peers_leave(tri__peers *peers, tri_status own)
{
    allreduce_peers *self = (allreduce_peers *)peers;
    tri_store *store = self->base.run->trainer.store;
    tri_status parting = tri__allreduce_store_leave(store);
    if (parting && own)
        tri_status_free(parting);
    else if (parting)
        own = parting;
    int64_t sent, received;
    tri__allreduce_store_traffic(store, &sent, &received);
    own = tri__rank_peers_part(&self->base, sent, received, own);
    bool well = self->base.orderly && (!own || tri_status_code(own) == TRI_STOPPED); /* the same for all ranks */
    if (well)
        add_up_losses(self);
    tri_status counted = well ? count_damage(self) : NULL;
    if (!own)
        return counted;
    tri_status_free(counted);
    return own;
}

/* ---- from beginning to end ---- */

tri_status tri__allreduce_peers_prepare(tri__run *run, tri_status own)
{
    TRI_TRY(tri__rank_peers_agree_on_folder(run, own));
    allreduce_peers *self = (allreduce_peers *)run->peers;
    self->position = tri_dataset_position(run->trainer.dataset);
    self->before = (tri__rank_losses){run->state.loss_sum, run->state.loss_count};
    return tri__rank_peers_agree(run, tri__allreduce_store_share(run->trainer.store));
}

static void allreduce_peers_destroy(tri__peers *peers)
{
    tri__rank_peers_fini((tri__rank_peers *)peers);
    free(peers);
}

static const tri__peers_kind allreduce_peers_kind = {
    .workers = "workers",
    .begin = allreduce_peers_begin,
    .end = allreduce_peers_end,
    .leave = allreduce_peers_leave,
    .stats = tri__rank_peers_stats,
    .destroy = allreduce_peers_destroy,
};

tri_status tri__allreduce_peers_join(tri__run *run)
{
    allreduce_peers *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "the ranks of a run", &self));
    return tri__rank_peers_join(&self->base, &allreduce_peers_kind, run, 0);
}

tri_status tri__allreduce_peers_create_store(tri__run *run)
{
    const tri__rank_peers *self = (const tri__rank_peers *)run->peers;
    const tri__allreduce_options options = {
        .ranks = self->ranks,
        .floats = tri_graph_parameter_floats(run->inputs.graph),
        .rule = run->settings.rule,
        .timeout = run->request->timeout,
    };
    TRI_TRY(tri__allreduce_store_create(&options, &run->trainer.store));
    int64_t bytes = tri__run_table_bytes(run) / tri__ranks_size(self->ranks); /* the ranks may be on one machine */
    if (run->settings.table_bytes)
        bytes = run->settings.table_bytes;
    TRI_TRY(tri__ranks_broadcast(self->ranks, &bytes, sizeof bytes)); /* all ranks must have equally many rows */
    return tri__run_add_tables(run, bytes, run->trainer.store);
}
