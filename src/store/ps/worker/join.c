/* join.c: asks one question, takes one answer, and closes the connection. Then the worker connects like any other. */
#include "store/ps/worker/join.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/protocol/message.h"

#define RETRY INT64_C(50000000)

typedef struct {
    const tri__ps_join_options *options;
    tri__loop *loop;
    tri__connection *connection; /* NULL: none */
    tri__message message;
    char *text;
    json_t *answer;
    tri_status failure;
} joiner;

static void on_open(void *context, tri__connection *connection)
{
    (void)context;
    tri__message_send_json(connection, TRI_MSG_HELLO, json_pack("{s:i, s:s, s:i}", "protocol", TRI_PROTOCOL, "role", "join", "task", 0));
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    joiner *j = context;
    (void)connection;
    TRI_TRY(tri__message_decode(frame, &j->message));
    if (j->message.type != TRI_MSG_WELCOME && j->message.type != TRI_MSG_REFUSED)
        return tri_fail(TRI_BAD_DATA, "a %s to who asked to join", tri__message_name(j->message.type));
    free(j->text);
    j->text = NULL;
    TRI_TRY(tri__allocate((size_t)j->message.size + 1, 1, "a message", &j->text));
    *body = j->text;
    return NULL;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    joiner *j = context;
    (void)connection;
    if (!frame->size || j->answer)
        return tri_fail(TRI_BAD_DATA, "an answer without words, or a second one");
    TRI_TRY(tri__message_json(&j->message, body, &j->answer));
    const char *reason = json_string_value(json_object_get(j->answer, "reason"));
    if (j->message.type == TRI_MSG_REFUSED)
        j->failure = tri_fail(TRI_BAD_CALL, "ps:0 turned this worker away: %s", reason ? reason : "it gave no reason");
    return NULL;
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    joiner *j = context;
    (void)connection;
    if (tri_status_code(why) == TRI_BAD_DATA && !j->failure)
        j->failure = tri_wrap(why, "ps:0"), why = NULL;
    tri_status_free(why); /* ask() tries again until the deadline */
    j->connection = NULL;
}

static const tri__connection_handlers handlers = {.open = on_open, .begin = on_begin, .frame = on_frame, .closed = on_closed};

static tri_status ask(joiner *j)
{
    const tri__ps_join_options *options = j->options;
    const tri__connection_options connection = {.handlers = &handlers, .context = j, .tls = options->tls, .timeout = options->timeout};
    int64_t deadline = tri__clock_now() + options->timeout, next = 0;
    while (!j->answer && !j->failure) {
        int64_t now = tri__clock_now();
        if (now > deadline)
            return tri_fail(TRI_TIMEOUT, "--join: ps:0 at %s:%u does not answer within %.0f s (--timeout): does the job run there?",
                            options->coordinator->host, options->coordinator->port, tri__clock_seconds(options->timeout));
        if (!j->connection && now >= next) {
            next = now + RETRY;
            tri_status_free(tri__connection_open(j->loop, options->coordinator, &connection, &j->connection));
        }
        tri__loop_turn(j->loop, now + RETRY);
    }
    tri_status failure = j->failure;
    j->failure = NULL;
    return failure;
}

tri_status tri__ps_join(const tri__ps_join_options *options, json_t **out)
{
    joiner j = {.options = options};
    TRI_TRY(tri__loop_create(&j.loop));
    tri_status status = ask(&j);
    if (j.connection)
        tri__connection_close(j.connection);
    while (j.connection)
        tri__loop_turn(j.loop, tri__clock_now() + RETRY);
    tri__loop_destroy(j.loop);
    tri_status_free(j.failure);
    free(j.text);
    if (status)
        json_decref(j.answer);
    else
        *out = j.answer;
    return status;
}
