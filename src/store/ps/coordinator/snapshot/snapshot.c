/* snapshot.c: the coordinator's copy of the whole model.
 *
 * There is one snapshot at a time. In sync all its parts are of the same step: ps:0 gives out no token of the next step before every server
 * has copied its stretch. The copies then travel to ps:0 while training goes on. When all are here, the evaluator pulls the snapshot and a
 * thread writes the checkpoint. */
#include "store/ps/coordinator/snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/store/store.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/coordinator/snapshot/snapshot_keys.h"
#include "store/ps/coordinator/snapshot/snapshot_named.h"
#include "store/ps/coordinator/snapshot/snapshot_rows.h"
#include "store/ps/coordinator/snapshot/snapshot_writer.h"
#include "store/ps/server/known_pushes.h"
#include "store/ps/server/peer.h"

void tri__snapshot_init(tri__snapshot *snapshot)
{
    snapshot->copied = snapshot->written = -1;
}

void tri__snapshot_fini(tri__snapshot *snapshot)
{
    tri_status_free(snapshot->failure);
    tri__standing_fini(&snapshot->standing);
    json_decref(snapshot->pushed);
    tri__snapshot_grown_fini(snapshot);
    tri_store_destroy(snapshot->whole);
    tri__snapshot_named_fini(&snapshot->named);
    free(snapshot->piece);
}

bool tri__snapshot_idle(const tri__snapshot *snapshot)
{
    return snapshot->state == TRI_SNAPSHOT_NONE;
}

bool tri__snapshot_is_evaluated(const tri__snapshot *snapshot)
{
    return snapshot->state == TRI_SNAPSHOT_EVALUATING;
}

bool tri__snapshot_is_last(const tri__snapshot *snapshot)
{
    return snapshot->purpose & TRI_FOR_END;
}

bool tri__snapshot_holds_up(const tri__coordinator *c)
{
    if (c->snapshot.state != TRI_SNAPSHOT_COMING)
        return false;
    for (int i = 1; i < c->settings->servers; i++)
        if (!c->snapshot.taken[i])
            return true;
    return false;
}

static float *slot_of(tri_store *whole, uint32_t slot)
{
    return slot == 0 ? tri_store_parameters(whole) : tri_store_slot(whole, (int)slot - 1);
}

static uint32_t slots_of(const tri__coordinator *c, bool all)
{
    return all ? 1u + (uint32_t)tri_rule_slots(&c->job.rule) : 1;
}

/* Copies between ps:0's own stretch and its place in the whole. */
static void copy_own(tri__coordinator *c, uint32_t slots, bool into_whole)
{
    tri__stretch *stretch = c->server->stretch;
    tri_range range = tri__stretch_range(stretch);
    for (uint32_t slot = 0; slot < slots; slot++) {
        float *whole = slot_of(c->snapshot.whole, slot) + range.first;
        size_t count;
        for (uint32_t i = 0; i < tri__stretch_chunks(stretch); i++, whole += count) {
            float *own = tri__stretch_floats(stretch, tri__stretch_first(stretch) + i, (int)slot, &count);
            if (own)
                memcpy(into_whole ? whole : own, into_whole ? own : whole, count * sizeof *own);
        }
    }
    for (int table = 0; table < c->job.tables.count; table++)
        if (into_whole && c->snapshot.named.alone)
            tri__snapshot_copy_named_rows(c, table);
        else
            tri__snapshot_copy_own_rows(c, table, slots, into_whole);
}

void tri__snapshot_fill_own(tri__coordinator *c)
{
    tri_status status = c->snapshot.grown ? tri__snapshot_fill_own_keys(c) : NULL;
    if (status)
        tri__coordinator_fail(c, status);
    else
        copy_own(c, slots_of(c, true), false);
}

static tri_status load(tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    tri__snapshot *snapshot = &c->snapshot;
    if (!snapshot->whole) {
        TRI_TRY(tri_store_local_create(c->job.floats, &c->job.rule, &snapshot->whole));
        tri_store_drop_gradient(snapshot->whole);
        TRI_TRY(tri__allocate(1, TRI_CHUNK_BYTES, "rows of a table", &snapshot->piece));
    }
    if (tri__layout_grows(&c->server->layout))
        TRI_TRY(tri__snapshot_add_grown_tables(c));
    for (int i = tri_store_tables(snapshot->whole); i < c->job.tables.count; i++)
        TRI_TRY(tri_store_add_table(snapshot->whole, c->job.tables.table[i].rows, c->job.tables.table[i].width));
    tri__standing_fini(&snapshot->standing);
    if (snapshot->grown)
        tri__key_map_empty(snapshot->whole->map);
    TRI_TRY(options->owner->load(options->context, snapshot->whole, &snapshot->standing));
    return snapshot->grown ? tri__snapshot_deal_keys(c) : NULL;
}

/* Something is due at step `at` and every `every` steps before and after it: where step + lead is a multiple of `every`. */
static int64_t lead(int64_t every, int64_t at)
{
    return at % every ? every - at % every : 0;
}

static bool due_at(int64_t step, int64_t every, int64_t at)
{
    return every && step > 0 && (step + lead(every, at)) % every == 0;
}

static bool due_between(int64_t before, int64_t step, int64_t every, int64_t at)
{
    return every && (step + lead(every, at)) / every > (before + lead(every, at)) / every;
}

static int64_t next_evaluation(const tri__ps_job *job, int64_t step)
{
    const int64_t every = job->evaluate_every, ahead = every ? lead(every, job->evaluate_at) : 0;
    return every ? ((step + ahead) / every + 1) * every - ahead : INT64_MAX;
}

tri_status tri__snapshot_load(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    TRI_TRY(load(c));
    snapshot->kept = snapshot->standing.step;
    snapshot->next_evaluation = next_evaluation(&c->job, snapshot->standing.step);
    return NULL;
}

uint32_t tri__snapshot_all_slots(const tri__coordinator *c)
{
    return slots_of(c, true);
}

void tri__snapshot_take_standing(tri__coordinator *c, tri__standing *standing)
{
    tri__snapshot *snapshot = &c->snapshot;
    if (c->settings->mode != TRI_PS_SYNC) /* the parts of other servers come from the checkpoint */
        tri__books_pass_copies(c, &snapshot->standing, standing->books);
    tri__standing_fini(&snapshot->standing);
    snapshot->standing = *standing;
    *standing = (tri__standing){0};
    snapshot->next_evaluation = next_evaluation(&c->job, snapshot->standing.step);
}

tri_status tri__snapshot_go_back(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    TRI_TRY(load(c));
    snapshot->kept = snapshot->standing.step;
    if (snapshot->written > snapshot->standing.step) /* it stays −1 if none was written, and the initial values were loaded */
        snapshot->written = snapshot->standing.step;
    snapshot->copied = -1; /* a step that is made again needs a new snapshot */
    return NULL;
}

void tri__snapshot_send_stretch(tri__coordinator *c, int server, tri__connection *to)
{
    const tri__layout *layout = &c->server->layout;
    tri_status status = c->snapshot.grown ? tri__snapshot_send_keys(c, server, to) : NULL;
    if (status) {
        tri__coordinator_fail(c, status);
        return;
    }
    for (uint32_t slot = 0; slot < slots_of(c, true); slot++)
        for (uint32_t chunk = tri__layout_first(layout, server); chunk < tri__layout_first(layout, server + 1); chunk++) {
            tri_range range = tri__layout_chunk(layout, chunk);
            if (range.count == 0) {
                tri__snapshot_send_rows(c, chunk, slot, to);
                continue;
            }
            const tri__message message = {.type = TRI_MSG_RESTORE,
                                          .chunk = chunk,
                                          .generation = c->server->generation,
                                          .step = c->snapshot.standing.step,
                                          .slot = slot};
            tri__message_send_floats(to, message, slot_of(c->snapshot.whole, slot) + range.first, range.count, true);
        }
}

void tri__snapshot_release(tri__coordinator *c)
{
    if (c->snapshot.state == TRI_SNAPSHOT_EVALUATING || c->snapshot.writer != TRI_WRITER_IDLE)
        return;
    c->snapshot.state = TRI_SNAPSHOT_NONE;
    tri__coordinator_go_on(c);
}

static void use(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    bool evaluate = (snapshot->purpose & TRI_FOR_EVALUATION) && c->evaluator.state != TRI_EVALUATOR_NONE;
    snapshot->state = evaluate ? TRI_SNAPSHOT_EVALUATING : TRI_SNAPSHOT_WRITING;
    snapshot->copied = snapshot->standing.step;
    if (c->settings->mode != TRI_PS_SYNC)
        tri__books_note_copies(c, snapshot->standing.books, snapshot->pushed);
    if (snapshot->grown)
        tri__snapshot_note_left_out(c, snapshot->standing.books);
    if (evaluate)
        tri__evaluator_ask(c);
    if (snapshot->purpose & TRI_FOR_CHECKPOINT)
        tri__snapshot_write(c, false);
    tri__snapshot_release(c);
}

static void take(tri__coordinator *c, unsigned purpose)
{
    tri__snapshot *snapshot = &c->snapshot;
    const tri__layout *layout = &c->server->layout;
    const bool all = (purpose & TRI_FOR_CHECKPOINT) || c->job.whole_snapshots || c->job.rule.average > 0; /* the last slot is the model */
    snapshot->purpose = purpose;
    snapshot->slots = slots_of(c, all);
    snapshot->named.alone = purpose == TRI_FOR_EVALUATION && !c->job.whole_snapshots && snapshot->named.known && !snapshot->grown;
    snapshot->state = TRI_SNAPSHOT_COMING;
    snapshot->number++;
    tri__standing_fini(&snapshot->standing);
    tri_status status = tri__tokens_standing(c->tokens, &snapshot->standing);
    snapshot->standing.books = tri__books_write(c);
    if (!status && snapshot->grown)
        status = tri__snapshot_copy_own_keys(c);
    if (status) {
        tri__coordinator_fail(c, status);
        return;
    }
    if (snapshot->named.alone)
        tri__log_line(c->server->options.log, TRI_LOG_DEBUG, "step %lld: a copy of the %lld rows that are evaluated",
                      (long long)snapshot->standing.step, (long long)snapshot->named.list.count);
    copy_own(c, snapshot->slots, true);
    snapshot->left = 0;
    tri__message message = {.type = TRI_MSG_SNAPSHOT,
                            .snapshot = snapshot->number,
                            .step = snapshot->standing.step,
                            .slots = snapshot->slots,
                            .named = snapshot->named.alone};
    json_decref(snapshot->pushed);
    snapshot->pushed = json_array();
    for (int i = 1; i < c->settings->servers; i++) {
        const tri__follower *follower = &c->follower[i];
        json_array_append_new(snapshot->pushed, json_array());
        snapshot->taken[i] = false;
        snapshot->left +=
            snapshot->slots * (snapshot->named.alone ? tri__snapshot_named_pieces(c, i) : tri__layout_server_pieces(layout, i));
        message.updates = snapshot->standing.step - c->books.lacks[i];
        if (follower->state != TRI_FOLLOWER_HOLDING)
            continue;
        if (snapshot->named.alone && !status)
            status = tri__snapshot_tell_named(c, i, follower->peer);
        tri__message_send(follower->peer->connection, &message, false);
    }
    if (status)
        tri__coordinator_fail(c, status);
    else if (snapshot->left == 0)
        use(c);
}

unsigned tri__snapshot_due(const tri__coordinator *c)
{
    const tri__snapshot *snapshot = &c->snapshot;
    const tri__ps_job *job = &c->job;
    int64_t step = tri__coordinator_step(c);
    bool sync = c->settings->mode == TRI_PS_SYNC, held_up = tri__steps_held_up(c);
    bool leaving = tri__followers_ask_to_leave(c);
    if (step == snapshot->copied && !held_up && !leaving)
        return 0;
    bool save =
        snapshot->checkpoint_due || held_up || leaving || due_between(snapshot->kept, step, job->checkpoint_every, job->checkpoint_at);
    bool evaluate = (sync && due_at(step, job->evaluate_every, job->evaluate_at)) || step >= snapshot->next_evaluation;
    return (save ? TRI_FOR_CHECKPOINT : 0) | (evaluate ? TRI_FOR_EVALUATION : 0);
}

bool tri__snapshot_due_in_sync(const tri__coordinator *c)
{
    const tri__ps_job *job = &c->job;
    int64_t step = tri__coordinator_step(c);
    bool given_up = step >= c->snapshot.next_evaluation;
    bool whole = given_up || due_at(step, job->evaluate_every, job->evaluate_at) || due_at(step, job->checkpoint_every, job->checkpoint_at);
    const bool due = c->snapshot.checkpoint_due || tri__followers_ask_to_leave(c) || (whole && step != c->snapshot.copied);
    return due && !c->snapshot.overdue;
}

void tri__snapshot_begin(tri__coordinator *c, unsigned purpose)
{
    tri__snapshot *snapshot = &c->snapshot;
    snapshot->next_evaluation = next_evaluation(&c->job, tri__coordinator_step(c));
    if (purpose & TRI_FOR_CHECKPOINT) {
        snapshot->checkpoint_due = false;
        snapshot->next_checkpoint = tri__clock_now() + c->job.checkpoint_period;
    }
    take(c, purpose);
}

/* If a snapshot was good enough, it is the model. Otherwise the model is the last state, and is evaluated too. */
void tri__snapshot_take_last(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    bool sync = c->settings->mode == TRI_PS_SYNC; /* otherwise the last checkpoint may lack parts of the last steps on some servers */
    if (c->ending == TRI_ENDING_ENOUGH && snapshot->copied == snapshot->standing.step) {
        snapshot->purpose |= TRI_FOR_END;
        snapshot->state = TRI_SNAPSHOT_WRITING;
        tri__snapshot_write(c, false);
        tri__snapshot_release(c);
        return;
    }
    bool save = !sync || tri__coordinator_step(c) != snapshot->written;
    take(c, TRI_FOR_END | TRI_FOR_EVALUATION | (save ? TRI_FOR_CHECKPOINT : 0));
}

void tri__snapshot_start(tri__coordinator *c)
{
    c->snapshot.next_checkpoint = c->since + c->job.checkpoint_period;
}

void tri__snapshot_check_time(tri__coordinator *c, int64_t now)
{
    c->snapshot.checkpoint_due |= c->phase == TRI_JOB_RUNNING && c->job.checkpoint_period && now > c->snapshot.next_checkpoint;
}

void tri__snapshot_want_checkpoint(tri__coordinator *c)
{
    c->snapshot.checkpoint_due |= c->phase == TRI_JOB_RUNNING && (c->job.checkpoint_every || c->job.checkpoint_period);
}

/* Is this a part of the present snapshot, not of one that was given up? */
static bool is_wanted(const tri__coordinator *c, int server, const tri__message *copy)
{
    return c->snapshot.state == TRI_SNAPSHOT_COMING && copy->snapshot == c->snapshot.number &&
           c->follower[server].state == TRI_FOLLOWER_HOLDING;
}

/* Rows of a snapshot that was given up are not checked: the list of rows may differ from the present one's. They are read and dropped. */
static tri_status check_rows(const tri__peer *peer, const tri__message *message)
{
    const tri__coordinator *c = peer->server->coordinator;
    if (message->snapshot != c->snapshot.number)
        return NULL;
    return c->snapshot.named.alone ? tri__snapshot_named_check(peer, message)
                                   : tri__table_piece_check(&peer->server->layout, message, slots_of(c, true));
}

/* A copy is read into memory of the connection, not into the whole model: by the time all of it is here, the snapshot may have been given
 * up, and ps:0 may be restoring servers from the whole model. */
tri_status tri__snapshot_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__coordinator *c = peer->server->coordinator;
    bool handover = c->handover.state == TRI_HANDOVER_COPYING;
    if (!c->settled && !handover)
        return tri_fail(TRI_BAD_DATA, "a copy before there is a job");
    bool server = peer->role == TRI_PEER_SERVER || (handover && peer->role == TRI_PEER_STANDBY);
    if (message->type == TRI_MSG_KEYS && server && c->snapshot.grown) {
        TRI_TRY(tri__key_cells_check(message));
        TRI_TRY(tri__peer_equip(peer));
        *body = peer->gradient;
        return NULL;
    }
    const tri__layout *layout = &peer->server->layout;
    if (!server || message->type != TRI_MSG_COPY || message->chunk >= tri__layout_chunks(layout) ||
        tri__layout_server(layout, message->chunk) != peer->task || message->slot >= slots_of(c, true))
        return tri_fail(TRI_BAD_DATA, "a copy of chunk %u that nobody asked for", message->chunk);
    if (tri__layout_table(layout, message->chunk) >= 0)
        TRI_TRY(check_rows(peer, message));
    else if (message->size != tri__layout_chunk(layout, message->chunk).count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "a copy of chunk %u of the wrong size", message->chunk);
    TRI_TRY(tri__peer_equip(peer));
    *body = peer->gradient;
    return NULL;
}

/* If the server is past that step, no copy follows. Its connection ends, so that the snapshot is given up and the server is restored. */
tri_status tri__snapshot_copied(tri__coordinator *c, int server, const tri__message *message)
{
    if (!is_wanted(c, server, message))
        return NULL;
    if (message->updates < 0)
        return tri_fail(TRI_BAD_DATA, "it has no copy of step %lld any more", (long long)message->step);
    c->snapshot.taken[server] = true;
    tri__books_copied(c, server, message->updates);
    if (!tri__snapshot_holds_up(c))
        tri__coordinator_go_on(c);
    return NULL;
}

tri_status tri__snapshot_pushed(tri__coordinator *c, int server, const json_t *pushes)
{
    tri__snapshot *snapshot = &c->snapshot;
    TRI_TRY(tri__known_pushes_check(&c->server->layout, server, pushes));
    if (snapshot->state == TRI_SNAPSHOT_COMING && snapshot->taken[server])
        json_array_append_new(json_array_get(snapshot->pushed, (size_t)server - 1), json_deep_copy(pushes));
    return NULL;
}

static void receive_range(tri__coordinator *c, const tri__peer *peer, const tri__message *message)
{
    tri_range range = tri__layout_chunk(&peer->server->layout, message->chunk);
    memcpy(slot_of(c->snapshot.whole, message->slot) + range.first, peer->gradient, range.count * sizeof(float));
}

/* A piece of a table that is all zeros comes without a body, so tri__snapshot_body has not checked it yet. */
static tri_status check_empty(tri__peer *peer, const tri__message *message)
{
    void *body;
    if (message->size)
        return NULL;
    if (message->chunk >= tri__layout_chunks(&peer->server->layout) || tri__layout_table(&peer->server->layout, message->chunk) < 0)
        return tri_fail(TRI_BAD_DATA, "a copy of chunk %u without its floats", message->chunk);
    return tri__snapshot_body(peer, message, &body);
}

tri_status tri__snapshot_receive(tri__peer *peer, const tri__message *message)
{
    TRI_TRY(check_empty(peer, message));
    tri__coordinator *c = peer->server->coordinator;
    if (tri__layout_table(&peer->server->layout, message->chunk) >= 0 && c->snapshot.named.alone)
        tri__snapshot_receive_named(c, peer, message);
    else if (tri__layout_table(&peer->server->layout, message->chunk) >= 0)
        tri__snapshot_receive_rows(c, peer, message);
    else
        receive_range(c, peer, message);
    return NULL;
}

tri_status tri__snapshot_received(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *c = peer->server->coordinator;
    TRI_TRY(check_empty(peer, message));
    if (!is_wanted(c, peer->task, message) || message->slot >= c->snapshot.slots)
        return NULL;
    TRI_TRY(tri__snapshot_receive(peer, message));
    if (--c->snapshot.left == 0)
        use(c);
    return NULL;
}

tri_status tri__snapshot_received_keys(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *c = peer->server->coordinator;
    const bool wanted = message->size > 0 && is_wanted(c, peer->task, message);
    return wanted ? tri__snapshot_receive_keys(c, peer, message) : NULL;
}

void tri__snapshot_give_up(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    if (snapshot->state != TRI_SNAPSHOT_COMING)
        return;
    snapshot->state = TRI_SNAPSHOT_NONE;
    snapshot->checkpoint_due |= (snapshot->purpose & TRI_FOR_CHECKPOINT) && !tri__snapshot_is_last(snapshot);
    if ((snapshot->purpose & TRI_FOR_EVALUATION) && c->job.evaluate_every)
        snapshot->next_evaluation = snapshot->standing.step;
}

void tri__snapshot_not_evaluated(tri__coordinator *c)
{
    c->snapshot.state = TRI_SNAPSHOT_WRITING;
    tri__snapshot_release(c);
}

tri_status tri__snapshot_evaluated(tri__coordinator *c, const json_t *body)
{
    const tri__server_options *options = &c->server->options;
    tri__snapshot *snapshot = &c->snapshot;
    if (snapshot->state != TRI_SNAPSHOT_EVALUATING || tri__json_integer_of(body, "step", -1) != snapshot->standing.step)
        return NULL; /* it answers a question from before a failure */
    snapshot->state = TRI_SNAPSHOT_WRITING;
    TRI_TRY(tri__snapshot_named_known(c));
    tri__coordinator_show(c); /* the owner sees the present state first */
    unsigned verdict = options->owner->evaluated(options->context, snapshot->standing.step, body);
    if (verdict & TRI_PS_ENOUGH)
        tri__coordinator_end_for(c, TRI_ENDING_ENOUGH);
    if ((verdict & TRI_PS_KEEP) && snapshot->writer == TRI_WRITER_CHECKPOINT)
        snapshot->writer = TRI_WRITER_CHECKPOINT_THEN_BEST;
    else if (verdict & TRI_PS_KEEP)
        tri__snapshot_write(c, true);
    tri__snapshot_release(c);
    return NULL;
}

tri_status tri__snapshot_pulled(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *c = peer->server->coordinator;
    if (c->snapshot.state != TRI_SNAPSHOT_EVALUATING || message->chunk >= tri__layout_chunks(&peer->server->layout) ||
        tri__layout_table(&peer->server->layout, message->chunk) >= 0)
        return tri_fail(TRI_BAD_DATA, "it asks for chunk %u of a snapshot that is not there", message->chunk);
    tri_range range = tri__layout_chunk(&peer->server->layout, message->chunk);
    const tri__message answer = {.type = TRI_MSG_CHUNK, .chunk = message->chunk, .step = c->snapshot.standing.step};
    tri__message_send_floats(peer->connection, answer, tri__store_evaluated(c->snapshot.whole) + range.first, range.count, false);
    return NULL;
}
