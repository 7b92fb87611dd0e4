/* evaluator.c: one connection, one snapshot at a time. While a snapshot is evaluated, another thread sends heartbeats to ps:0. */
#include "store/ps/worker/evaluator.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/protocol/contact.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/ps/worker/heartbeat.h"

#define TURN INT64_C(50000000) /* nanoseconds of a turn of the loop, at the most */

typedef struct {
    const tri__ps_evaluator_options *options;
    tri__layout layout;
    tri__loop *loop;
    tri__heartbeat heartbeat;
    tri__timer *tick;
    int64_t beaten;       /* when the last heartbeat was sent */
    tri__contact contact; /* with ps:0 */
    int64_t incarnation;
    tri__message message;
    char *text;
    uint32_t next; /* the chunk of the snapshot that comes next: they come in order */
    int64_t rows;  /* how many pieces of tables are still to come, after the chunks */
    bool pulling;
    int64_t step;    /* of the snapshot */
    bool whole;      /* all of the snapshot is here, and it is to be evaluated */
    bool evaluating; /* the snapshot is here, and its evaluation has not ended */
    int64_t asked;   /* the step of a snapshot to pull after this evaluation; −1: none */
    bool done;
    tri_status failure;
} evaluator;

static void finish(evaluator *e, tri_status why)
{
    if (e->failure)
        tri_status_free(why);
    else
        e->failure = why;
    e->done = true;
}

static void on_open(void *context, tri__connection *connection)
{
    const evaluator *e = context;
    tri__message_send_json(connection, TRI_MSG_HELLO,
                           json_pack("{s:i, s:s, s:i, s:I, s:b}", "protocol", TRI_PROTOCOL, "role", "evaluator", "task", 0, "incarnation",
                                     (json_int_t)e->incarnation, "none", e->options->none));
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    evaluator *e = context;
    (void)connection;
    TRI_TRY(tri__message_decode(frame, &e->message));
    TRI_TRY(tri__contact_expects(&e->contact, e->message.type));
    if (e->message.type != TRI_MSG_CHUNK) {
        free(e->text);
        e->text = NULL;
        TRI_TRY(tri__allocate((size_t)e->message.size + 1, 1, "a message", &e->text));
        *body = e->text;
        return NULL;
    }
    uint32_t chunk = e->message.chunk;
    if (!e->pulling || chunk != e->next || chunk >= tri__layout_chunks(&e->layout) ||
        e->message.size != tri__layout_chunk(&e->layout, chunk).count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "ps:0 sends chunk %u, which was not asked for", chunk);
    *body = tri_store_parameters(e->options->store) + tri__layout_chunk(&e->layout, chunk).first;
    return NULL;
}

/* Skips chunks that are rows of tables: of tables, the evaluator pulls only the rows that the examples name. */
static void skip_tables(evaluator *e)
{
    while (e->next < tri__layout_chunks(&e->layout) && tri__layout_table(&e->layout, e->next) >= 0)
        e->next++;
}

/* Piece `number` of the keys, for a table. */
static tri__row_list piece_of(const evaluator *e, int table, int64_t number)
{
    const int64_t piece = tri__layout_piece(&e->layout, table), first = number * piece, left = e->options->key_count - first;
    return (tri__row_list){.rows = (int32_t *)(uintptr_t)(e->options->keys + first), .count = left < piece ? left : piece};
}

static int64_t pieces_of(const evaluator *e, int table)
{
    const int64_t piece = tri__layout_piece(&e->layout, table);
    return (e->options->key_count + piece - 1) / piece;
}

static tri_status pull_rows(evaluator *e, int table, int64_t number)
{
    tri__row_list list = piece_of(e, table, number);
    uint8_t *body;
    TRI_TRY(tri__allocate(TRI_KEYED_HEAD + (size_t)list.count * TRI_KEYED_ROW_MOST, 1, "a list of rows", &body));
    tri__row_list_sign(&list);
    const size_t size = tri__keyed_list_write(&list, body);
    const tri__message message = {.type = TRI_MSG_PULL_ROWS, .size = (uint32_t)size, .chunk = (uint32_t)table, .number = (uint32_t)number};
    const tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(e->contact.connection, &frame, body, false);
    free(body);
    return NULL;
}

static void look_whether_whole(evaluator *e)
{
    if (e->next < tri__layout_chunks(&e->layout) || e->rows > 0)
        return;
    e->pulling = false;
    e->whole = e->evaluating = true;
}

static tri_status pull(evaluator *e, int64_t step)
{
    uint32_t chunks = tri__layout_chunks(&e->layout);
    e->step = step;
    e->next = 0;
    e->rows = 0;
    e->pulling = true;
    e->asked = -1;
    for (uint32_t i = 0; i < chunks; i++)
        if (tri__layout_table(&e->layout, i) < 0)
            tri__message_send(e->contact.connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, i + 1 < chunks);
    for (int table = 0; table < e->layout.tables.count; table++)
        for (int64_t i = 0; i < pieces_of(e, table); i++, e->rows++)
            TRI_TRY(pull_rows(e, table, i));
    skip_tables(e);
    look_whether_whole(e);
    return NULL;
}

static tri_status take_rows(evaluator *e)
{
    const tri__message *message = &e->message;
    const bool known =
        e->rows > 0 && message->chunk < (uint32_t)e->layout.tables.count && message->number < (uint64_t)pieces_of(e, (int)message->chunk);
    if (!known)
        return tri_fail(TRI_BAD_DATA, "ps:0 sends rows that were not asked for");
    const tri_table *table = tri_store_table(e->options->store, (int)message->chunk);
    const tri__row_list list = piece_of(e, (int)message->chunk, message->number);
    if (message->size != tri__values_bytes(list.count * table->width, false))
        return tri_fail(TRI_BAD_DATA, "ps:0 sends %u bytes for %lld rows", message->size, (long long)list.count);
    for (int64_t i = 0; i < list.count; i++)
        memcpy(table->data + list.rows[i] * table->stride, e->text + (size_t)(i * table->width) * sizeof(float),
               (size_t)table->width * sizeof(float));
    e->rows--;
    look_whether_whole(e);
    return NULL;
}

static void say(evaluator *e, tri__message_type type, json_t *value)
{
    if (e->contact.welcome)
        tri__message_send_json(e->contact.connection, type, value);
    else
        json_decref(value); /* ps:0 asks again when it is back */
}

/* If the evaluation fails, it would fail again in another process. So the evaluator tells ps:0 why, and ps:0 need not wait. */
static tri_status evaluate(evaluator *e)
{
    json_t *result;
    int64_t step = e->step;
    e->whole = false;
    tri__heartbeat_lend(&e->heartbeat);
    tri_status status = e->options->evaluate(e->options->context, step, &result);
    tri__heartbeat_hold(&e->heartbeat);
    if (status) {
        say(e, TRI_MSG_BYE, json_pack("{s:s}", "reason", tri_status_message(status)));
        return status;
    }
    json_object_set_new(result, "step", json_integer(step));
    e->evaluating = false;
    if (e->asked >= 0) { /* ps:0 wants another snapshot now */
        json_decref(result);
        TRI_TRY(pull(e, e->asked));
    } else {
        say(e, TRI_MSG_EVALUATED, result);
    }
    return NULL;
}

static tri_status take(evaluator *e, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    switch (e->message.type) {
    case TRI_MSG_WELCOME:
        tri__contact_welcomed(&e->contact);
        return NULL;
    case TRI_MSG_EVALUATE: /* a new ps:0 may send it while a snapshot of the old one is evaluated */
        if (!e->evaluating)
            return pull(e, e->message.step);
        e->asked = e->message.step;
        return NULL;
    case TRI_MSG_CHUNK:
        e->next++;
        skip_tables(e);
        look_whether_whole(e);
        return NULL;
    case TRI_MSG_ROWS:
        return take_rows(e);
    case TRI_MSG_BYE:
        finish(e, reason ? tri_fail(TRI_STOPPED, "ps:0 ended the job: %s", reason) : NULL);
        return NULL;
    case TRI_MSG_REFUSED:
        finish(e, tri_fail(TRI_BAD_CALL, "ps:0 turned the evaluator away: %s", reason ? reason : ""));
        return NULL;
    case TRI_MSG_BEAT:
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s, which is not for the evaluator", tri__message_name(e->message.type));
    }
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    evaluator *e = context;
    (void)connection;
    tri__contact_heard(&e->contact);
    if (frame->size == 0)
        TRI_TRY(tri__message_decode(frame, &e->message));
    TRI_TRY(tri__contact_expects(&e->contact, e->message.type));
    if (e->message.type == TRI_MSG_CHUNK && !frame->size)
        return tri_fail(TRI_BAD_DATA, "ps:0 sends a chunk without parameters");
    json_t *json = NULL;
    if (body && body == e->text && e->message.type != TRI_MSG_ROWS)
        TRI_TRY(tri__message_json(&e->message, body, &json));
    tri_status status = take(e, json);
    json_decref(json);
    return status;
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    evaluator *e = context;
    (void)connection;
    e->pulling = false;
    e->rows = 0;
    e->asked = -1;
    tri_status failure = tri__contact_closed(&e->contact, why, e->done);
    if (failure)
        finish(e, failure);
}

static const tri__connection_handlers handlers = {.open = on_open, .begin = on_begin, .frame = on_frame, .closed = on_closed};

static void on_tick(void *context)
{
    evaluator *e = context;
    int64_t now = tri__clock_now();
    if (now - e->beaten < e->options->settings.heartbeat || !e->contact.welcome || tri__connection_unsent(e->contact.connection) > 0)
        return;
    e->beaten = now;
    tri__message_send(e->contact.connection, &(tri__message){.type = TRI_MSG_BEAT}, false);
}

/* If a turn took much longer than planned, the evaluator evaluated or was stopped. */
static tri_status serve(evaluator *e)
{
    int64_t now = tri__clock_now(), since = now;
    while (!e->done) {
        if (tri__contact_is_due(&e->contact, now))
            tri__contact_open(&e->contact, e->loop, &handlers, e, e->options->tls);
        TRI_TRY(tri__contact_check(&e->contact, since, now));
        int64_t next = now + TURN;
        tri__loop_turn(e->loop, next);
        if (e->whole)
            TRI_TRY(evaluate(e));
        now = tri__clock_now();
        if (now - next > e->options->settings.heartbeat) {
            tri__contact_excuse(&e->contact, now - next, now);
            since += now - next;
        }
    }
    tri_status failure = e->failure;
    e->failure = NULL;
    return failure;
}

tri_status tri__ps_evaluator_run(const tri__ps_evaluator_options *options)
{
    evaluator e = {.options = options, .incarnation = tri__incarnation(), .asked = -1};
    tri__table_shapes tables = {.count = tri_store_tables(options->store)};
    for (int i = 0; i < tables.count; i++) {
        const tri_table *table = tri_store_table(options->store, i);
        tables.table[i] = (tri__table_shape){table->rows, table->width};
    }
    TRI_TRY(tri__layout_init(&e.layout, tri_store_floats(options->store), &tables, options->settings.servers));
    TRI_TRY(tri__loop_create(&e.loop));
    tri__loop_count_traffic(e.loop, options->traffic);
    tri__contact_init(&e.contact, 0, options->coordinator, &options->settings, options->log);
    tri_status status = tri__timer_create(e.loop, on_tick, &e, &e.tick);
    if (!status) {
        tri__timer_start(e.tick, TURN, TURN);
        tri__heartbeat_init(&e.heartbeat, e.loop, options->settings.heartbeat);
        status = serve(&e);
        tri__heartbeat_fini(&e.heartbeat);
    }
    e.done = true;
    if (e.contact.connection)
        tri__connection_close(e.contact.connection);
    while (e.contact.connection)
        tri__loop_turn(e.loop, tri__clock_now() + TURN);
    tri_status_free(e.failure);
    free(e.text);
    tri__timer_destroy(e.tick);
    tri__loop_destroy(e.loop);
    return status;
}
