/* snapshot.c: the coordinator's copy of the whole model.
 *
 * One at a time. In sync it is of one step: no token of the next is out before every server has copied its stretch. What is copied then
 * travels to ps:0 while training goes on; when all is there, the evaluator pulls it and a thread writes the checkpoint. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/ps/server/coordinator.h"

bool tri__snapshot_idle(const tri__coordinator *coordinator)
{
    return coordinator->copy == TRI_COPY_NONE;
}

bool tri__snapshot_holds_up(const tri__coordinator *coordinator)
{
    if (coordinator->copy != TRI_COPY_COMING)
        return false;
    for (int i = 1; i < coordinator->settings->servers; i++)
        if (!coordinator->follower[i].copied)
            return true;
    return false;
}

static float *slot_of(tri_store *whole, uint32_t slot)
{
    return slot == 0 ? tri_store_parameters(whole) : tri_store_slot(whole, (int)slot - 1);
}

static uint32_t slots_of(const tri__coordinator *coordinator, bool all)
{
    return all ? 1u + (uint32_t)tri_rule_slots(&coordinator->job.rule) : 1;
}

/* Between ps:0's own stretch and its place in the whole. */
static void copy_own(tri__coordinator *coordinator, uint32_t slots, bool into_whole)
{
    tri__stretch *stretch = coordinator->server->stretch;
    tri_range range = tri__stretch_range(stretch);
    for (uint32_t slot = 0; slot < slots; slot++) {
        float *whole = slot_of(coordinator->whole, slot) + range.first;
        size_t count;
        for (uint32_t i = 0; i < tri__stretch_chunks(stretch); i++, whole += count) {
            float *own = tri__stretch_floats(stretch, tri__stretch_first(stretch) + i, (int)slot, &count);
            memcpy(into_whole ? whole : own, into_whole ? own : whole, count * sizeof *own);
        }
    }
}

void tri__snapshot_fill_own(tri__coordinator *coordinator)
{
    copy_own(coordinator, slots_of(coordinator, true), false);
}

tri_status tri__snapshot_load(tri__coordinator *coordinator)
{
    const tri__server_options *options = &coordinator->server->options;
    if (!coordinator->whole) {
        TRI_TRY(tri_store_local_create(coordinator->job.floats, &coordinator->job.rule, &coordinator->whole));
        tri_store_drop_gradient(coordinator->whole);
    }
    tri__standing_fini(&coordinator->state);
    return options->owner->load(options->context, coordinator->whole, &coordinator->state);
}

void tri__snapshot_restore(tri__coordinator *coordinator, int server)
{
    tri__follower *follower = &coordinator->follower[server];
    const tri__layout *layout = &coordinator->server->layout;
    bool keeps = follower->keeps && coordinator->settings->mode != TRI_PS_SYNC; /* ps:0 is new, it is not: what it holds stands */
    follower->state = TRI_FOLLOWER_RESTORING;
    follower->keeps = false;
    for (uint32_t slot = 0; !keeps && slot < slots_of(coordinator, true); slot++)
        for (uint32_t chunk = tri__layout_first(layout, server); chunk < tri__layout_first(layout, server + 1); chunk++) {
            tri_range range = tri__layout_chunk(layout, chunk);
            const tri__message message = {.type = TRI_MSG_RESTORE,
                                          .chunk = chunk,
                                          .view = coordinator->server->generation,
                                          .step = coordinator->state.step,
                                          .slot = slot};
            tri__message_send_floats(follower->peer->connection, message, slot_of(coordinator->whole, slot) + range.first, range.count,
                                     true);
        }
    const tri__message end = {.type = TRI_MSG_RESTORED, .step = coordinator->state.step, .view = coordinator->server->generation};
    tri__message_send(follower->peer->connection, &end, false);
}

static void release(tri__coordinator *coordinator)
{
    if (coordinator->evaluating || coordinator->saving)
        return;
    coordinator->copy = TRI_COPY_NONE;
    tri__coordinator_go_on(coordinator);
}

static void *save(void *context)
{
    tri__coordinator *coordinator = context;
    const tri__server_options *options = &coordinator->server->options;
    coordinator->saved = options->owner->save(options->context, coordinator->whole, &coordinator->state, coordinator->keeping);
    __atomic_store_n(&coordinator->saver_done, true, __ATOMIC_RELEASE);
    tri__loop_wake(coordinator->server->loop);
    return NULL;
}

/* The best snapshot is kept beside the checkpoints, and is none to go back to. */
static void note_kept(tri__coordinator *coordinator)
{
    if (!coordinator->keeping)
        coordinator->kept = coordinator->state.step;
}

static void begin_saving(tri__coordinator *coordinator)
{
    coordinator->saver_done = false;
    coordinator->keeping = coordinator->wants_keeping;
    coordinator->wants_keeping = false;
    coordinator->saving = !pthread_create(&coordinator->saver, NULL, save, coordinator);
    if (coordinator->saving)
        return;
    note_kept(coordinator);
    tri__log_line(coordinator->server->log, TRI_LOG_WARNING, "no checkpoint at step %lld: no thread to write it",
                  (long long)coordinator->state.step);
}

void tri__snapshot_save(tri__coordinator *coordinator)
{
    coordinator->copy = TRI_COPY_USED;
    begin_saving(coordinator);
    release(coordinator);
}

static void end_saving(tri__coordinator *coordinator)
{
    if (!coordinator->saving || !__atomic_load_n(&coordinator->saver_done, __ATOMIC_ACQUIRE))
        return;
    pthread_join(coordinator->saver, NULL);
    coordinator->saving = false;
    note_kept(coordinator);
    if (!coordinator->saved && !coordinator->keeping)
        coordinator->written = coordinator->state.step;
    if (coordinator->saved && coordinator->final)
        tri__coordinator_fail(coordinator,
                              tri_wrap(coordinator->saved, "the last checkpoint, at step %lld", (long long)coordinator->state.step));
    else if (coordinator->saved) {
        tri__log_line(coordinator->server->log, TRI_LOG_WARNING, "no checkpoint at step %lld: %s; training goes on",
                      (long long)coordinator->state.step, tri_status_message(coordinator->saved));
        tri_status_free(coordinator->saved);
    }
    coordinator->saved = NULL;
    if (coordinator->wants_keeping) /* the evaluation came while the checkpoint was being written */
        begin_saving(coordinator);
    release(coordinator);
}

static void ask_evaluator(tri__coordinator *coordinator)
{
    if (coordinator->evaluator == TRI_EVALUATOR_HERE)
        tri__message_send(coordinator->evaluator_peer->connection,
                          &(tri__message){.type = TRI_MSG_EVALUATE, .step = coordinator->state.step}, false);
}

static void use(tri__coordinator *coordinator)
{
    coordinator->copy = TRI_COPY_USED;
    coordinator->copied_step = coordinator->state.step;
    coordinator->evaluating = coordinator->wants_evaluating && coordinator->evaluator != TRI_EVALUATOR_NONE;
    if (coordinator->evaluating)
        ask_evaluator(coordinator);
    if (coordinator->wants_saving)
        begin_saving(coordinator);
    release(coordinator);
}

void tri__snapshot_take(tri__coordinator *coordinator, bool saving, bool evaluating)
{
    uint32_t slots = slots_of(coordinator, saving || coordinator->job.whole_snapshots);
    const tri__layout *layout = &coordinator->server->layout;
    coordinator->wants_saving = saving;
    coordinator->wants_evaluating = evaluating;
    coordinator->copy_slots = slots;
    coordinator->copy = TRI_COPY_COMING;
    coordinator->copy_number++;
    tri__standing_fini(&coordinator->state);
    tri_status status = tri__tokens_standing(coordinator->tokens, &coordinator->state);
    coordinator->state.books = tri__books_write(coordinator);
    if (status) {
        tri__coordinator_fail(coordinator, status);
        return;
    }
    copy_own(coordinator, slots, true);
    coordinator->copy_left = 0;
    for (int i = 1; i < coordinator->settings->servers; i++) {
        tri__follower *follower = &coordinator->follower[i];
        follower->copied = false;
        coordinator->copy_left += slots * (tri__layout_first(layout, i + 1) - tri__layout_first(layout, i));
        if (follower->state == TRI_FOLLOWER_HOLDING)
            tri__message_send(
                follower->peer->connection,
                &(tri__message){.type = TRI_MSG_SNAPSHOT, .view = coordinator->copy_number, .step = coordinator->state.step, .what = slots},
                false);
    }
    if (coordinator->copy_left == 0)
        use(coordinator);
}

/* Part of the snapshot that is being taken, not of one that was given up. */
static bool is_wanted(const tri__coordinator *coordinator, int server, const tri__message *copy)
{
    return coordinator->copy == TRI_COPY_COMING && copy->view == coordinator->copy_number &&
           coordinator->follower[server].state == TRI_FOLLOWER_HOLDING;
}

/* A copy is read to memory of the connection's own: by the time all of it is here, the snapshot may have been given up, and the whole model
 * may be what servers are restored from. */
tri_status tri__snapshot_place(tri__peer *peer, const tri__message *message, void **body)
{
    tri__coordinator *coordinator = peer->server->coordinator;
    if (!coordinator->settled)
        return tri_fail(TRI_BAD_DATA, "a copy before there is a job");
    const tri__layout *layout = &peer->server->layout;
    if (peer->role != TRI_PEER_SERVER || message->type != TRI_MSG_COPY || message->chunk >= tri__layout_chunks(layout) ||
        tri__layout_server(layout, message->chunk) != peer->task || message->slot >= slots_of(coordinator, true))
        return tri_fail(TRI_BAD_DATA, "a copy of chunk %u that nobody asked for", message->chunk);
    if (message->size != tri__layout_chunk(layout, message->chunk).count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "a copy of chunk %u of the wrong size", message->chunk);
    TRI_TRY(tri__peer_equip(peer));
    *body = peer->gradient;
    return NULL;
}

void tri__snapshot_copied(tri__coordinator *coordinator, int server, const tri__message *message)
{
    if (!is_wanted(coordinator, server, message))
        return;
    coordinator->follower[server].copied = true;
    if (!tri__snapshot_holds_up(coordinator))
        tri__coordinator_go_on(coordinator);
}

void tri__snapshot_received(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *coordinator = peer->server->coordinator;
    if (!is_wanted(coordinator, peer->task, message) || message->slot >= coordinator->copy_slots)
        return;
    tri_range range = tri__layout_chunk(&peer->server->layout, message->chunk);
    memcpy(slot_of(coordinator->whole, message->slot) + range.first, peer->gradient, range.count * sizeof(float));
    if (--coordinator->copy_left == 0)
        use(coordinator);
}

void tri__snapshot_give_up(tri__coordinator *coordinator)
{
    if (coordinator->copy != TRI_COPY_COMING)
        return;
    coordinator->copy = TRI_COPY_NONE;
    coordinator->checkpoint_due |= coordinator->wants_saving && !coordinator->final;
    if (coordinator->wants_evaluating)
        coordinator->next_evaluation = coordinator->state.step;
}

void tri__snapshot_evaluator(tri__coordinator *coordinator, tri__peer *peer, bool none)
{
    coordinator->evaluator = none ? TRI_EVALUATOR_NONE : peer ? TRI_EVALUATOR_HERE : TRI_EVALUATOR_AWAITED;
    coordinator->evaluator_peer = peer;
    if (!coordinator->evaluating)
        return;
    if (none) {
        coordinator->evaluating = false;
        release(coordinator);
    } else {
        ask_evaluator(coordinator);
    }
}

tri_status tri__snapshot_evaluated(tri__coordinator *coordinator, const json_t *body)
{
    const tri__server_options *options = &coordinator->server->options;
    if (!coordinator->evaluating || tri__json_integer_of(body, "step", -1) != coordinator->state.step)
        return NULL; /* an answer to what was asked before a failure */
    coordinator->evaluating = false;
    tri__coordinator_show(coordinator); /* as things are now */
    unsigned verdict = options->owner->evaluated(options->context, coordinator->state.step, body);
    coordinator->enough |= (verdict & TRI_PS_ENOUGH) != 0;
    coordinator->wants_keeping = (verdict & TRI_PS_KEEP) != 0;
    if (coordinator->wants_keeping && !coordinator->saving)
        begin_saving(coordinator);
    release(coordinator);
    return NULL;
}

/* The evaluator asks for a chunk of the snapshot. */
tri_status tri__snapshot_pulled(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *coordinator = peer->server->coordinator;
    if (!coordinator->evaluating || message->chunk >= tri__layout_chunks(&peer->server->layout))
        return tri_fail(TRI_BAD_DATA, "it asks for chunk %u of a snapshot that is not there", message->chunk);
    tri_range range = tri__layout_chunk(&peer->server->layout, message->chunk);
    const tri__message answer = {.type = TRI_MSG_CHUNK, .chunk = message->chunk, .step = coordinator->state.step};
    tri__message_send_floats(peer->connection, answer, tri_store_parameters(coordinator->whole) + range.first, range.count, false);
    return NULL;
}

void tri__snapshot_tick(tri__coordinator *coordinator)
{
    end_saving(coordinator);
}

void tri__snapshot_fini(tri__coordinator *coordinator)
{
    if (coordinator->saving)
        pthread_join(coordinator->saver, NULL);
    tri_status_free(coordinator->saved);
    tri__standing_fini(&coordinator->state);
    tri_store_destroy(coordinator->whole);
}
