/* request_test.c: heads of requests, whole and in pieces, right and wrong. */
#include "net/http/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char whole[] = "GET /metrics?token=abc&x=1 HTTP/1.1\r\nhost: localhost:80\r\nAccept: */*\r\nCookie: a=1; b=2\r\n\r\n";

static tri__http_reader *reader_create(void)
{
    tri__http_reader *reader;
    assert_ok(tri__http_reader_create(&reader));
    return reader;
}

static tri__http_progress progress_of(const char *text)
{
    tri__http_reader *reader = reader_create();
    const tri__http_progress progress = tri__http_reader_take(reader, text, strlen(text));
    tri__http_reader_destroy(reader);
    return progress;
}

static void assert_whole(const tri__http_reader *reader)
{
    const tri__http_request *request = tri__http_reader_request(reader);
    assert_int_equal(request->method, TRI_HTTP_GET);
    assert_string_equal(request->path, "/metrics");
    assert_string_equal(request->query, "token=abc&x=1");
    assert_string_equal(request->header[TRI_HTTP_HOST], "localhost:80");
    assert_string_equal(request->header[TRI_HTTP_COOKIE], "a=1; b=2");
    assert_string_equal(request->header[TRI_HTTP_AUTHORIZATION], "");
}

static void a_request_is_the_same_in_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= strlen(whole); piece++) {
        tri__http_reader *reader = reader_create();
        tri__http_progress progress = TRI_HTTP_WANTS_MORE;
        for (size_t at = 0; at < strlen(whole); at += piece) {
            assert_int_equal(progress, TRI_HTTP_WANTS_MORE);
            progress = tri__http_reader_take(reader, whole + at, strlen(whole) - at < piece ? strlen(whole) - at : piece);
        }
        assert_int_equal(progress, TRI_HTTP_WHOLE);
        assert_whole(reader);
        tri__http_reader_destroy(reader);
    }
}

static void what_is_no_request_is_malformed(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "hello\r\n\r\n",
        "GET  HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\x02",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(progress_of(wrong[i]), TRI_HTTP_MALFORMED);
}

static void a_head_has_a_largest_size(void **state)
{
    (void)state;
    char *large = malloc(2 * TRI_HTTP_LARGEST);
    int length = sprintf(large, "GET / HTTP/1.1\r\nCookie: ");
    memset(large + length, 'a', 2 * TRI_HTTP_LARGEST - (size_t)length);
    tri__http_reader *reader = reader_create();
    tri__http_progress progress = TRI_HTTP_WANTS_MORE;
    size_t taken = 0;
    for (; progress == TRI_HTTP_WANTS_MORE; taken += 1000)
        progress = tri__http_reader_take(reader, large + taken, 1000);
    assert_int_equal(progress, TRI_HTTP_TOO_LARGE);
    assert_in_range(taken, TRI_HTTP_LARGEST, TRI_HTTP_LARGEST + 1000);
    tri__http_reader_destroy(reader);
    free(large);
}

static void other_methods_and_bodies_are_told_by_their_head(void **state)
{
    (void)state;
    const char *post = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
    tri__http_reader *reader = reader_create();
    assert_int_equal(tri__http_reader_take(reader, post, strlen(post)), TRI_HTTP_WHOLE);
    assert_int_equal(tri__http_reader_request(reader)->method, TRI_HTTP_OTHER_METHOD);
    tri__http_reader_destroy(reader);
}

static void values_are_found_by_their_whole_names(void **state)
{
    (void)state;
    const char *value;
    size_t size;
    assert_true(tri__http_find_value("a=1; token=xyz; b=", ';', "token", &value, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(value, "xyz", 3);
    assert_true(tri__http_find_value("token=", '&', "token", &value, &size));
    assert_int_equal(size, 0);
    assert_false(tri__http_find_value("mytoken=1&tokens=2&token", '&', "token", &value, &size));
    assert_false(tri__http_find_value("", '&', "token", &value, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_the_same_in_pieces_of_any_size),
        cmocka_unit_test(what_is_no_request_is_malformed),
        cmocka_unit_test(a_head_has_a_largest_size),
        cmocka_unit_test(other_methods_and_bodies_are_told_by_their_head),
        cmocka_unit_test(values_are_found_by_their_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
