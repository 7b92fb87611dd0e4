/* mailbox.c: what is sent waits in copies, each with its request, until MPI has given it to the other rank. A value that is too large for
 * one message goes in several, one after another. */
#include "net/mpi/mailbox.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

#define MOST_BYTES ((size_t)1 << 30) /* of a message */
#define NAP        50000             /* nanoseconds */

enum { YIELDS = 200 }; /* before the first nap: a value that is on its way already comes sooner than a nap ends */

struct tri__mailbox {
    const tri__mpi *mpi;
    MPI_Request *request; /* [count] of what is under way */
    void **copy;          /* [count] what it reads; of a value in several messages the last one has it, the others NULL */
    int *finished;        /* [capacity] */
    int count, capacity;
    int64_t sent;
};

tri_status tri__mailbox_create(const tri__mpi *mpi, tri__mailbox **out)
{
    TRI_TRY(tri__allocate(1, sizeof **out, "a mailbox", out));
    (*out)->mpi = mpi;
    return NULL;
}

void tri__mailbox_destroy(tri__mailbox *mailbox)
{
    if (!mailbox)
        return;
    free(mailbox->request);
    free(mailbox->copy); /* not what they point to: MPI may still read it */
    free(mailbox->finished);
    free(mailbox);
}

static bool make_room(tri__mailbox *mailbox, size_t more)
{
    size_t needed = (size_t)mailbox->count + more;
    if (needed <= (size_t)mailbox->capacity)
        return true;
    int larger = mailbox->capacity ? mailbox->capacity : 32;
    while ((size_t)larger < needed)
        larger *= 2;
    MPI_Request *request = realloc(mailbox->request, (size_t)larger * sizeof(MPI_Request));
    mailbox->request = request ? request : mailbox->request;
    void **copy = realloc(mailbox->copy, (size_t)larger * sizeof *copy);
    mailbox->copy = copy ? copy : mailbox->copy;
    int *finished = realloc(mailbox->finished, (size_t)larger * sizeof *finished);
    mailbox->finished = finished ? finished : mailbox->finished;
    if (!request || !copy || !finished)
        return false;
    mailbox->capacity = larger;
    return true;
}

/* Let MPI work, and forget what has been given to its rank. */
static int progress(tri__mailbox *mailbox)
{
    int finished = 0;
    if (!mailbox->count)
        return MPI_SUCCESS;
    int error = mailbox->mpi->Testsome(mailbox->count, mailbox->request, &finished, mailbox->finished, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS || finished <= 0)
        return error;
    for (int i = 0; i < finished; i++) {
        free(mailbox->copy[mailbox->finished[i]]);
        mailbox->copy[mailbox->finished[i]] = NULL;
    }
    int kept = 0;
    for (int i = 0; i < mailbox->count; i++)
        if (mailbox->request[i] != mailbox->mpi->no_request) {
            mailbox->request[kept] = mailbox->request[i];
            mailbox->copy[kept++] = mailbox->copy[i];
        }
    mailbox->count = kept;
    return MPI_SUCCESS;
}

static int send_part(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes)
{
    const tri__mpi *mpi = mailbox->mpi;
    mailbox->copy[mailbox->count] = NULL;
    return mpi->Isend(data, (int)bytes, mpi->byte_type, to, number, mpi->world, &mailbox->request[mailbox->count++]);
}

/* The last part has the copy. */
static int send_parts(tri__mailbox *mailbox, int to, int number, char *copy, size_t bytes)
{
    size_t at = 0;
    int error = MPI_SUCCESS;
    do {
        size_t part = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        error = send_part(mailbox, to, number, copy + at, part);
        at += part;
    } while (at < bytes && error == MPI_SUCCESS);
    mailbox->copy[mailbox->count - 1] = copy;
    return error;
}

int tri__mailbox_send(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes)
{
    char *copy = make_room(mailbox, bytes / MOST_BYTES + 1) ? malloc(bytes ? bytes : 1) : NULL;
    if (!copy)
        return MPI_ERR_NO_MEM;
    memcpy(copy, data, bytes);
    int error = send_parts(mailbox, to, number, copy, bytes);
    mailbox->sent += (int64_t)bytes;
    return error == MPI_SUCCESS ? progress(mailbox) : error;
}

/* Sleeping, unless the wait is short: MPI's own waiting would take a CPU from ranks that compute. */
static void pause_in_wait(int turn)
{
    if (turn < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

static int receive_part(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes)
{
    const tri__mpi *mpi = mailbox->mpi;
    MPI_Request request;
    int come = 0, error = mpi->Irecv(data, (int)bytes, mpi->byte_type, from, number, mpi->world, &request);
    for (int turn = 0; error == MPI_SUCCESS && !come; turn++) {
        error = mpi->Test(&request, &come, MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS && !come)
            error = progress(mailbox);
        if (!come)
            pause_in_wait(turn);
    }
    return error;
}

int tri__mailbox_receive(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes)
{
    size_t at = 0;
    int error = MPI_SUCCESS;
    do {
        size_t part = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        error = receive_part(mailbox, from, number, (char *)data + at, part);
        at += part;
    } while (at < bytes && error == MPI_SUCCESS);
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
