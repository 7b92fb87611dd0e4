/* message.c: converts heads to words and back. Word 0: chunk, and the union with view; 1: step; 2: the union with serial; 3: the unions
 * with rate and weight. */
#include "store/ps/protocol/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/random.h"
#include "base/thread/clock.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/protocol/layout.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "floats travel as they stand in memory, which must be little-endian");

typedef enum { JOBS_ALL, JOBS_SYNC, JOBS_WITH_BACKUP, JOBS_NOT_SYNC, JOBS_WITH_REPLICAS } jobs;

static const struct {
    const char *name;
    uint32_t most; /* the most bytes of a body */
    jobs in;       /* the jobs that have such messages */
} types[TRI_MSG_TYPES] = {
    [TRI_MSG_HELLO] = {"hello", TRI_JSON_MOST, JOBS_ALL},
    [TRI_MSG_WELCOME] = {"welcome", TRI_ANSWER_MOST, JOBS_ALL},
    [TRI_MSG_REFUSED] = {"refused", 4096, JOBS_ALL},
    [TRI_MSG_PULL] = {"pull", 0, JOBS_ALL},
    [TRI_MSG_PUSH] = {"push", TRI_CHUNK_BYTES, JOBS_ALL},
    [TRI_MSG_CHUNK] = {"chunk", TRI_CHUNK_BYTES, JOBS_ALL},
    [TRI_MSG_READY] = {"ready", 0, JOBS_ALL},
    [TRI_MSG_TOKEN] = {"token", 0, JOBS_ALL},
    [TRI_MSG_VIEW] = {"view", TRI_JSON_MOST, JOBS_SYNC},
    [TRI_MSG_SEEN] = {"seen", 0, JOBS_SYNC},
    [TRI_MSG_LEFT] = {"left", 0, JOBS_SYNC},
    [TRI_MSG_CHOSEN] = {"chosen", TRI_JSON_MOST, JOBS_WITH_BACKUP},
    [TRI_MSG_RESTORE] = {"restore", TRI_CHUNK_BYTES, JOBS_ALL},
    [TRI_MSG_RESTORED] = {"restored", 0, JOBS_ALL},
    [TRI_MSG_SNAPSHOT] = {"snapshot", 0, JOBS_ALL},
    [TRI_MSG_COPIED] = {"copied", 0, JOBS_ALL},
    [TRI_MSG_COPY] = {"copy", TRI_CHUNK_BYTES, JOBS_ALL},
    [TRI_MSG_EVALUATE] = {"evaluate", 0, JOBS_ALL},
    [TRI_MSG_EVALUATED] = {"evaluated", TRI_ANSWER_MOST, JOBS_ALL},
    [TRI_MSG_NORM] = {"norm", 0, JOBS_SYNC},
    [TRI_MSG_STOP] = {"stop", 0, JOBS_ALL},
    [TRI_MSG_REPORT] = {"report", TRI_JSON_MOST, JOBS_ALL},
    [TRI_MSG_BEAT] = {"beat", 0, JOBS_ALL},
    [TRI_MSG_BYE] = {"bye", TRI_ANSWER_MOST, JOBS_ALL},
    [TRI_MSG_PULL_ROWS] = {"pull_rows", TRI_KEYED_MOST, JOBS_ALL},
    [TRI_MSG_ROWS] = {"rows", TRI_KEYED_DENSE_MOST, JOBS_ALL},
    [TRI_MSG_PUSH_ROWS] = {"push_rows", TRI_KEYED_DENSE_MOST, JOBS_ALL},
    [TRI_MSG_PAIR] = {"pair", TRI_ANSWER_MOST, JOBS_WITH_REPLICAS},
    [TRI_MSG_FILLED] = {"filled", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_LONE] = {"lone", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_PROMOTE] = {"promote", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_PRIMARY] = {"primary", TRI_ANSWER_MOST, JOBS_ALL},
    [TRI_MSG_UPDATE] = {"update", TRI_CHUNK_BYTES, JOBS_WITH_REPLICAS},
    [TRI_MSG_UPDATE_ROWS] = {"update_rows", TRI_KEYED_DENSE_MOST, JOBS_WITH_REPLICAS},
    [TRI_MSG_STATE] = {"state", TRI_JSON_MOST, JOBS_WITH_REPLICAS},
    [TRI_MSG_HAVE] = {"have", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_MET] = {"met", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_NAMED] = {"named", TRI_KEYED_MOST, JOBS_ALL},
    [TRI_MSG_KNOWN] = {"known", 0, JOBS_WITH_REPLICAS},
    [TRI_MSG_PUSHED] = {"pushed", TRI_JSON_MOST, JOBS_NOT_SYNC},
    [TRI_MSG_KEYS] = {"keys", TRI_CHUNK_BYTES, JOBS_ALL},
};

const char *tri__message_name(uint32_t type)
{
    return type < TRI_MSG_TYPES && types[type].name ? types[type].name : "unknown";
}

int64_t tri__incarnation(void)
{
    tri__key key = tri__key_split(tri__key_of((uint64_t)tri__clock_now()), (uint64_t)getpid());
    return (int64_t)(tri__key_split(key, (uint64_t)(tri__clock_wall() * 1e6)).word >> 1 | 1u);
}

tri__frame tri__message_encode(const tri__message *message)
{
    tri__frame frame = {.type = message->type, .size = message->size};
    frame.word[0] = message->chunk | (uint64_t)message->view << 32;
    frame.word[1] = (uint64_t)message->step;
    frame.word[2] = message->incarnation;
    frame.word[3] = message->index | (uint64_t)message->workers << 32;
    return frame;
}

tri_status tri__message_decode(const tri__frame *frame, tri__message *out)
{
    if (frame->type >= TRI_MSG_TYPES || !types[frame->type].name)
        return tri_fail(TRI_BAD_DATA, "a message of unknown type %u", frame->type);
    if (frame->size > types[frame->type].most)
        return tri_fail(TRI_BAD_DATA, "a %s of %u bytes, where %u are the most", types[frame->type].name, frame->size,
                        types[frame->type].most);
    if (frame->word[1] > TRI_FURTHEST)
        return tri_fail(TRI_BAD_DATA, "a %s for step %" PRIu64 ", to which no job comes", types[frame->type].name, frame->word[1]);
    *out = (tri__message){
        .type = (tri__message_type)frame->type,
        .size = frame->size,
        .chunk = (uint32_t)frame->word[0],
        .view = (uint32_t)(frame->word[0] >> 32),
        .step = (int64_t)frame->word[1],
        .incarnation = frame->word[2],
        .index = (uint32_t)frame->word[3],
        .workers = (uint32_t)(frame->word[3] >> 32),
    };
    return NULL;
}

static bool is_of(jobs which, const tri__ps_settings *settings)
{
    switch (which) {
    case JOBS_ALL:
        return true;
    case JOBS_SYNC:
        return settings->mode == TRI_PS_SYNC;
    case JOBS_WITH_BACKUP:
        return settings->mode == TRI_PS_SYNC && settings->backup > 0;
    case JOBS_NOT_SYNC:
        return settings->mode != TRI_PS_SYNC;
    case JOBS_WITH_REPLICAS:
        return settings->replicas == 2;
    }
    return false;
}

tri_status tri__message_check_job(tri__message_type type, const tri__ps_settings *settings)
{
    char words[TRI_PS_WORDS];
    if (is_of(types[type].in, settings))
        return NULL;
    tri__ps_settings_words(settings, words);
    return tri_fail(TRI_BAD_DATA, "a %s, which a job with %s does not have", types[type].name, words);
}

void tri__message_send(tri__connection *connection, const tri__message *message, bool more)
{
    tri__frame frame = tri__message_encode(message);
    frame.size = 0;
    tri__connection_send(connection, &frame, NULL, more);
}

void tri__message_send_floats(tri__connection *connection, tri__message message, const float *floats, size_t count, bool more)
{
    message.size = (uint32_t)(count * sizeof *floats);
    tri__frame frame = tri__message_encode(&message);
    tri__connection_send(connection, &frame, floats, more);
}

void tri__message_copy_floats(tri__connection *connection, tri__message message, const float *floats, size_t count)
{
    message.size = (uint32_t)(count * sizeof *floats);
    tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(connection, &frame, floats, false);
}

void tri__message_send_json(tri__connection *connection, tri__message_type type, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    tri__message message = {.type = type, .size = text ? (uint32_t)strlen(text) : 0};
    tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(connection, &frame, text, false);
    free(text);
}

tri_status tri__message_json(const tri__message *message, const void *body, json_t **out)
{
    TRI_TRY(tri__json_parse(tri__message_name(message->type), body ? body : "", message->size, out));
    if (json_is_object(*out))
        return NULL;
    json_decref(*out);
    *out = NULL;
    return tri_fail(TRI_BAD_DATA, "a %s that is not an object", tri__message_name(message->type));
}
