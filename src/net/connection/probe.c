/* probe.c: sends bytes for a second each way; those of the first moments do not count. The sender keeps a little more ready than the kernel
 * takes. Bytes that are under way when the time is over still count, because the receiver stops its clock when END arrives. */
#include "net/connection/probe.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/connection/connection.h"
#include "net/connection/listener.h"

enum { PING = 1, PONG, DATA, END, COUNTED, SEND };
enum { TRIPS = 40, CHUNK = 256 << 10, AHEAD = 4 * CHUNK, AT_ONCE = 16, ASKERS = 4 };
#define TURN    (50 * TRI_MILLISECOND)  /* time after which a signal is noticed */
#define WARM_UP (200 * TRI_MILLISECOND) /* time in which TCP finds out how much the link takes, and may lose some */

typedef enum { CONNECTING, PINGING, SENDING, RECEIVING, DONE } asker_state; /* as probe.h draws them; the answering side has no states */

/* Bytes that have come since a moment. */
typedef struct {
    int64_t since; /* when the first DATA came; 0: none has */
    int64_t bytes; /* that came after that DATA */
} arrival;

/* One end of a probe. */
typedef struct end {
    tri__connection *connection;
    asker_state state;
    bool sends;            /* it sends DATA, until the time is over */
    int64_t until;         /* when the time is over */
    arrival all, steady;   /* DATA since the first one came, and since TCP has had time to find the link's rate */
    int64_t pinged, heard; /* when the last PING left, and when anything came */
    int64_t trip[TRIPS];   /* nanoseconds */
    int trips;
    int64_t duration;
    double sent, received; /* bytes a second */
    bool closed;
    tri_status why;
    struct end *next;       /* in the list of an answerer */
    struct answerer *owner; /* NULL: this is the asking side */
    char scratch[CHUNK];
} end;

typedef struct answerer {
    end *first;
} answerer;

static void say(end *self, uint32_t type, uint64_t word, uint64_t other)
{
    const tri__frame frame = {.type = type, .word = {word, other}};
    tri__connection_send(self->connection, &frame, NULL, false);
}

static void ping(end *self)
{
    self->pinged = tri__clock_now();
    say(self, PING, 0, 0);
}

static void start_sending(end *self, int64_t duration)
{
    self->sends = true;
    self->until = tri__clock_now() + duration;
}

/* As much as the kernel takes at once, up to a bound, so that others have their turn. */
static void send_more(end *self)
{
    static const char zeros[CHUNK];
    const tri__frame frame = {.type = DATA, .size = CHUNK};
    for (int i = 0; i < AT_ONCE && tri__connection_unsent(self->connection) < AHEAD && tri__clock_now() < self->until; i++)
        tri__connection_send(self->connection, &frame, zeros, false);
    if (tri__clock_now() < self->until)
        return;
    self->sends = false;
    say(self, END, 0, 0);
}

static void add(arrival *to, uint32_t size, int64_t now)
{
    if (to->since)
        to->bytes += size;
    else
        to->since = now;
}

static void count(end *self, uint32_t size)
{
    const int64_t now = tri__clock_now();
    add(&self->all, size, now);
    if (now - self->all.since >= WARM_UP)
        add(&self->steady, size, now);
}

/* The bytes that count: those of the steady state or, where the time was too short or the link too slow for one, all of them. */
static arrival settled(const end *self, int64_t now)
{
    return self->steady.bytes > 0 && now - self->steady.since >= WARM_UP ? self->steady : self->all;
}

static double rate(int64_t bytes, int64_t nanoseconds)
{
    return nanoseconds > 0 ? (double)bytes / tri__clock_seconds(nanoseconds) : 0;
}

/* ---- the asking side ---- */

static tri_status hear_answer(end *self, const tri__frame *frame)
{
    if (frame->type == PONG && self->state == PINGING) {
        self->trip[self->trips++] = tri__clock_now() - self->pinged;
        if (self->trips < TRIPS) {
            ping(self);
        } else {
            self->state = SENDING;
            start_sending(self, self->duration);
        }
    } else if (frame->type == COUNTED && self->state == SENDING) {
        self->sent = rate((int64_t)frame->word[0], (int64_t)frame->word[1]);
        self->state = RECEIVING;
        say(self, SEND, (uint64_t)self->duration, 0);
    } else if (frame->type == END && self->state == RECEIVING) {
        const int64_t now = tri__clock_now();
        const arrival what = settled(self, now);
        self->received = rate(what.bytes, now - what.since);
        self->state = DONE;
    } else if (frame->type == DATA && self->state == RECEIVING) {
        count(self, frame->size);
    } else {
        return tri_fail(TRI_BAD_DATA, "a message %u that was not asked for (is it trireme watch --answer?)", frame->type);
    }
    return NULL;
}

/* ---- the answering side ---- */

static tri_status hear_question(end *self, const tri__frame *frame)
{
    const int64_t duration = (int64_t)frame->word[0];
    if (frame->type == PING) {
        say(self, PONG, 0, 0);
    } else if (frame->type == DATA) {
        count(self, frame->size);
    } else if (frame->type == END && self->all.since) {
        const int64_t now = tri__clock_now();
        const arrival what = settled(self, now);
        say(self, COUNTED, (uint64_t)what.bytes, (uint64_t)(now - what.since));
        self->all = self->steady = (arrival){0};
    } else if (frame->type == SEND && !self->sends && duration > 0 && duration <= TRI_PROBE_LONGEST) {
        start_sending(self, duration);
    } else {
        return tri_fail(TRI_BAD_DATA, "a message %u that makes no sense here", frame->type);
    }
    return NULL;
}

/* ---- both ---- */

static void on_open(void *context, tri__connection *connection)
{
    end *self = context;
    (void)connection;
    self->heard = tri__clock_now();
    if (self->owner)
        return;
    self->state = PINGING;
    ping(self);
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    end *self = context;
    (void)connection;
    if (frame->type != DATA || frame->size > CHUNK)
        return tri_fail(TRI_BAD_DATA, "a message %u of %u bytes, which no probe sends", frame->type, frame->size);
    *body = self->scratch;
    return NULL;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    end *self = context;
    (void)body;
    self->heard = tri__clock_now();
    if (!self->owner)
        return hear_answer(self, frame);
    tri__connection_greeted(connection);
    return hear_question(self, frame);
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    end *self = context;
    (void)connection;
    self->closed = true;
    self->connection = NULL;
    self->why = why;
}

/* The kernel has taken everything, and there is more to send. Because this handler exists, the turn of the loop ends now; otherwise it
 * would sleep until its deadline. */
static void on_drained(void *context, tri__connection *connection)
{
    (void)context, (void)connection;
}

static const tri__connection_handlers handlers = {
    .open = on_open, .begin = on_begin, .frame = on_frame, .drained = on_drained, .closed = on_closed};

static bool is_stopped(const tri__probe_options *options)
{
    return options->stop && __atomic_load_n(options->stop, __ATOMIC_RELAXED);
}

static int compare_trips(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void fill_in(end *self, tri__probe_result *out)
{
    qsort(self->trip, TRIPS, sizeof *self->trip, compare_trips);
    *out = (tri__probe_result){.least_trip = tri__clock_seconds(self->trip[0]),
                               .median_trip = tri__clock_seconds(self->trip[TRIPS / 2]),
                               .sent = self->sent,
                               .received = self->received};
}

/* Run the loop until the last answer, or the end of the connection. */
static tri_status converse(tri__loop *loop, end *self, const tri__probe_options *options)
{
    while (self->state != DONE && !self->closed && !is_stopped(options)) {
        if (self->sends)
            send_more(self);
        const bool full = self->sends && tri__connection_unsent(self->connection) >= AHEAD;
        tri__loop_turn(loop, self->sends && !full ? 0 : tri__clock_now() + TURN);
        if (!self->closed && !self->sends && self->heard && tri__clock_now() - self->heard > options->timeout + self->duration)
            return tri_fail(TRI_TIMEOUT, "the other side is silent");
    }
    if (self->closed && self->state != DONE) {
        tri_status why = self->why;
        self->why = NULL;
        return why ? why : tri_fail(TRI_IO, "the other side has closed the connection (does it show the same --key?)");
    }
    return self->state == DONE ? NULL : tri_fail(TRI_STOPPED, "stopped");
}

static void part(tri__loop *loop, end *self)
{
    if (!self->closed)
        tri__connection_close(self->connection);
    while (!self->closed)
        tri__loop_turn(loop, tri__clock_now() + TURN);
    tri_status_free(self->why);
}

tri_status tri__probe_ask(const tri__address *address, const tri__probe_options *options, tri__probe_result *out)
{
    end *self;
    tri__loop *loop = NULL;
    TRI_TRY(tri__allocate(1, sizeof *self, "a probe", &self));
    self->duration = options->duration;
    const tri__connection_options connection = {.handlers = &handlers, .context = self, .tls = options->tls, .timeout = options->timeout};
    tri_status status = tri__loop_create(&loop);
    if (!status)
        status = tri__connection_open(loop, address, &connection, &self->connection);
    if (!status) {
        status = converse(loop, self, options);
        part(loop, self);
    }
    if (!status)
        fill_in(self, out);
    tri__loop_destroy(loop);
    free(self);
    return tri_wrap(status, "%s:%u", address->host, (unsigned)address->port);
}

static void *on_accepted(void *context, tri__connection *connection)
{
    answerer *self = context;
    end *one;
    tri_status status = tri__allocate(1, sizeof *one, "an answer to a probe", &one);
    if (status) {
        tri_status_free(status);
        return NULL;
    }
    one->connection = connection;
    one->owner = self;
    one->next = self->first;
    self->first = one;
    return one;
}

/* Send on all connections that are to send, and forget those that have ended. Returns whether one could go on at once. */
static bool serve(answerer *self)
{
    bool eager = false;
    for (end **at = &self->first; *at;) {
        end *one = *at;
        if (one->closed) {
            *at = one->next;
            tri_status_free(one->why);
            free(one);
            continue;
        }
        if (one->sends)
            send_more(one);
        eager = eager || (one->sends && tri__connection_unsent(one->connection) < AHEAD);
        at = &one->next;
    }
    return eager;
}

tri_status tri__probe_answer(int fd, const tri__probe_options *options)
{
    answerer self = {0};
    tri__loop *loop = NULL;
    tri__listener *listener = NULL;
    const tri__listener_options listening = {
        .connection = {.handlers = &handlers, .context = &self, .tls = options->tls, .timeout = options->timeout},
        .accepted = on_accepted,
        .most = ASKERS,
        .awaits_hello = true,
    };
    tri_status status = tri__loop_create(&loop);
    if (!status)
        status = tri__listener_create(loop, fd, &listening, &listener);
    if (status)
        close(fd);
    while (!status && !is_stopped(options))
        tri__loop_turn(loop, serve(&self) ? 0 : tri__clock_now() + TURN);
    tri__listener_destroy(listener);
    for (end *one = self.first; one; one = one->next)
        part(loop, one);
    while (self.first) {
        end *one = self.first;
        self.first = one->next;
        free(one);
    }
    tri__loop_destroy(loop);
    return status;
}
