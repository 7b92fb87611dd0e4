/* tls_error.h: what OpenSSL's failures mean. */
#ifndef TRI_NET_STREAM_TLS_ERROR_H
#define TRI_NET_STREAM_TLS_ERROR_H

#include <openssl/ssl.h>

#include "trireme/status.h"

/* What a failed call of OpenSSL means for this connection, without the peer's name. Empties OpenSSL's list of errors. */
TRI_MUST_CHECK tri_status tri__tls_failure(const SSL *ssl);

/* The same for a call that concerns no connection: "doing: reason". */
TRI_MUST_CHECK tri_status tri__tls_trouble(tri_code code, const char *doing);

#endif
