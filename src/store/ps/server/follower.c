/* follower.c: how ps:1 … follow ps:0.
 *
 * A follower connects to ps:0, which tells it how large the model is and by which rule it learns, and restores its stretch. From then on
 * ps:0 tells it who takes part. The follower copies its stretch when ps:0 asks, and ends when the job is done. If the connection breaks, it
 * tries again until the timeout. */
#include "store/ps/server/follower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/rule/rule.h"
#include "store/ps/server/known_pushes.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/pushes.h"
#include "store/ps/server/reception.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/replication/standby.h"
#include "store/ps/server/role.h"
#include "store/ps/server/stretch_copy.h"
#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/replay.h"

json_t *tri__rule_json(const tri_rule *rule)
{
    const tri_state *state = &rule->state;
    json_t *json =
        json_pack("{s:s, s:f, s:f, s:[I, I, f, I]}", "kind", rule->name, "clip", (double)rule->clip, "average", (double)rule->average,
                  "state", (json_int_t)state->range.first, (json_int_t)state->range.count, (double)state->rate, (json_int_t)state->frozen);
    for (int i = 0; json && i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        json_object_set_new(json, rule->set[i].name, json_real((double)rule->set[i].value));
    return json;
}

/* State is the end of the buffer, which has `floats` floats. */
static tri_status read_state(const json_t *json, int64_t floats, tri_state *out)
{
    const int64_t first = json_integer_value(json_array_get(json, 0)), count = json_integer_value(json_array_get(json, 1));
    const double rate = json_number_value(json_array_get(json, 2));
    const int64_t frozen = json_integer_value(json_array_get(json, 3));
    *out = (tri_state){0};
    if (count == 0)
        return NULL;
    if (count < 0 || first < 0 || first > floats || count != floats - first || frozen < 0 || frozen > count ||
        (frozen < count && !(rate > 0 && rate <= 1)))
        return tri_fail(TRI_BAD_DATA, "a welcome with state that does not end the model's floats");
    *out = (tri_state){{(size_t)first, (size_t)count}, (float)rate, (size_t)frozen};
    return NULL;
}

/* out->name is borrowed from the JSON. */
static tri_status read_rule(const json_t *json, tri_rule *out)
{
    *out = (tri_rule){
        .name = json_string_value(json_object_get(json, "kind")),
        .clip = (float)json_number_value(json_object_get(json, "clip")),
        .average = (float)json_number_value(json_object_get(json, "average")),
    };
    if (!out->name)
        return tri_fail(TRI_BAD_DATA, "a welcome without a rule");
    const tri__rule_number *number;
    for (int i = 0; (number = tri__rule_number_at(i)); i++) {
        const json_t *value = json_object_get(json, number->key);
        if (value && tri__rule_has(out->name, number))
            TRI_TRY(tri__rule_set(out, number, (float)json_number_value(value)));
    }
    return NULL;
}

static void connect_to_coordinator(tri__server *server)
{
    tri__peer *peer = tri__peer_attach(server);
    if (!peer)
        return; /* tick tries again */
    peer->role = TRI_PEER_COORDINATOR;
    tri__contact_open(&server->contact, server->loop, &tri__server_handlers, peer, server->options.tls);
    peer->connection = server->contact.connection;
    if (peer->connection) {
        server->upstream = peer;
    } else {
        server->peers = peer->next;
        free(peer);
    }
}

static tri_status start(tri__server *server)
{
    tri__contact_init(&server->contact, 0, server->options.coordinator, &server->options.settings, server->options.log);
    connect_to_coordinator(server);
    return NULL;
}

void tri__follower_greet(tri__peer *peer)
{
    tri__server *server = peer->server;
    if (!server->incarnation)
        server->incarnation = tri__incarnation();
    if (server->options.settings.mode == TRI_PS_SYNC && server->holds == TRI_HOLDS_ALL)
        server->holds = TRI_HOLDS_STILL;
    const tri__replication_state state = server->replication.state;
    json_t *hello = json_pack(
        "{s:i, s:s, s:i, s:I, s:b, s:I, s:I, s:b, s:b}", "protocol", TRI_PROTOCOL, "role", "server", "task", server->options.index,
        "incarnation", (json_int_t)server->incarnation, "holding", server->holds >= TRI_HOLDS_STILL, "generation",
        (json_int_t)server->generation, "updates", (json_int_t)(server->stretch ? tri__stretch_lowest(server->stretch) : 0), "standby",
        tri__replication_is_standby(server), "paired", state == TRI_REPLICATION_PAIRED || state == TRI_REPLICATION_ASKING);
    char settings[TRI_PS_WORDS];
    tri__ps_settings_words(&server->options.settings, settings);
    json_object_set_new(hello, "settings", json_string(settings));
    const tri__address *second = server->options.second;
    if (second && server->options.index == 0) {
        json_object_set_new(hello, "whole", json_boolean(state == TRI_REPLICATION_WHOLE));
        json_object_set_new(hello, "pair", json_integer(server->replication.pair));
        json_object_set_new(hello, "state", json_integer(tri__standby_state(server)));
    }
    if (second)
        json_object_set_new(hello, "second", json_pack("{s:s, s:i}", "host", second->host, "port", (int)second->port));
    tri__message_send_json(peer->connection, TRI_MSG_HELLO, hello);
}

void tri__follower_lost(tri__server *server, tri_status why)
{
    tri_status failure = tri__contact_closed(&server->contact, why, server->done);
    server->upstream = NULL;
    server->leaving_told = false;
    server->keeping.until = 0;
    tri__copy_cancel(server);
    if (server->holds == TRI_HOLDS_PART) /* the rest will not come; the next connection restores all */
        server->holds = TRI_HOLDS_NOTHING;
    if (failure)
        tri__server_end(server, failure);
}

static tri_status take_welcome(tri__server *server, const json_t *body)
{
    int64_t floats = tri__json_integer_of(body, "floats", -1);
    tri__table_shapes tables;
    tri_rule rule;
    TRI_TRY(tri__tables_read(json_object_get(body, "tables"), &tables));
    TRI_TRY(read_rule(json_object_get(body, "rule"), &rule));
    if (floats < 0 || (floats == 0 && tables.count == 0))
        return tri_fail(TRI_BAD_DATA, "a welcome to a model without parameters");
    tri__contact_welcomed(&server->contact);
    bool fits = tri__layout_fits(&server->layout, (size_t)floats, &tables) && server->layout.tables.growth.most == tables.growth.most;
    if (server->stretch && !fits) /* reconnected */
        return tri_fail(TRI_BAD_DATA, "ps:0 trains another model now");
    TRI_TRY(read_state(json_object_get(json_object_get(body, "rule"), "state"), floats, &rule.state));
    if (!server->stretch) {
        TRI_TRY(tri__layout_init(&server->layout, (size_t)floats, &tables, server->options.settings.servers));
        TRI_TRY(tri__stretch_create(&server->layout, server->options.index, &rule, &server->options.settings, &server->stretch));
        tri__primary_watch(server);
    }
    const json_t *pair = json_object_get(body, "pair");
    if (pair && !json_is_true(json_object_get(body, "handover")))
        tri__replication_welcomed(server, json_is_true(json_object_get(body, "primary")), (uint32_t)json_integer_value(pair));
    return NULL;
}

tri_status tri__follower_read_tasks(const json_t *body, int64_t *step, int tasks[TRI_MOST_TASKS], int *count)
{
    const json_t *list = json_object_get(body, "tasks");
    size_t index;
    const json_t *item;
    *count = 0;
    *step = tri__json_integer_of(body, "step", -1);
    if (*step < 0 || *step > TRI_FURTHEST)
        return tri_fail(TRI_BAD_DATA, "tasks of a step that is none");
    if (!json_is_array(list) || json_array_size(list) > TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "a list of tasks that is none");
    json_array_foreach(list, index, item)
    {
        int64_t task = json_is_integer(item) ? json_integer_value(item) : -1;
        if (task < 0 || task >= TRI_MOST_TASKS || (*count > 0 && task <= tasks[*count - 1]))
            return tri_fail(TRI_BAD_DATA, "a list of tasks that do not rise, or with a task number that is none");
        tasks[(*count)++] = (int)task;
    }
    return NULL;
}

static tri_status take_view(tri__server *server, const json_t *body)
{
    int tasks[TRI_MOST_TASKS], count;
    int64_t step;
    TRI_TRY(tri__follower_read_tasks(body, &step, tasks, &count));
    TRI_TRY(tri__stretch_view(server->stretch, step, tasks, count));
    if (!tri__replication_is_standby(server))
        tri__message_send(server->upstream->connection,
                          &(tri__message){.type = TRI_MSG_SEEN, .view = (uint32_t)tri__json_integer_of(body, "view", 0)}, false);
    tri__server_settle(server);
    return NULL;
}

static tri_status take_chosen(tri__server *server, const json_t *body)
{
    int tasks[TRI_MOST_TASKS], count;
    int64_t step;
    TRI_TRY(tri__follower_read_tasks(body, &step, tasks, &count));
    TRI_TRY(tri__stretch_choose(server->stretch, step, tasks, count));
    tri__server_settle(server);
    return NULL;
}

/* The first float of a new generation comes: from here on, messages of an earlier generation are neither taken nor answered. A server that
 * holds its stretch goes back only to begin another generation. */
static tri_status begin_restoring(tri__server *server, const tri__message *restore)
{
    if (server->holds == TRI_HOLDS_PART && restore->generation == server->generation)
        return NULL; /* it has begun */
    if (server->holds >= TRI_HOLDS_STILL && restore->generation == server->generation)
        return tri_fail(TRI_BAD_DATA, "a %s of the generation that it holds", tri__message_name(restore->type));
    server->holds = TRI_HOLDS_PART;
    server->restore_left =
        (uint32_t)tri__stretch_slots(server->stretch) * tri__layout_server_pieces(&server->layout, server->options.index);
    tri__server_go_back(server, restore->generation, restore->step);
    return NULL;
}

/* Async: the stretch that is being restored contains these pushes. */
static tri_status take_pushed(tri__server *server, const json_t *pushes)
{
    if (server->holds != TRI_HOLDS_PART)
        return tri_fail(TRI_BAD_DATA, "pushes of a stretch that is not restored");
    return tri__known_pushes_take(server, pushes);
}

static void say_restored(tri__server *server, int64_t step, int64_t updates)
{
    const tri__message restored = {.type = TRI_MSG_RESTORED, .generation = server->generation, .step = step, .updates = updates};
    tri__message_send(server->upstream->connection, &restored, false);
    tri__server_admit(server);
}

/* Async: ps:0 was restarted, and this server keeps its stretch. Gradients of updates that ps:0 has may still be on their way here. They are
 * of the old generation, so it ends only when they have come, or when they do not come in time. */
static void keep_stretch(tri__server *server)
{
    tri__keeping *keeping = &server->keeping;
    int64_t lowest = server->stretch ? tri__stretch_lowest(server->stretch) : 0;
    if (!keeping->until || !server->upstream || (lowest < keeping->step && tri__clock_now() < keeping->until))
        return;
    keeping->until = 0;
    int64_t step = lowest < keeping->step ? lowest : keeping->step, highest = tri__stretch_highest(server->stretch);
    tri__server_go_back(server, keeping->generation, step);
    say_restored(server, step, highest);
}

static tri_status end_restoring(tri__server *server, const tri__message *message)
{
    bool whole = server->holds == TRI_HOLDS_PART && server->restore_left == 0 && message->generation == server->generation;
    bool keeps = server->holds == TRI_HOLDS_ALL && server->options.settings.mode != TRI_PS_SYNC;
    if (!whole && !keeps)
        return tri_fail(TRI_BAD_DATA, "a restored before all of the stretch has come");
    if (keeps) {
        server->keeping = (tri__keeping){message->generation, message->step, tri__clock_now() + TRI_LATE};
        keep_stretch(server);
        return NULL;
    }
    server->holds = TRI_HOLDS_ALL;
    for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++)
        tri__stretch_stand(server->stretch, tri__stretch_first(server->stretch) + i, message->step);
    say_restored(server, message->step, message->step);
    return NULL;
}

static tri_status find_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    size_t count = 0;
    bool restorable = peer->role == TRI_PEER_COORDINATOR && server->contact.welcome && !tri__replication_is_standby(server);
    bool ours = restorable && server->stretch && tri__stretch_has(server->stretch, message->chunk);
    float *floats =
        ours && message->slot < TRI_STRETCH_SLOTS ? tri__stretch_floats(server->stretch, message->chunk, (int)message->slot, &count) : NULL;
    if (restorable && message->type == TRI_MSG_KEYS && server->stretch && tri__stretch_map(server->stretch)) {
        TRI_TRY(tri__key_cells_check(message));
        TRI_TRY(tri__peer_equip(peer));
        *body = peer->gradient;
        return NULL;
    }
    if (ours && message->type == TRI_MSG_RESTORE && tri__stretch_table(server->stretch, message->chunk)) {
        TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
        TRI_TRY(tri__peer_equip(peer));
        *body = peer->gradient;
        return NULL;
    }
    if (!floats || message->type != TRI_MSG_RESTORE || message->size != count * sizeof *floats)
        return tri_fail(TRI_BAD_DATA, "%u bytes for slot %u of chunk %u, which is none of ours", message->size, message->slot,
                        message->chunk);
    TRI_TRY(begin_restoring(server, message));
    *body = floats;
    return NULL;
}

/* A RESTORE with rows of a table. */
static tri_status restore_rows(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
    if (!tri__stretch_has(server->stretch, message->chunk))
        return tri_fail(TRI_BAD_DATA, "rows of chunk %u, which is none of ours", message->chunk);
    TRI_TRY(begin_restoring(server, message));
    tri__table_write(tri__stretch_table(server->stretch, message->chunk), message->position, 1,
                     tri__layout_piece_rows(&server->layout, message->chunk, message->position), (int)message->slot,
                     message->size ? peer->gradient : NULL);
    server->restore_left -= server->restore_left > 0;
    return NULL;
}

/* Where tables grow: the keys, which come before their rows. */
static tri_status restore_keys(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    if (message->size == 0)
        return tri_fail(TRI_BAD_DATA, "keys of nothing");
    TRI_TRY(begin_restoring(server, message));
    return tri__key_cells_restore(tri__stretch_map(server->stretch), server->options.index, server->layout.servers, message->position,
                                  (const tri__key_cell *)peer->gradient, (int64_t)(message->size / sizeof(tri__key_cell)));
}

void tri__follower_stepped(tri__server *server)
{
    double squares;
    tri__copy_take(server);
    if (server->holds != TRI_HOLDS_ALL || !server->upstream || !server->contact.welcome ||
        !tri__stretch_gathered(server->stretch, &squares))
        return;
    const tri__message norm = {
        .type = TRI_MSG_NORM, .generation = server->generation, .step = tri__stretch_lowest(server->stretch), .norm = squares};
    tri__message_send(server->upstream->connection, &norm, false);
}

/* A signal asks this server to end. ps:0 first writes a checkpoint that has its part, and then says BYE. If ps:0 is gone, its successor
 * does so. A server that has no part, or that has waited for the timeout, ends without. */
static void leave(tri__server *server, int64_t now)
{
    server->leaving = server->leaving ? server->leaving : now;
    if (!server->stretch || now - server->leaving > server->options.settings.timeout)
        tri__server_end(server, NULL);
    else if (server->contact.welcome && !server->leaving_told) {
        server->leaving_told = true;
        tri__message_send_json(server->upstream->connection, TRI_MSG_BYE, json_object());
    }
}

static void tick(tri__server *server)
{
    int64_t now = tri__clock_now();
    if (server->options.abandoned && __atomic_load_n(server->options.abandoned, __ATOMIC_ACQUIRE)) {
        tri__server_end(server, NULL);
        return;
    }
    if (server->options.stop && *server->options.stop)
        leave(server, now);
    if (server->done)
        return;
    if (tri__contact_is_due(&server->contact, now) && !server->done)
        connect_to_coordinator(server);
    tri__copy_take(server);
    keep_stretch(server);
    tri_status failure = tri__contact_check(&server->contact, server->upstream ? server->upstream->heard : 0, now);
    if (failure)
        tri__server_end(server, failure);
}

tri_status tri__follower_read_clip(const tri__message *message, tri__clip_factor *out)
{
    if (!(message->norm >= 0) || message->norm > 1)
        return tri_fail(TRI_BAD_DATA, "a norm of which the factor is %g", message->norm);
    *out = (tri__clip_factor){message->step + 1, message->norm};
    return NULL;
}

/* With clipping: ps:0 has the norm of all stretches, and sends the factor. */
static tri_status scale(tri__server *server, const tri__message *message)
{
    tri__clip_factor clip;
    TRI_TRY(tri__follower_read_clip(message, &clip));
    if (!tri__stretch_scale(server->stretch, clip))
        return NULL; /* it came before, or this is a standby, or parts are missing */
    for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++)
        tri__server_answer_all(server, tri__stretch_first(server->stretch) + i);
    tri__copy_take(server);
    return NULL;
}

static tri_status refused(const tri__server *server, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    return tri_fail(TRI_BAD_CALL, "ps:0 turned ps:%d away: %s", server->options.index, reason ? reason : "it gave no reason");
}

static tri_status take_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    if (peer->role != TRI_PEER_COORDINATOR)
        return tri_fail(TRI_BAD_DATA, "a %s from a worker", tri__message_name(message->type));
    TRI_TRY(tri__contact_expects(&server->contact, message->type));
    if (message->type == TRI_MSG_WELCOME)
        return take_welcome(server, body);
    if (message->type == TRI_MSG_REFUSED) {
        tri__server_end(server, refused(server, body));
        return NULL;
    }
    if (message->type == TRI_MSG_BYE) {
        const char *reason = json_string_value(json_object_get(body, "reason"));
        if (!server->leaving) /* workers may see us end before ps:0 tells them; if we leave, the job may go on */
            tri__server_say_bye(server, reason);
        tri__server_end(server, reason ? tri_fail(TRI_STOPPED, "ps:0 ended the job: %s", reason) : NULL);
        return NULL;
    }
    bool keeper = server->options.index == 0; /* the standby of ps:0's range, of which a new ps:0 wants a copy */
    bool for_primary = message->type == TRI_MSG_RESTORE || message->type == TRI_MSG_KEYS || message->type == TRI_MSG_PUSHED ||
                       message->type == TRI_MSG_RESTORED || (message->type == TRI_MSG_SNAPSHOT && !keeper);
    if (for_primary && tri__replication_is_standby(server))
        return tri_fail(TRI_BAD_DATA, "a %s for a standby", tri__message_name(message->type));
    if (message->type == TRI_MSG_RESTORE && tri__stretch_has(server->stretch, message->chunk) &&
        tri__stretch_table(server->stretch, message->chunk))
        return restore_rows(peer, message);
    if (message->type == TRI_MSG_RESTORE && message->size) { /* read into its place */
        server->restore_left -= server->restore_left > 0;
        return NULL;
    }
    if (message->type == TRI_MSG_KEYS)
        return restore_keys(peer, message);
    if (message->type == TRI_MSG_PUSHED)
        return take_pushed(server, body);
    if (message->type == TRI_MSG_RESTORED)
        return end_restoring(server, message);
    if (message->type == TRI_MSG_PAIR || message->type == TRI_MSG_LONE || message->type == TRI_MSG_PROMOTE)
        return tri__replication_told(server, message, body);
    bool copies = message->type == TRI_MSG_SNAPSHOT && server->holds == TRI_HOLDS_STILL;
    if (server->holds != TRI_HOLDS_ALL && !copies && !tri__replication_is_standby(server))
        return tri_fail(TRI_BAD_DATA, "a %s before its stretch", tri__message_name(message->type));
    switch (message->type) {
    case TRI_MSG_VIEW:
        return take_view(server, body);
    case TRI_MSG_CHOSEN:
        return take_chosen(server, body);
    case TRI_MSG_LEFT:
        if (message->chunk >= TRI_MOST_TASKS)
            return tri_fail(TRI_BAD_DATA, "a task number that is none");
        tri__stretch_leave(server->stretch, (int)message->chunk, message->step);
        tri__server_settle(server);
        return NULL;
    case TRI_MSG_SNAPSHOT:
        if (keeper)
            tri__standby_send_state(server, message->step);
        return tri__copy_begin(server, message);
    case TRI_MSG_NORM:
        return scale(server, message);
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from ps:0", tri__message_name(message->type));
    }
}

/* ---- the role ---- */

/* A worker comes, which ps:0 has admitted; or the primary of the range comes to this server, its standby. */
static tri_status take_hello(tri__peer *peer, const json_t *body)
{
    const char *role = json_string_value(json_object_get(body, "role"));
    if (!strcmp(role, "primary"))
        return tri__standby_hello(peer, body);
    if (strcmp(role, "worker") != 0)
        return tri_fail(TRI_BAD_CALL, "a %s has nothing to ask of ps:%d; ps:0 coordinates", role, peer->server->options.index);
    peer->hello = json_deep_copy(body);
    tri__server_admit(peer->server);
    return NULL;
}

/* ps:0 alone has an evaluator. */
static tri_status refuse_evaluator(tri__peer *peer, const tri__message *message)
{
    (void)peer;
    return tri_fail(TRI_BAD_DATA, "a %s from an evaluator", tri__message_name(message->type));
}

/* For calls that concern ps:0 alone. */
static void do_nothing(tri__server *server)
{
    (void)server;
}

static void tell_nothing(tri__server *server, tri__ps_status *status)
{
    (void)server;
    (void)status;
}

static void let_go(tri__peer *peer)
{
    (void)peer;
}

static void ask_coordinator(tri__server *server, tri__message_type type)
{
    if (server->upstream && server->contact.welcome) /* otherwise the welcome will say what this server is to do */
        tri__message_send(server->upstream->connection, &(tri__message){.type = type, .pair = server->replication.pair}, false);
}

/* Only ps:0 knows who has which token. */
static bool expect_any(const tri__peer *peer, const tri__message *push)
{
    (void)peer;
    (void)push;
    return true;
}

static bool count_nothing(tri__peer *peer, const tri__message *push)
{
    (void)peer;
    (void)push;
    return false;
}

const tri__server_role tri__follower_role = {
    .start = start,
    .end = do_nothing,
    .status = tell_nothing,
    .tick = tick,
    .hello = take_hello,
    .message = take_message,
    .body = find_body,
    .evaluator_rows = refuse_evaluator,
    .gone = let_go,
    .paired = ask_coordinator,
    .tell_state = do_nothing,
    .expects = expect_any,
    .pushed = count_nothing,
    .go_on = do_nothing,
    .gathered = tri__follower_stepped,
    .chunk_ends = do_nothing,
    .chunk_ended = tri__follower_stepped,
};
