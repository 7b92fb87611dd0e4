/* follower.c: what ps:1 … do with ps:0.
 *
 * A follower connects to ps:0, which tells it how large the model is and by which rule it learns, and restores its stretch. From then on
 * it hears who takes part, copies its stretch when asked, and goes when the job is done. Where the connection breaks it tries again, for
 * as long as a wait may take. */
#include "store/ps/server/follower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "graph/rule.h"

#define LATE                                                                                                                               \
    INT64_C(500000000) /* async: for so long a copy waits for updates that ps:0 has; later ones are those of workers that are gone */

json_t *tri__rule_json(const tri_rule *rule)
{
    json_t *json = json_pack("{s:s, s:f}", "kind", rule->name, "clip", (double)rule->clip);
    for (int i = 0; json && i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        json_object_set_new(json, rule->set[i].name, json_real((double)rule->set[i].value));
    return json;
}

/* The name stays the JSON's. */
static tri_status read_rule(const json_t *json, tri_rule *out)
{
    *out = (tri_rule){
        .name = json_string_value(json_object_get(json, "kind")),
        .clip = (float)json_number_value(json_object_get(json, "clip")),
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
    tri__peer *peer = tri__server_attach(server);
    if (!peer)
        return; /* tried again */
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

void tri__follower_start(tri__server *server)
{
    tri__contact_init(&server->contact, 0, server->options.coordinator, &server->options.settings, server->log);
    connect_to_coordinator(server);
}

void tri__follower_greet(tri__peer *peer)
{
    tri__server *server = peer->server;
    if (!server->incarnation)
        server->incarnation = tri__incarnation();
    json_t *hello = json_pack("{s:i, s:s, s:i, s:I, s:b, s:I, s:I, s:i, s:b}", "protocol", TRI_PROTOCOL, "role", "server", "task",
                              server->options.index, "incarnation", (json_int_t)server->incarnation, "holding",
                              server->holds == TRI_HOLDS_ALL, "generation", (json_int_t)server->generation, "updates",
                              (json_int_t)(server->stretch ? tri__stretch_lowest(server->stretch) : 0), "replicas",
                              server->options.settings.replicas == 2 ? 2 : 1, "follows", tri__replica_is_twin(server));
    const tri__address *twin = server->options.twin;
    if (twin)
        json_object_set_new(hello, "twin", json_pack("{s:s, s:i}", "host", twin->host, "port", (int)twin->port));
    tri__message_send_json(peer->connection, TRI_MSG_HELLO, hello);
}

void tri__follower_lost(tri__server *server, tri_status why)
{
    tri_status failure = tri__contact_closed(&server->contact, why, server->done);
    server->upstream = NULL;
    server->snapshot = -1;
    if (server->holds == TRI_HOLDS_PART) /* the rest will not come; all of it comes again */
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
    if (server->stretch && !tri__layout_fits(&server->layout, (size_t)floats, &tables)) /* reconnected */
        return tri_fail(TRI_BAD_DATA, "ps:0 trains another model now");
    if (!server->stretch) {
        TRI_TRY(tri__layout_init_tables(&server->layout, (size_t)floats, &tables, server->options.settings.servers));
        TRI_TRY(tri__stretch_create(&server->layout, server->options.index, &rule, &server->options.settings, &server->stretch));
        tri__replica_watch(server);
    }
    const json_t *pair = json_object_get(body, "pair");
    if (pair)
        tri__replica_welcomed(server, json_is_true(json_object_get(body, "leads")), (uint32_t)json_integer_value(pair));
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
    if (!tri__replica_is_twin(server))
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

/* The first float of a generation comes: from here on nothing of an earlier one is taken or answered. */
static void begin_restoring(tri__server *server, uint32_t generation)
{
    server->holds = TRI_HOLDS_PART;
    server->generation = generation;
    server->restore_left = (uint32_t)tri__stretch_slots(server->stretch) * tri__layout_parts(&server->layout, server->options.index);
    tri__server_forget(server);
    tri__replica_part(server);
}

static tri_status end_restoring(tri__server *server, const tri__message *message)
{
    bool whole = server->holds == TRI_HOLDS_PART && server->restore_left == 0 && message->view == server->generation;
    bool keeps = server->holds == TRI_HOLDS_ALL && server->options.settings.mode != TRI_PS_SYNC; /* ps:0 is new, we are not */
    if (!whole && !keeps)
        return tri_fail(TRI_BAD_DATA, "a restored before all of the stretch has come");
    server->holds = TRI_HOLDS_ALL;
    tri__server_go_back(server, message->view, message->step);
    tri__message_send(server->upstream->connection, message, false);
    tri__server_admit(server);
    return NULL;
}

tri_status tri__follower_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    size_t count = 0;
    bool ours = peer->role == TRI_PEER_COORDINATOR && server->stretch && tri__stretch_has(server->stretch, message->chunk);
    float *floats = ours && message->slot < 3 ? tri__stretch_floats(server->stretch, message->chunk, (int)message->slot, &count) : NULL;
    if (ours && message->type == TRI_MSG_RESTORE && tri__stretch_table(server->stretch, message->chunk)) {
        TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
        TRI_TRY(tri__peer_equip(peer));
        *body = peer->gradient;
        return NULL;
    }
    if (!floats || message->type != TRI_MSG_RESTORE || message->size != count * sizeof *floats)
        return tri_fail(TRI_BAD_DATA, "%u bytes for slot %u of chunk %u, which is none of ours", message->size, message->slot,
                        message->chunk);
    if (server->holds != TRI_HOLDS_PART || message->view != server->generation)
        begin_restoring(server, message->view);
    *body = floats;
    return NULL;
}

/* Rows of a table to begin from. */
static tri_status restore_rows(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
    if (!tri__stretch_has(server->stretch, message->chunk))
        return tri_fail(TRI_BAD_DATA, "rows of chunk %u, which is none of ours", message->chunk);
    if (server->holds != TRI_HOLDS_PART || message->view != server->generation)
        begin_restoring(server, message->view);
    tri__table_write(tri__stretch_table(server->stretch, message->chunk), message->position, 1,
                     tri__layout_piece_rows(&server->layout, message->chunk, message->position), (int)message->slot,
                     message->size ? peer->gradient : NULL);
    server->restore_left -= server->restore_left > 0;
    return NULL;
}

/* All of the rows, slot by slot. */
static tri_status copy_table(tri__server *server, int table)
{
    const tri__layout *layout = &server->layout;
    const int64_t rows = tri__layout_rows(layout, server->options.index, table), floats = rows * layout->tables.table[table].width;
    const tri_table *own = tri__stretch_table(server->stretch, tri__layout_table_chunk(layout, server->options.index, table));
    if (server->table_copy_slots[table] < server->snapshot_slots) {
        tri__buffer_free(server->table_copy[table]);
        server->table_copy[table] = NULL;
        TRI_TRY(tri__buffer_allocate((size_t)(floats + 1) * server->snapshot_slots * sizeof(float), "a copy of a table",
                                     &server->table_copy[table]));
        server->table_copy_slots[table] = server->snapshot_slots;
    }
    for (uint32_t slot = 0; slot < server->snapshot_slots; slot++)
        tri__table_read(own, 0, 1, rows, (int)slot, server->table_copy[table] + slot * floats);
    return NULL;
}

/* The copy, slot by slot, as it was when the stretch stood at the step. */
static tri_status copy_stretch(tri__server *server)
{
    tri_range range = tri__stretch_range(server->stretch);
    for (uint32_t slot = 0; slot < server->snapshot_slots; slot++) {
        if (!server->copy[slot])
            TRI_TRY(tri__buffer_allocate((range.count + 1) * sizeof(float), "a copy of the parameters", &server->copy[slot]));
        size_t at = 0, count;
        for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++, at += count) {
            const float *floats = tri__stretch_floats(server->stretch, tri__stretch_first(server->stretch) + i, (int)slot, &count);
            if (floats)
                memcpy(server->copy[slot] + at, floats, count * sizeof *floats);
        }
    }
    for (int table = 0; table < server->layout.tables.count; table++)
        TRI_TRY(copy_table(server, table));
    return NULL;
}

static void send_table(tri__server *server, int table, uint32_t slot, int64_t step)
{
    const tri__layout *layout = &server->layout;
    const uint32_t chunk = tri__layout_table_chunk(layout, server->options.index, table);
    const int64_t rows = tri__layout_rows(layout, server->options.index, table), width = layout->tables.table[table].width;
    const float *copy = server->table_copy[table] + slot * rows * width;
    for (int64_t first = 0; first < rows; first += tri__layout_piece(layout, table)) {
        const tri__message message = {
            .type = TRI_MSG_COPY, .chunk = chunk, .view = server->snapshot_number, .step = step, .position = first, .slot = slot};
        const size_t count = (size_t)(tri__layout_piece_rows(layout, chunk, first) * width);
        const bool zero = tri__all_zero(copy + first * width, count);
        tri__message_send_floats(server->upstream->connection, message, copy + first * width, zero ? 0 : count, true);
    }
}

static void send_copy(tri__server *server, int64_t step)
{
    tri__connection *connection = server->upstream->connection;
    const tri__message copied = {
        .type = TRI_MSG_COPIED, .view = server->snapshot_number, .step = step, .updates = tri__stretch_lowest(server->stretch)};
    tri__message_send(connection, &copied, false);
    for (uint32_t slot = 0; slot < server->snapshot_slots; slot++) {
        size_t at = 0, count;
        for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++, at += count) {
            uint32_t chunk = tri__stretch_first(server->stretch) + i;
            tri__stretch_floats(server->stretch, chunk, 0, &count);
            const tri__message message = {
                .type = TRI_MSG_COPY, .chunk = chunk, .view = server->snapshot_number, .step = step, .slot = slot};
            if (count > 0)
                tri__message_send_floats(connection, message, server->copy[slot] + at, count, false);
        }
        for (int table = 0; table < server->layout.tables.count; table++)
            send_table(server, table, slot, step);
    }
}

/* Sync: the copy is of the very step; async: of now, but that what ps:0 has of each gradient should be in it here, too. */
static void take_snapshot(tri__server *server)
{
    if (server->snapshot < 0 || !server->upstream)
        return;
    bool patient = server->options.settings.mode == TRI_PS_SYNC || tri__clock_now() < server->snapshot_until;
    if (patient && tri__stretch_lowest(server->stretch) < server->snapshot_updates)
        return;
    tri_status status = copy_stretch(server);
    if (status)
        tri__server_end(server, status);
    else
        send_copy(server, server->snapshot);
    server->snapshot = -1;
}

static tri_status begin_snapshot(tri__server *server, const tri__message *message)
{
    uint32_t slots = message->what;
    if (slots < 1 || slots > (uint32_t)tri__stretch_slots(server->stretch))
        return tri_fail(TRI_BAD_DATA, "a snapshot of %u slots, which this rule does not have", slots);
    server->snapshot = message->step;
    server->snapshot_updates = message->updates;
    server->snapshot_until = tri__clock_now() + LATE;
    server->snapshot_number = message->view;
    server->snapshot_slots = slots;
    take_snapshot(server);
    return NULL;
}

void tri__follower_stepped(tri__server *server)
{
    double squares;
    take_snapshot(server);
    if (server->holds != TRI_HOLDS_ALL || !server->upstream || !tri__stretch_gathered(server->stretch, &squares))
        return;
    const tri__message norm = {
        .type = TRI_MSG_NORM, .view = server->generation, .step = tri__stretch_lowest(server->stretch), .norm = squares};
    tri__message_send(server->upstream->connection, &norm, false);
}

void tri__follower_tick(tri__server *server)
{
    int64_t now = tri__clock_now();
    if (server->options.abandoned && __atomic_load_n(server->options.abandoned, __ATOMIC_ACQUIRE)) {
        tri__server_end(server, NULL);
        return;
    }
    if (tri__contact_is_due(&server->contact, now) && !server->done)
        connect_to_coordinator(server);
    take_snapshot(server);
    tri_status failure = tri__contact_check(&server->contact, server->upstream ? server->upstream->heard : 0, now);
    if (failure)
        tri__server_end(server, failure);
}

/* With clipping: ps:0 has the norm of all stretches. */
static tri_status scale(tri__server *server, double factor)
{
    double squares;
    if (!(factor >= 0) || factor > 1)
        return tri_fail(TRI_BAD_DATA, "a norm of which the factor is %g", factor);
    if (!tri__stretch_gathered(server->stretch, &squares))
        return NULL; /* told twice */
    tri__stretch_scale(server->stretch, factor);
    for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++)
        tri__server_answer_all(server, tri__stretch_first(server->stretch) + i);
    take_snapshot(server);
    return NULL;
}

static tri_status refused(const tri__server *server, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    return tri_fail(TRI_BAD_CALL, "ps:0 turned ps:%d away: %s", server->options.index, reason ? reason : "it gave no reason");
}

tri_status tri__follower_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    if (peer->role != TRI_PEER_COORDINATOR)
        return tri_fail(TRI_BAD_DATA, "a %s from a worker", tri__message_name(message->type));
    if (message->type == TRI_MSG_WELCOME)
        return take_welcome(server, body);
    if (message->type == TRI_MSG_REFUSED) {
        tri__server_end(server, refused(server, body));
        return NULL;
    }
    if (message->type == TRI_MSG_BYE) { /* workers may see us go before they hear it of ps:0 */
        tri__server_say_bye(server, json_string_value(json_object_get(body, "reason")));
        tri__server_end(server, NULL);
        return NULL;
    }
    if (!server->stretch)
        return tri_fail(TRI_BAD_DATA, "a %s before its welcome", tri__message_name(message->type));
    if (message->type == TRI_MSG_RESTORE && tri__stretch_has(server->stretch, message->chunk) &&
        tri__stretch_table(server->stretch, message->chunk))
        return restore_rows(peer, message);
    if (message->type == TRI_MSG_RESTORE && message->size) { /* read into its place */
        server->restore_left -= server->restore_left > 0;
        return NULL;
    }
    if (message->type == TRI_MSG_RESTORED)
        return end_restoring(server, message);
    if (message->type == TRI_MSG_TWIN || message->type == TRI_MSG_LONE || message->type == TRI_MSG_PROMOTE)
        return tri__replica_told(server, message, body);
    if (server->holds != TRI_HOLDS_ALL && !tri__replica_is_twin(server))
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
        return begin_snapshot(server, message);
    case TRI_MSG_NORM:
        return scale(server, message->norm);
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from ps:0", tri__message_name(message->type));
    }
}
