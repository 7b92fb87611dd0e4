/* tls.h: TLS 1.3 between the tasks of a cluster, both sides authenticated.
 *
 * A cluster's identity is one PEM file, a self-signed certificate and its key: a task shows it and admits only peers that show the same
 * certificate. An organisation's own certificates work too: then a peer is admitted when its certificate was signed by the authority. */
#ifndef TRI_NET_STREAM_TLS_H
#define TRI_NET_STREAM_TLS_H

#include "trireme/status.h"

typedef struct tri__tls tri__tls;

typedef struct {
    const char *identity;               /* the file that keygen made; NULL: the three files below */
    const char *cert, *key, *authority; /* PEM files of an organisation, where there is no identity */
} tri__tls_options;

/* Refuses a key that other users may read, an expired certificate, and a key that does not belong to the certificate; the message names
 * it. */
TRI_MUST_CHECK tri_status tri__tls_create(const tri__tls_options *options, tri__tls **out);
void tri__tls_destroy(tri__tls *tls); /* after the connections that use it; accepts NULL */

#endif
