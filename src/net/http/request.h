/* request.h: the head of an HTTP/1 request, read as it arrives, by http_parser. What follows the head is not read: nothing here needs the
 * body of a request. */
#ifndef TRI_NET_HTTP_REQUEST_H
#define TRI_NET_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "trireme/status.h"

/* The headers that are kept. */
typedef enum { TRI_HTTP_HOST, TRI_HTTP_AUTHORIZATION, TRI_HTTP_COOKIE, TRI_HTTP_HEADERS } tri__http_header;

typedef struct {
    enum { TRI_HTTP_GET, TRI_HTTP_HEAD, TRI_HTTP_OTHER_METHOD } method;
    const char *path;                     /* "/metrics", as it was sent */
    const char *query;                    /* what follows the question mark; "" where there is none */
    const char *header[TRI_HTTP_HEADERS]; /* "" where there is none */
} tri__http_request;

enum { TRI_HTTP_LARGEST = 8192 }; /* bytes of a head */

typedef struct tri__http_reader tri__http_reader;
TRI_MUST_CHECK tri_status tri__http_reader_create(tri__http_reader **out);
void tri__http_reader_destroy(tri__http_reader *reader); /* accepts NULL */

typedef enum {
    TRI_HTTP_WANTS_MORE,
    TRI_HTTP_WHOLE,     /* tri__http_reader_request gives it */
    TRI_HTTP_MALFORMED, /* it is no HTTP/1 request, or has two hosts */
    TRI_HTTP_TOO_LARGE,
} tri__http_progress;

/* Take the next bytes. Do not call it again after it returned anything but WANTS_MORE. */
tri__http_progress tri__http_reader_take(tri__http_reader *reader, const char *bytes, size_t size);

/* Borrowed from the reader. */
const tri__http_request *tri__http_reader_request(const tri__http_reader *reader);

/* Whether list, such as "a=1; b=2" with separator ';' or "a=1&b=2" with '&', has name, and where its value is. */
bool tri__http_find_value(const char *list, char separator, const char *name, const char **value, size_t *size);

#endif
