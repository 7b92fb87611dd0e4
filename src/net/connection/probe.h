/* probe.h: measures what the link between two hosts carries, as iperf and ping do. One side asks, the other answers.
 *
 *   the asking side                          the answering side
 *     PING ─────────────────────────────────►
 *          ◄───────────────────────────────── PONG          40 times, one after another
 *     DATA … DATA, END ─────────────────────►               for a second
 *          ◄───────────────────────────────── COUNTED       bytes, and the time that they took to arrive
 *     SEND ─────────────────────────────────►
 *          ◄─────────────────── DATA … DATA, END            for a second
 *
 * Both rates are counted where the bytes arrive. */
#ifndef TRI_NET_CONNECTION_PROBE_H
#define TRI_NET_CONNECTION_PROBE_H

#include <signal.h>

#include "base/thread/clock.h"
#include "net/address/address.h"
#include "net/stream/tls.h"

typedef struct {
    double least_trip, median_trip; /* round trips, in seconds */
    double sent, received;          /* bytes a second, from the asking side, and to it */
} tri__probe_result;

typedef struct {
    tri__tls *tls;                     /* NULL: in clear; borrowed */
    int64_t timeout;                   /* nanoseconds after which silence is a failure */
    int64_t duration;                  /* nanoseconds of each direction, at most TRI_PROBE_LONGEST; for the asking side */
    const volatile sig_atomic_t *stop; /* end when it is no longer 0; NULL: never */
} tri__probe_options;

#define TRI_PROBE_LONGEST (10 * TRI_SECOND)

/* Measure the link to the answering side at address. TRI_STOPPED where stop came first. */
TRI_MUST_CHECK tri_status tri__probe_ask(const tri__address *address, const tri__probe_options *options, tri__probe_result *out);

/* Answer on a listening socket, which it takes, until stop. A few may ask at a time, but only one that asks alone measures the whole
 * link. */
TRI_MUST_CHECK tri_status tri__probe_answer(int fd, const tri__probe_options *options);

#endif
