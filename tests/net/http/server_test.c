/* server_test.c: answers and streams, over real sockets. */
#include "net/http/server.h"

#include "net/http/client.h"

typedef struct {
    tri__loop *loop;
    tri__http_server *server;
    uint16_t port;
    int asked;
} fixture;

static void answer(void *context, tri__http_exchange *exchange, const tri__http_request *request)
{
    static char large[4 << 20];
    fixture *f = context;
    f->asked++;
    if (!strcmp(request->path, "/stream")) {
        tri__http_exchange_stream(exchange);
    } else if (!strcmp(request->path, "/large")) {
        memset(large, 'x', sizeof large);
        tri__http_exchange_answer(exchange, &(tri__http_answer){.status = 200, .type = "text/plain", .body = large, .size = sizeof large});
    } else {
        tri__http_exchange_answer(exchange, &(tri__http_answer){.status = 200, .type = "text/plain", .body = "hello", .size = 5});
    }
}

static void start(fixture *f, const char *token)
{
    *f = (fixture){0};
    assert_ok(tri__loop_create(&f->loop));
    const int fd = http_listen(&f->port);
    const tri__http_options options = {
        .guard = {.token = token, .port = f->port}, .policy = "default-src 'none'", .request = answer, .context = f};
    assert_ok(tri__http_server_create(f->loop, fd, &options, &f->server));
}

static void stop(fixture *f)
{
    tri__http_server_destroy(f->server);
    tri__loop_destroy(f->loop);
}

static void an_answer_has_its_length_and_says_what_a_page_may_do(void **state)
{
    (void)state;
    fixture f;
    start(&f, NULL);
    http_expect(http_get(f.loop, f.port, "/", ""), 200, "Content-Length: 5\r\n");
    http_expect(http_get(f.loop, f.port, "/", ""), 200, "Content-Security-Policy: default-src 'none'\r\n");
    http_expect(http_get(f.loop, f.port, "/", ""), 200, "\r\n\r\nhello");
    char *large = http_get(f.loop, f.port, "/large", "");
    assert_int_equal(strlen(strstr(large, "\r\n\r\n") + 4), 4 << 20);
    free(large);
    char request[128];
    snprintf(request, sizeof request, "HEAD / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", (unsigned)f.port);
    char *head = http_ask_in_pieces(f.loop, f.port, request, 1);
    assert_string_equal(strstr(head, "\r\n\r\n"), "\r\n\r\n");
    free(head);
    stop(&f);
}

static void requests_that_are_not_for_it_are_refused_in_words(void **state)
{
    (void)state;
    fixture f;
    start(&f, NULL);
    http_expect(http_ask_in_pieces(f.loop, f.port, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 7), 405, "GET");
    http_expect(http_ask_in_pieces(f.loop, f.port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 100), 421, "localhost");
    http_expect(http_ask_in_pieces(f.loop, f.port, "GET / HTTP/1.1\r\n\r\n", 100), 421, "localhost");
    http_expect(http_ask_in_pieces(f.loop, f.port, "nonsense\r\n\r\n", 100), 400, "no HTTP/1 request");
    char *large = malloc(20000);
    int length = sprintf(large, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    memset(large + length, 'a', (size_t)(19999 - length));
    large[19999] = 0;
    http_expect(http_ask_in_pieces(f.loop, f.port, large, 20000), 431, "too large");
    free(large);
    assert_int_equal(f.asked, 0);
    stop(&f);
}

static void a_token_in_the_address_becomes_a_cookie(void **state)
{
    (void)state;
    static const char token[] = "0123456789abcdef";
    fixture f;
    char cookie[64];
    start(&f, token);
    http_expect(http_get(f.loop, f.port, "/", ""), 401, "needs its token");
    http_expect(http_get(f.loop, f.port, "/?token=0123456789abcdeX", ""), 401, "needs its token");
    assert_int_equal(f.asked, 0);
    snprintf(cookie, sizeof cookie, "trireme-%u=0123456789abcdef", (unsigned)f.port);
    char *greeting = http_get(f.loop, f.port, "/?token=0123456789abcdef", "");
    assert_non_null(strstr(greeting, cookie));
    assert_non_null(strstr(greeting, "HttpOnly; SameSite=Strict"));
    http_expect(greeting, 303, "Location: /\r\n");
    char line[128];
    snprintf(line, sizeof line, "Cookie: %s\r\n", cookie);
    http_expect(http_get(f.loop, f.port, "/", line), 200, "hello");
    http_expect(http_get(f.loop, f.port, "/", "Authorization: Bearer 0123456789abcdef\r\n"), 200, "hello");
    stop(&f);
}

static void send_number(void *context, tri__http_exchange *stream, int64_t *version)
{
    (void)context;
    char text[32];
    const int size = snprintf(text, sizeof text, "%d", (int)++*version);
    tri__http_stream_send(stream, "number", text, (size_t)size);
}

static void streams_get_events_until_they_leave(void **state)
{
    (void)state;
    fixture f;
    http_client first, second;
    char request[128];
    start(&f, NULL);
    snprintf(request, sizeof request, "GET /stream HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", (unsigned)f.port);
    http_connect(&first, f.port);
    http_say(&first, request, strlen(request));
    http_until(f.loop, &first, strstr(first.text, "text/event-stream"));
    tri__http_server_each_stream(f.server, send_number, NULL);
    http_until(f.loop, &first, strstr(first.text, "event: number\ndata: 1\n\n"));
    http_connect(&second, f.port);
    http_say(&second, request, strlen(request));
    http_until(f.loop, &second, strstr(second.text, "text/event-stream"));
    http_close(&first);
    tri__http_server_each_stream(f.server, send_number, NULL);
    tri__http_server_each_stream(f.server, send_number, NULL);
    http_until(f.loop, &second, strstr(second.text, "data: 2\n\n"));
    assert_false(second.ended);
    http_close(&second);
    stop(&f);
}

static void count_streams(void *context, tri__http_exchange *stream, int64_t *version)
{
    (void)stream, (void)version;
    ++*(int *)context;
}

static int streams_of(const fixture *f)
{
    int count = 0;
    tri__http_server_each_stream(f->server, count_streams, &count);
    return count;
}

static void streams_beyond_the_most_are_refused_and_pages_still_served(void **state)
{
    (void)state;
    fixture f;
    http_client client[TRI_HTTP_STREAMS];
    char request[128];
    start(&f, NULL);
    snprintf(request, sizeof request, "GET /stream HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", (unsigned)f.port);
    for (int i = 0; i < TRI_HTTP_STREAMS; i++) {
        http_connect(&client[i], f.port);
        http_say(&client[i], request, strlen(request));
        http_until(f.loop, &client[i], strstr(client[i].text, "text/event-stream"));
    }
    assert_int_equal(streams_of(&f), TRI_HTTP_STREAMS);
    http_expect(http_get(f.loop, f.port, "/stream", ""), 503, "too many pages");
    http_expect(http_get(f.loop, f.port, "/", ""), 200, "hello");
    for (int i = 0; i < TRI_HTTP_STREAMS; i++)
        http_close(&client[i]);
    stop(&f);
}

static void connections_beyond_the_most_are_closed_until_one_leaves(void **state)
{
    (void)state;
    fixture f;
    http_client idle[TRI_HTTP_CONNECTIONS], late;
    start(&f, NULL);
    for (int i = 0; i < TRI_HTTP_CONNECTIONS; i++) {
        http_connect(&idle[i], f.port);
        tri__loop_turn(f.loop, tri__clock_now() + CLIENT_PATIENCE); /* accepted */
    }
    http_connect(&late, f.port);
    http_until(f.loop, &late, late.ended);
    assert_int_equal(late.size, 0);
    http_close(&late);
    for (int i = 0; i < TRI_HTTP_CONNECTIONS; i++)
        http_close(&idle[i]);
    http_client last; /* is admitted once the server has seen one of them leave */
    bool served = false;
    for (int64_t deadline = tri__clock_now() + CLIENT_PATIENCE; !served && tri__clock_now() < deadline;) {
        char request[64];
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        http_connect(&last, f.port);
        http_say(&last, request, strlen(request));
        http_until(f.loop, &last, last.ended);
        served = strstr(last.text, "hello");
        http_close(&last);
    }
    assert_true(served);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_has_its_length_and_says_what_a_page_may_do),
        cmocka_unit_test(requests_that_are_not_for_it_are_refused_in_words),
        cmocka_unit_test(a_token_in_the_address_becomes_a_cookie),
        cmocka_unit_test(streams_get_events_until_they_leave),
        cmocka_unit_test(streams_beyond_the_most_are_refused_and_pages_still_served),
        cmocka_unit_test(connections_beyond_the_most_are_closed_until_one_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
