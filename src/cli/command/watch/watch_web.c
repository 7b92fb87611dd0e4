/* watch_web.c: trireme watch RUN --web: decides where the live page is served, and who may see it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/thread/clock.h"
#include "cli/command/watch/watch.h"
#include "cli/process/session.h"
#include "net/address/address.h"
#include "net/http/guard.h"
#include "watch/web/page.h"

enum { LARGEST_TOKEN = 4096, URL = 512 };
static const int64_t SIGNALS_EVERY = 200 * TRI_MILLISECOND; /* time between two checks for a signal */

tri_status tri__watch_check_web(const tri__arguments *arguments)
{
    static const char *const of_page[] = {"bind", "token"}, *const not_of_page[] = {"csv", "count"};
    const bool web = tri__argument_given(arguments, "web");
    for (size_t i = 0; i < sizeof of_page / sizeof *of_page; i++)
        if (!web && tri__argument_given(arguments, of_page[i]))
            return tri_fail(TRI_BAD_CALL, "--%s: belongs to the live page; add --web", of_page[i]);
    for (size_t i = 0; i < sizeof not_of_page / sizeof *not_of_page; i++)
        if (web && tri__argument_given(arguments, not_of_page[i]))
            return tri_fail(TRI_BAD_CALL, "--%s: is not for the live page; leave out --web or --%s", not_of_page[i], not_of_page[i]);
    if (web && arguments->count == 0)
        return tri_fail(TRI_BAD_CALL, "--web: shows a run; name its folder: trireme watch RUN --web");
    return NULL;
}

/* ---- the token ---- */

/* The first line of the file; free() it. */
static tri_status read_token(const char *path, char **token)
{
    size_t size;
    TRI_TRY(tri__file_read(path, LARGEST_TOKEN, token, &size));
    (*token)[strcspn(*token, "\r\n")] = 0;
    tri_status status = tri__http_guard_check_token(*token);
    if (!status)
        return NULL;
    free(*token);
    *token = NULL;
    return tri_wrap(status, "--token %s", path);
}

/* *token is NULL where no token is needed. */
static tri_status find_token(const tri__arguments *arguments, const tri__address *address, char **token)
{
    const char *path = tri__argument_text(arguments, "token");
    *token = NULL;
    if (path)
        return read_token(path, token);
    if (tri__address_is_loopback(address))
        return NULL;
    *token = malloc(TRI_TOKEN_SIZE);
    return *token ? tri__http_guard_make_token(*token) : tri_fail(TRI_NO_MEMORY, "no memory for a token");
}

/* ---- the page ---- */

/* A browser cannot open the address that means all interfaces, so the URL has the host's name instead. */
static void write_url(const tri__address *address, uint16_t port, const char *token, char url[URL])
{
    char name[256] = "localhost";
    const bool everywhere = !strcmp(address->host, "0.0.0.0") || !strcmp(address->host, "::");
    if (everywhere)
        gethostname(name, sizeof name - 1);
    const char *host = everywhere ? name : address->host;
    const bool bracketed = strchr(host, ':');
    snprintf(url, URL, "http://%s%s%s:%u/%s%s", bracketed ? "[" : "", host, bracketed ? "]" : "", (unsigned)port, token ? "?token=" : "",
             token ? token : "");
}

static tri_status tell(tri__session *session, const tri__address *address, uint16_t port, const char *token)
{
    char url[URL];
    write_url(address, port, token, url);
    if (!tri__address_is_loopback(address))
        tri__log_line(session->log, TRI_LOG_WARNING, "the page is served in clear: who can read this network can read it, and its token");
    if (session->json)
        TRI_TRY(tri__session_print_json(session, json_pack("{s:s, s:i, s:s?}", "url", url, "port", (int)port, "token", token)));
    else
        fprintf(session->out, "%s\n", url);
    fflush(session->out);
    return NULL;
}

static tri_status serve(tri__session *session, const tri__address *address, const tri__page_options *options,
                        const volatile sig_atomic_t *stop)
{
    tri__loop *loop = NULL;
    tri__web_page *page = NULL;
    signal(SIGPIPE, SIG_IGN); /* tri__http_server needs this */
    tri_status status = tri__loop_create(&loop);
    if (status) {
        close(options->fd);
        return status;
    }
    status = tri__web_page_create(loop, options, &page);
    if (!status)
        status = tell(session, address, options->port, options->token);
    while (!status && !*stop)
        tri__loop_turn(loop, tri__clock_now() + SIGNALS_EVERY);
    tri__web_page_destroy(page);
    tri__loop_destroy(loop);
    return status;
}

tri_status tri__watch_web(tri__session *session, const tri__arguments *arguments, int64_t every, const volatile sig_atomic_t *stop)
{
    tri__address address = {.port = (uint16_t)tri__argument_integer(arguments, "web")};
    tri__page_options options = {.folder = arguments->operands[0], .has_ended = tri__watch_run_has_ended, .every = every};
    char *token = NULL;
    address.host = strdup(tri__argument_text(arguments, "bind"));
    tri_status status = address.host ? find_token(arguments, &address, &token) : tri_fail(TRI_NO_MEMORY, "no memory for an address");
    options.token = token;
    if (!status)
        status = tri__address_listen(&address, &options.fd, &options.port);
    if (!status)
        status = serve(session, &address, &options, stop);
    tri__address_fini(&address);
    free(token);
    return status;
}
