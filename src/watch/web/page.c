/* page.c: answers requests, and polls the run at its pace. A table holds everything that can be asked for, so no request can name a
 * file. */
#include "watch/web/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "net/http/server.h"
#include "watch/web/assets.h"
#include "watch/web/live_json.h"
#include "watch/web/metrics.h"

enum { MOST_UNSENT = 8 << 20 }; /* bytes: a client that is further behind gets the whole state when it has caught up */

struct tri__web_page {
    tri__live_run run;
    tri__http_server *server;
    tri__timer *timer;
    char *added; /* JSON of what the last poll added; NULL if clients need the whole state */
    size_t added_size;
};

/* ---- streams ---- */

static void send_whole(const tri__web_page *page, tri__http_exchange *stream, int64_t *version)
{
    char *text;
    size_t size;
    tri_status status = tri__live_json(&page->run, TRI_LIVE_WHOLE, &text, &size);
    if (!status) {
        tri__http_stream_send(stream, "whole", text, size);
        *version = page->run.version;
    }
    tri_status_free(status); /* memory is short: the next poll tries again */
    free(text);
}

static void update(void *context, tri__http_exchange *stream, int64_t *version)
{
    const tri__web_page *page = context;
    const size_t unsent = tri__http_stream_unsent(stream);
    if (*version == page->run.version && page->added && unsent <= MOST_UNSENT)
        tri__http_stream_send(stream, "added", page->added, page->added_size);
    else if (unsent == 0)
        send_whole(page, stream, version);
    else
        *version = 0;
}

/* Poll the run, and send what has changed. If the folder cannot be read (it was removed, or memory is short), the page stays as it is. */
static void look(void *context)
{
    tri__web_page *page = context;
    const int64_t before = page->run.version;
    tri_status status = tri__live_run_poll(&page->run);
    if (!status && page->run.version == before)
        status = tri__live_json(&page->run, TRI_LIVE_ADDED, &page->added, &page->added_size);
    if (!status)
        tri__http_server_each_stream(page->server, update, page);
    tri_status_free(status);
    free(page->added);
    page->added = NULL;
}

/* ---- requests ---- */

/* Answer with text, which is taken; or, if status is a failure, with its message. */
static void answer_text(tri__http_exchange *exchange, tri_status status, const char *type, char *text, size_t size)
{
    if (status)
        tri__http_exchange_refuse(exchange, 503, tri_status_message(status));
    else
        tri__http_exchange_answer(exchange, &(tri__http_answer){.status = 200, .type = type, .body = text, .size = size, .owned = text});
    tri_status_free(status);
}

static void answer_json(tri__web_page *page, tri__http_exchange *exchange)
{
    char *text = NULL;
    size_t size = 0;
    tri_status status = tri__live_json(&page->run, TRI_LIVE_WHOLE, &text, &size);
    answer_text(exchange, status, "application/json", text, size);
}

static void answer_metrics(tri__web_page *page, tri__http_exchange *exchange)
{
    char *text = NULL;
    size_t size = 0;
    tri_status status = tri__metrics_text(&page->run, &text, &size);
    answer_text(exchange, status, "text/plain; version=0.0.4; charset=utf-8", text, size);
}

static void start_stream(void *context, tri__http_exchange *stream, int64_t *version)
{
    if (*version == 0 && tri__http_stream_unsent(stream) == 0)
        send_whole(context, stream, version);
}

static void answer_stream(tri__web_page *page, tri__http_exchange *exchange)
{
    if (tri__http_exchange_stream(exchange))
        tri__http_server_each_stream(page->server, start_stream, page);
}

static const struct {
    const char *path;
    void (*answer)(tri__web_page *page, tri__http_exchange *exchange);
} routes[] = {{"/run.json", answer_json}, {"/metrics", answer_metrics}, {"/events", answer_stream}};

static void answer(void *context, tri__http_exchange *exchange, const tri__http_request *request)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(request->path, routes[i].path)) {
            routes[i].answer(context, exchange);
            return;
        }
    for (const tri__web_asset *asset = tri__web_assets; asset->path; asset++)
        if (!strcmp(request->path, asset->path)) {
            tri__http_exchange_answer(exchange,
                                      &(tri__http_answer){.status = 200, .type = asset->type, .body = asset->data, .size = asset->size});
            return;
        }
    tri__http_exchange_refuse(exchange, 404, "there is no such page; the run is at /, its numbers at /run.json and /metrics");
}

/* ---- from beginning to end ---- */

static tri_status start(tri__web_page *page, tri__loop *loop, const tri__page_options *options)
{
    const tri__http_options http = {
        .guard = {.token = options->token, .port = options->port},
        .policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                  "form-action 'none'; frame-ancestors 'none'",
        .request = answer,
        .context = page,
    };
    TRI_TRY(tri__http_server_create(loop, options->fd, &http, &page->server));
    TRI_TRY(tri__timer_create(loop, look, page, &page->timer));
    tri__timer_start(page->timer, options->every, options->every);
    return NULL;
}

tri_status tri__web_page_create(tri__loop *loop, const tri__page_options *options, tri__web_page **out)
{
    *out = NULL;
    tri__web_page *page = NULL;
    tri_status status = tri__allocate(1, sizeof *page, "the page of a run", &page);
    if (!status)
        status = tri__live_run_init(&page->run, options->folder, options->has_ended);
    if (status) {
        close(options->fd);
        free(page);
        return status;
    }
    status = start(page, loop, options);
    if (status)
        tri__web_page_destroy(page);
    else
        *out = page;
    return status;
}

void tri__web_page_destroy(tri__web_page *page)
{
    if (!page)
        return;
    tri__timer_destroy(page->timer);
    tri__http_server_destroy(page->server);
    tri__live_run_fini(&page->run);
    free(page);
}
