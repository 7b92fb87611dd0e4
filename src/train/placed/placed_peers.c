/* placed_peers.c: exchanges words, moves parameters to task 0, and makes steps. */
#include "train/placed/placed_peers.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/placed/placement.h"
#include "graph/store/store.h"
#include "train/placed/rank_exchange.h"
#include "train/ranks/rank_peers.h"
#include "train/run/local.h"
#include "trireme/exchange.h"

#define PIECE (INT64_C(1) << 22) /* floats in one message */

typedef enum { MAKE_STEP, SEND_MODEL, END_RUN } order;

/* What a task sends to all others between two steps. */
typedef struct {
    int32_t order;  /* what to do next; only that of task 0 counts */
    int32_t failed; /* 1: this task cannot go on */
} word;

typedef struct {
    tri__rank_peers base;
    tri_exchange *exchange;
    word *words;     /* [tasks] of the last exchange */
    double *squares; /* [tasks] with --clip: of the last step's gradient */
    bool in_step;    /* values are under way, and no task waits for words */
    bool ended;      /* the last exchange of words was END_RUN */
    int64_t whole;   /* the last step after which task 0 got all parameters; −1: none */
} placed_peers;

/* ---- words ---- */

/* All tasks make this call. out: what all tasks do next. */
static tri_status exchange_words(placed_peers *self, order own, bool failed, order *out)
{
    const word mine = {.order = own, .failed = failed};
    self->base.orderly = false;
    TRI_TRY(tri_exchange_flush(self->exchange));
    TRI_TRY(tri_exchange_gather(self->exchange, &mine, sizeof mine, self->words));
    self->base.orderly = true;
    *out = (order)self->words[0].order;
    for (int i = 0; i < self->base.peers.workers; i++)
        *out = self->words[i].failed ? END_RUN : *out;
    self->ended = *out == END_RUN;
    return NULL;
}

/* ---- parameters ---- */

/* Move a range from the owner's memory to task 0's, in pieces. Nothing else is under way, so a sender may wait. */
static tri_status move_range(placed_peers *self, int owner, int number, float *data, int64_t count)
{
    tri_exchange *exchange = self->exchange;
    for (int64_t at = 0; at < count; at += PIECE) {
        const size_t bytes = (size_t)(count - at < PIECE ? count - at : PIECE) * sizeof *data;
        if (exchange->task == owner) {
            TRI_TRY(exchange->send(exchange, 0, number, data + at, bytes, 1, 0));
        } else {
            TRI_TRY(exchange->expect(exchange, owner, number, data + at, bytes));
            TRI_TRY(exchange->receive(exchange, owner, number));
        }
    }
    return NULL;
}

/* Move the parameters of other tasks, and the rule's state of these, to task 0: this task's part of that. */
static tri_status move_model(placed_peers *self)
{
    const tri_graph *graph = self->base.run->inputs.graph;
    tri_store *store = self->base.run->trainer.store;
    const int task = self->exchange->task;
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const tri_range range = tri_node_range(node);
        if (!range.count || node->task == 0 || (task != 0 && task != node->task))
            continue;
        TRI_TRY(move_range(self, node->task, i, tri_store_parameters(store) + range.first, (int64_t)range.count));
        for (int slot = 0; tri_store_slot(store, slot); slot++)
            TRI_TRY(move_range(self, node->task, i, tri_store_slot(store, slot) + range.first, (int64_t)range.count));
    }
    return NULL;
}

/* Do what task 0 says, as long as it says SEND_MODEL. out: the first other order. After SEND_MODEL, task 0 evaluates or writes a
 * checkpoint, which may take any length of time. */
static tri_status obey(placed_peers *self, bool failed, order *out)
{
    do {
        TRI_TRY(exchange_words(self, MAKE_STEP, failed, out));
        tri__ranks_be_patient(self->base.ranks, *out == SEND_MODEL);
        if (*out == SEND_MODEL)
            TRI_TRY(move_model(self));
    } while (*out == SEND_MODEL);
    return NULL;
}

static tri_status was_ended(void)
{
    return tri_fail(TRI_STOPPED, "another task ended the run");
}

/* Only task 0 collects. */
static tri_status placed_peers_collect(tri__peers *peers)
{
    placed_peers *self = (placed_peers *)peers;
    const int64_t step = self->base.run->state.step;
    order said;
    if (peers->worker > 0 || self->whole == step || self->ended)
        return NULL;
    TRI_TRY(exchange_words(self, SEND_MODEL, false, &said));
    if (said == END_RUN)
        return was_ended();
    self->whole = step;
    return move_model(self);
}

/* ---- steps ---- */

/* The other tasks wait here while task 0 evaluates or writes a checkpoint. */
static tri_status placed_peers_begin(tri__peers *peers, const tri_step *step, const tri_batch *batch)
{
    placed_peers *self = (placed_peers *)peers;
    tri__trainer *trainer = &self->base.run->trainer;
    order said;
    (void)step;
    (void)batch;
    tri__trainer_enter(trainer, TRI_PHASE_PEERS);
    TRI_TRY(peers->worker ? obey(self, false, &said) : exchange_words(self, MAKE_STEP, false, &said));
    (void)tri__rank_exchange_waited(self->exchange); /* for parameters, between two steps: the phases have counted this time already */
    tri__trainer_enter(trainer, TRI_PHASE_COMPUTE);
    self->in_step = said == MAKE_STEP;
    return self->in_step ? NULL : was_ended();
}

/* Σ of all tasks' squares, in the order of tasks. */
static tri_status add_squares(void *peers, double *squares)
{
    placed_peers *self = peers;
    tri__trainer *trainer = &self->base.run->trainer;
    tri__trainer_enter(trainer, TRI_PHASE_PEERS);
    TRI_TRY(tri_exchange_gather(self->exchange, squares, sizeof *squares, self->squares));
    tri__trainer_enter(trainer, TRI_PHASE_UPDATE);
    *squares = 0;
    for (int i = 0; i < self->base.peers.workers; i++)
        *squares += self->squares[i];
    return NULL;
}

/* With --clip, parameters are updated at the end of the step, when the norm of the whole gradient is known. */
static tri_status update_clipped(tri__run *run)
{
    tri__trainer_enter(&run->trainer, TRI_PHASE_UPDATE);
    TRI_TRY(tri_store_flush(run->trainer.store));
    (void)tri__store_take_times(run->trainer.store); /* the phases have counted this time already */
    tri__trainer_enter(&run->trainer, TRI_PHASE_PEERS);
    return NULL;
}

/* Every task has the whole batch and knows its loss. */
static tri_status placed_peers_end(tri__peers *peers, tri__tally *tally)
{
    placed_peers *self = (placed_peers *)peers;
    tri__run *run = self->base.run;
    (void)tally;
    if (run->settings.rule.clip > 0)
        TRI_TRY(update_clipped(run));
    self->in_step = false;
    tri__phases_move(&run->trainer.phases, TRI_PHASE_COMPUTE, TRI_PHASE_PEERS, tri__rank_exchange_waited(self->exchange));
    tri__run_publish_traffic(run, tri_exchange_sent(self->exchange), tri__rank_exchange_received(self->exchange));
    return NULL;
}

/* Tell the tasks that still train or wait. */
static tri_status say_end(placed_peers *self, bool failed)
{
    order said;
    if (self->ended)
        return NULL;
    TRI_TRY(self->base.peers.worker ? obey(self, failed, &said) : exchange_words(self, END_RUN, failed, &said));
    return said == END_RUN ? NULL : tri_fail(TRI_INTERNAL, "task %d is done, and task 0 is not", self->base.peers.worker);
}

static tri_status placed_peers_leave(tri__peers *peers, tri_status own)
{
    placed_peers *self = (placed_peers *)peers;
    self->base.orderly &= !self->in_step;
    if (self->in_step)
        return own;
    tri_status told = say_end(self, own && tri_status_code(own) != TRI_STOPPED);
    if (told && own)
        tri_status_free(told);
    if (told)
        return own ? own : told;
    return tri__rank_peers_part(&self->base, tri_exchange_sent(self->exchange), tri__rank_exchange_received(self->exchange), own);
}

/* ---- from beginning to end ---- */

static void placed_peers_destroy(tri__peers *peers)
{
    placed_peers *self = (placed_peers *)peers;
    tri__rank_exchange_destroy(self->exchange);
    tri__rank_peers_fini(&self->base);
    free(self->words);
    free(self->squares);
    free(self);
}

static const tri__peers_kind placed_peers_kind = {
    .workers = "tasks",
    .begin = placed_peers_begin,
    .end = placed_peers_end,
    .collect = placed_peers_collect,
    .add_squares = add_squares,
    .leave = placed_peers_leave,
    .stats = tri__rank_peers_stats,
    .destroy = placed_peers_destroy,
};

tri_status tri__placed_peers_join(tri__run *run)
{
    placed_peers *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "the tasks of a run", &self));
    self->whole = -1;
    TRI_TRY(tri__rank_peers_join(&self->base, &placed_peers_kind, run, TRI_EXCHANGE_WINDOW));
    self->base.peers.one_model = true;
    TRI_TRY(tri__allocate((size_t)self->base.peers.workers, sizeof *self->words, "the words of tasks", &self->words));
    TRI_TRY(tri__allocate((size_t)self->base.peers.workers, sizeof *self->squares, "the norms of tasks", &self->squares));
    TRI_TRY(tri__rank_exchange_create(self->base.ranks, TRI_EXCHANGE_WINDOW, &self->exchange));
    run->exchange = self->exchange;
    return NULL;
}

tri_status tri__placed_peers_create_store(tri__run *run)
{
    if (tri_graph_tables(run->inputs.graph))
        return tri_fail(TRI_UNSUPPORTED,
                        "--strategy placed: %s has tables of sparse features, which cannot be placed (ps shares them out over servers)",
                        tri_model_name(run->inputs.model));
    TRI_TRY(tri__graph_fill_places(run->inputs.graph, run->peers->workers));
    return tri__local_create_store(run);
}
