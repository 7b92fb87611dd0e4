/* request.c: http_parser hands over the parts of a head in the pieces in which they arrived. They are put together in one buffer, with a
 * NUL behind each part; the request points into the buffer. */
#include "net/http/request.h"

#include <assert.h>
#include <http_parser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory/memory.h"

enum { NONE = -1, LONGEST_NAME = 16, SPARE = 16 }; /* LONGEST_NAME: of the headers that are kept; SPARE: for the NULs */

static const char *const names[TRI_HTTP_HEADERS] = {
    [TRI_HTTP_HOST] = "Host", [TRI_HTTP_AUTHORIZATION] = "Authorization", [TRI_HTTP_COOKIE] = "Cookie"};

struct tri__http_reader {
    http_parser parser;
    size_t taken; /* bytes so far */
    tri__http_progress progress;
    char text[TRI_HTTP_LARGEST + SPARE];
    size_t used;             /* of text */
    char *url;               /* in text */
    char name[LONGEST_NAME]; /* of the present header, as far as it fits */
    size_t name_length;      /* of the whole name of the present header */
    bool in_value;           /* the value of the present header has begun */
    int kept;                /* which tri__http_header the present header is; NONE: it is not kept */
    tri__http_request request;
};

/* Add a piece to the part that ends at the end of text. *start is where the part begins; NULL for a new part. */
static void append(tri__http_reader *reader, char **start, const char *bytes, size_t size)
{
    if (!*start)
        *start = reader->text + reader->used;
    else
        reader->used--; /* the NUL */
    assert(reader->used + size < sizeof reader->text);
    memcpy(reader->text + reader->used, bytes, size);
    reader->used += size;
    reader->text[reader->used++] = 0;
}

static int on_url(http_parser *parser, const char *bytes, size_t size)
{
    tri__http_reader *reader = parser->data;
    append(reader, &reader->url, bytes, size);
    return 0;
}

static int on_name(http_parser *parser, const char *bytes, size_t size)
{
    tri__http_reader *reader = parser->data;
    if (reader->in_value)
        reader->name_length = 0;
    reader->in_value = false;
    for (size_t i = 0; i < size; i++, reader->name_length++)
        if (reader->name_length < LONGEST_NAME)
            reader->name[reader->name_length] = bytes[i];
    return 0;
}

static int header_of(const tri__http_reader *reader)
{
    for (int i = 0; i < TRI_HTTP_HEADERS; i++)
        if (reader->name_length == strlen(names[i]) && !strncasecmp(reader->name, names[i], reader->name_length))
            return i;
    return NONE;
}

/* A header that comes twice is refused: we might read one of the two, and a proxy between us and the client the other. */
static int on_value(http_parser *parser, const char *bytes, size_t size)
{
    tri__http_reader *reader = parser->data;
    if (!reader->in_value) {
        reader->in_value = true;
        reader->kept = header_of(reader);
        if (reader->kept != NONE && reader->request.header[reader->kept])
            return 1;
    }
    if (reader->kept != NONE) {
        char *start = (char *)(uintptr_t)reader->request.header[reader->kept];
        append(reader, &start, bytes, size);
        reader->request.header[reader->kept] = start;
    }
    return 0;
}

static int on_head(http_parser *parser)
{
    tri__http_reader *reader = parser->data;
    tri__http_request *request = &reader->request;
    request->method = parser->method == HTTP_GET ? TRI_HTTP_GET : parser->method == HTTP_HEAD ? TRI_HTTP_HEAD : TRI_HTTP_OTHER_METHOD;
    for (int i = 0; i < TRI_HTTP_HEADERS; i++)
        if (!request->header[i])
            request->header[i] = "";
    char *query = strchr(reader->url, '?');
    request->query = query ? query + 1 : "";
    if (query)
        *query = 0;
    request->path = reader->url;
    reader->progress = TRI_HTTP_WHOLE;
    http_parser_pause(parser, 1);
    return 0;
}

tri_status tri__http_reader_create(tri__http_reader **out)
{
    *out = NULL;
    tri__http_reader *reader = NULL;
    TRI_TRY(tri__allocate(1, sizeof *reader, "a request", &reader));
    http_parser_init(&reader->parser, HTTP_REQUEST);
    reader->parser.data = reader;
    *out = reader;
    return NULL;
}

void tri__http_reader_destroy(tri__http_reader *reader)
{
    free(reader);
}

tri__http_progress tri__http_reader_take(tri__http_reader *reader, const char *bytes, size_t size)
{
    static const http_parser_settings settings = {
        .on_url = on_url, .on_header_field = on_name, .on_header_value = on_value, .on_headers_complete = on_head};
    assert(reader->progress == TRI_HTTP_WANTS_MORE);
    const size_t room = TRI_HTTP_LARGEST - reader->taken, part = size < room ? size : room;
    reader->taken += part;
    const size_t parsed = http_parser_execute(&reader->parser, &settings, bytes, part);
    if (reader->progress == TRI_HTTP_WHOLE)
        return TRI_HTTP_WHOLE;
    if (parsed < part)
        reader->progress = TRI_HTTP_MALFORMED;
    else if (part < size)
        reader->progress = TRI_HTTP_TOO_LARGE;
    return reader->progress;
}

const tri__http_request *tri__http_reader_request(const tri__http_reader *reader)
{
    assert(reader->progress == TRI_HTTP_WHOLE);
    return &reader->request;
}

bool tri__http_find_value(const char *list, char separator, const char *name, const char **value, size_t *size)
{
    const size_t length = strlen(name);
    const char end[] = {separator, 0};
    for (const char *at = list; *at; at += *at != 0) {
        at += strspn(at, " ");
        const size_t part = strcspn(at, end);
        if (part > length && !strncmp(at, name, length) && at[length] == '=') {
            *value = at + length + 1;
            *size = part - length - 1;
            return true;
        }
        at += part;
    }
    return false;
}
