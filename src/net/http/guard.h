/* guard.h: who may read the pages of an HTTP server.
 *
 * Without a token, only those who ask for a name of loopback: a page of another site whose name was made to lead here (DNS rebinding) sends
 * that name as its Host. With a token, those who show it, by whatever name: in the header "Authorization: Bearer TOKEN", in the cookie that
 * the server sets, or once in the address, as ?token=TOKEN. */
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
    TRI_GUARD_WRONG_HOST,  /* a name that is not of loopback */
    TRI_GUARD_WANTS_TOKEN, /* there is none, or a wrong one */
} tri__guard_verdict;

tri__guard_verdict tri__http_guard_check(const tri__http_guard *guard, const tri__http_request *request);

/* Cookies do not know ports: the name tells servers of one host apart. Returns buffer. */
enum { TRI_COOKIE_NAME = 32 };
const char *tri__http_guard_cookie(const tri__http_guard *guard, char buffer[TRI_COOKIE_NAME]);

/* A token that nobody guesses, of letters and digits. */
enum { TRI_TOKEN_SIZE = 33 };
TRI_MUST_CHECK tri_status tri__http_guard_make_token(char token[TRI_TOKEN_SIZE]);

/* TRI_BAD_CALL where text is too short or too long to be a token, or has characters that would not survive an address. */
TRI_MUST_CHECK tri_status tri__http_guard_check_token(const char *text);

#endif
