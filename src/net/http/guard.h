/* guard.h: who may read the pages of an HTTP server.
 *
 * Without a token, a request must name a loopback host. That stops DNS rebinding, where another site makes its own name lead to this
 * server: its pages send that name as their Host. With a token, a request may name any host, but must show the token: in the header
 * "Authorization: Bearer TOKEN", in the cookie that the server sets, or once in the address, as ?token=TOKEN. */
#ifndef TRI_NET_HTTP_GUARD_H
#define TRI_NET_HTTP_GUARD_H

#include <stdint.h>

#include "net/http/request.h"

typedef struct {
    const char *token; /* NULL: none is asked for */
    uint16_t port;     /* of the server */
} tri__http_guard;

typedef enum {
    TRI_GUARD_ADMITS,
    TRI_GUARD_GREETS,      /* the token is in the address: set the cookie, and send the browser to the address without it */
    TRI_GUARD_WRONG_HOST,  /* the request names a host that is not loopback */
    TRI_GUARD_WANTS_TOKEN, /* the request has no token, or a wrong one */
} tri__guard_verdict;

tri__guard_verdict tri__http_guard_check(const tri__http_guard *guard, const tri__http_request *request);

/* The name of the cookie. Browsers share cookies between the ports of a host, so the name has the port. Returns buffer. */
enum { TRI_COOKIE_NAME = 32 };
const char *tri__http_guard_cookie(const tri__http_guard *guard, char buffer[TRI_COOKIE_NAME]);

/* A random token of letters and digits, which nobody can guess. */
enum { TRI_TOKEN_SIZE = 33 };
TRI_MUST_CHECK tri_status tri__http_guard_make_token(char token[TRI_TOKEN_SIZE]);

/* TRI_BAD_CALL where text is too short or too long to be a token, or has characters that would not survive an address. */
TRI_MUST_CHECK tri_status tri__http_guard_check_token(const char *text);

#endif
