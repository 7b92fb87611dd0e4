/* mailbox.c: a value that is sent is copied, and the copy is kept, with its request, until MPI has given it to the other rank. A value that
 * is too large for one message goes in several, one after another. */
#include "net/mpi/mailbox.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory/memory.h"

#define MOST_BYTES ((size_t)1 << 30) /* of a message */
#define NAP        50000             /* nanoseconds */

enum { YIELDS = 200 }; /* before the first nap: a value that is on its way already comes sooner than a nap ends */

/* A message on its way to another rank. */
typedef struct {
    void *copy; /* of the value, to be freed; where a value goes in several messages, the last one has it, and the others have NULL */
    size_t bytes;
    int64_t expected; /* the moment from which on the other rank expects the value */
} sent_message;

/* A message that this rank expects. */
typedef struct {
    int from, number;
    size_t bytes;
    MPI_Request request;
} expected_message;

struct tri__mailbox {
    const tri__mpi *mpi;
    tri__peer_traffic *const *peers; /* by rank */
    size_t window, under_way;
    MPI_Request *request;  /* [count] of the messages that are under way */
    sent_message *message; /* [count] the messages that are under way */
    int *finished;         /* [room] */
    int count;
    int64_t room;
    expected_message *expected; /* [expecteds] in the order in which they were expected */
    int expecteds;
    int64_t expected_room;
    int64_t sent;
};

tri_status tri__mailbox_create(const tri__mpi *mpi, size_t window, tri__peer_traffic *const *peers, tri__mailbox **out)
{
    TRI_TRY(tri__allocate(1, sizeof **out, "a mailbox", out));
    (*out)->mpi = mpi;
    (*out)->peers = peers;
    (*out)->window = window;
    return NULL;
}

void tri__mailbox_destroy(tri__mailbox *mailbox)
{
    if (!mailbox)
        return;
    free(mailbox->request);
    free(mailbox->message); /* not the copies: MPI may still read them */
    free(mailbox->finished);
    free(mailbox->expected);
    free(mailbox);
}

/* ---- sending ---- */

/* Three arrays grow together: room changes only when the last one has grown. */
static tri_status make_room(tri__mailbox *mailbox, int64_t more)
{
    const int64_t count = mailbox->count + more;
    int64_t requests = mailbox->room, messages = mailbox->room;
    TRI_TRY(tri__grow(&mailbox->request, &requests, count, sizeof(MPI_Request), "messages on their way"));
    TRI_TRY(tri__grow(&mailbox->message, &messages, count, sizeof *mailbox->message, "messages on their way"));
    return tri__grow(&mailbox->finished, &mailbox->room, count, sizeof *mailbox->finished, "messages on their way");
}

/* Let MPI work, and forget messages that it has given to their ranks. */
static int progress(tri__mailbox *mailbox)
{
    int finished = 0;
    if (!mailbox->count)
        return MPI_SUCCESS;
    int error = mailbox->mpi->Testsome(mailbox->count, mailbox->request, &finished, mailbox->finished, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS || finished <= 0)
        return error;
    for (int i = 0; i < finished; i++) {
        sent_message *message = &mailbox->message[mailbox->finished[i]];
        mailbox->under_way -= message->bytes;
        free(message->copy);
        message->copy = NULL;
    }
    int kept = 0;
    for (int i = 0; i < mailbox->count; i++)
        if (mailbox->request[i] != mailbox->mpi->no_request) {
            mailbox->request[kept] = mailbox->request[i];
            mailbox->message[kept++] = mailbox->message[i];
        }
    mailbox->count = kept;
    return MPI_SUCCESS;
}

/* Sleep, unless the wait is short: MPI's own waiting would take a CPU from ranks that compute. */
static void pause_in_wait(int turn)
{
    if (turn < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

/* Whether a message is under way that the other rank expects before now: it is safe to wait for that one. */
static bool may_wait(const tri__mailbox *mailbox, int64_t now)
{
    for (int i = 0; i < mailbox->count; i++)
        if (mailbox->message[i].expected < now)
            return true;
    return false;
}

static int wait_for_window(tri__mailbox *mailbox, size_t bytes, int64_t now)
{
    int error = progress(mailbox);
    for (int turn = 0; error == MPI_SUCCESS && mailbox->under_way + bytes > mailbox->window && may_wait(mailbox, now); turn++) {
        pause_in_wait(turn);
        error = progress(mailbox);
    }
    return error;
}

static int send_part(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes, int64_t expected)
{
    const tri__mpi *mpi = mailbox->mpi;
    mailbox->message[mailbox->count] = (sent_message){NULL, bytes, expected};
    mailbox->under_way += bytes;
    return mpi->Isend(data, (int)bytes, mpi->byte_type, to, number, mpi->world, &mailbox->request[mailbox->count++]);
}

/* The last part has the copy. */
static int send_parts(tri__mailbox *mailbox, int to, int number, char *copy, size_t bytes, int64_t expected)
{
    size_t at = 0;
    int error = MPI_SUCCESS;
    do {
        size_t part = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        error = send_part(mailbox, to, number, copy + at, part, expected);
        at += part;
    } while (at < bytes && error == MPI_SUCCESS);
    mailbox->message[mailbox->count - 1].copy = copy;
    return error;
}

int tri__mailbox_send(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes, int64_t now, int64_t expected)
{
    int error = wait_for_window(mailbox, bytes, now);
    if (error != MPI_SUCCESS)
        return error;
    char *copy = NULL;
    tri_status status = make_room(mailbox, (int64_t)(bytes / MOST_BYTES + 1));
    if (!status)
        status = tri__allocate(bytes, 1, "a message", &copy);
    if (status) {
        tri_status_free(status);
        return MPI_ERR_NO_MEM;
    }
    memcpy(copy, data, bytes);
    error = send_parts(mailbox, to, number, copy, bytes, expected);
    mailbox->sent += (int64_t)bytes;
    tri__traffic_moved(mailbox->peers[to], bytes, 0);
    return error == MPI_SUCCESS ? progress(mailbox) : error;
}

/* ---- receiving ---- */

static int expect_part(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes)
{
    const tri__mpi *mpi = mailbox->mpi;
    tri_status status = tri__grow(&mailbox->expected, &mailbox->expected_room, mailbox->expecteds + 1, sizeof *mailbox->expected,
                                  "messages that are expected");
    if (status) {
        tri_status_free(status);
        return MPI_ERR_NO_MEM;
    }
    expected_message *message = &mailbox->expected[mailbox->expecteds++];
    *message = (expected_message){.from = from, .number = number, .bytes = bytes};
    return mpi->Irecv(data, (int)bytes, mpi->byte_type, from, number, mpi->world, &message->request);
}

int tri__mailbox_expect(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes)
{
    size_t at = 0;
    int error = MPI_SUCCESS;
    do {
        size_t part = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        error = expect_part(mailbox, from, number, (char *)data + at, part);
        at += part;
    } while (at < bytes && error == MPI_SUCCESS);
    return error;
}

static int wait_for(tri__mailbox *mailbox, MPI_Request *request)
{
    int come = 0, error = MPI_SUCCESS;
    for (int turn = 0; error == MPI_SUCCESS && !come; turn++) {
        error = mailbox->mpi->Test(request, &come, MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS && !come)
            error = progress(mailbox);
        if (!come)
            pause_in_wait(turn);
    }
    return error;
}

int tri__mailbox_receive(tri__mailbox *mailbox, int from, int number)
{
    int kept = 0, error = MPI_SUCCESS;
    for (int i = 0; i < mailbox->expecteds; i++) {
        expected_message *message = &mailbox->expected[i];
        if (message->from != from || message->number != number || error != MPI_SUCCESS) {
            mailbox->expected[kept++] = *message;
            continue;
        }
        error = wait_for(mailbox, &message->request);
        if (error == MPI_SUCCESS)
            tri__traffic_moved(mailbox->peers[from], 0, message->bytes);
    }
    mailbox->expecteds = kept;
    return error;
}

int tri__mailbox_flush(tri__mailbox *mailbox)
{
    int error = MPI_SUCCESS;
    for (int turn = 0; error == MPI_SUCCESS && mailbox->count; turn++) {
        error = progress(mailbox);
        if (mailbox->count)
            pause_in_wait(turn);
    }
    return error;
}

int64_t tri__mailbox_sent(const tri__mailbox *mailbox)
{
    return mailbox->sent;
}
