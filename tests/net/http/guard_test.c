/* guard_test.c: who is admitted to a page. */
#include "net/http/guard.h"

#include <string.h>

#include "support.h"

static const char secret[] = "0123456789abcdef0123456789abcdef";

static tri__guard_verdict check(const char *token, const char *host, const char *authorization, const char *cookie, const char *query)
{
    const tri__http_guard guard = {.token = token, .port = 8080};
    const tri__http_request request = {
        .path = "/",
        .query = query,
        .header = {[TRI_HTTP_HOST] = host, [TRI_HTTP_AUTHORIZATION] = authorization, [TRI_HTTP_COOKIE] = cookie}};
    return tri__http_guard_check(&guard, &request);
}

static void without_a_token_only_names_of_loopback_are_admitted(void **state)
{
    (void)state;
    static const char *const right[] = {"localhost", "localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"};
    static const char *const wrong[] = {"",           "evil.example",        "evil.example:8080", "localhost.evil.example", "localhost:81",
                                        "127.0.0.1.", "127.0.0.1:8080.evil", "192.168.0.7:8080",  "localhost:8080x"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_int_equal(check(NULL, right[i], "", "", ""), TRI_GUARD_ADMITS);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(check(NULL, wrong[i], "", "", ""), TRI_GUARD_WRONG_HOST);
}

static void with_a_token_only_those_who_show_it_are_admitted(void **state)
{
    (void)state;
    assert_int_equal(check(secret, "host:8080", "Bearer 0123456789abcdef0123456789abcdef", "", ""), TRI_GUARD_ADMITS);
    assert_int_equal(check(secret, "host:8080", "", "x=1; trireme-8080=0123456789abcdef0123456789abcdef", ""), TRI_GUARD_ADMITS);
    assert_int_equal(check(secret, "host:8080", "", "", "token=0123456789abcdef0123456789abcdef"), TRI_GUARD_GREETS);
    static const char *const wrong[][3] = {
        {"", "", ""},
        {"Bearer ", "", ""},
        {"Bearer 0123456789abcdef0123456789abcdeX", "", ""},
        {"Basic 0123456789abcdef0123456789abcdef", "", ""},
        {"", "trireme-8081=0123456789abcdef0123456789abcdef", ""},
        {"", "trireme-8080=0123456789abcdef0123456789abcde", ""},
        {"", "", "token=0123456789abcdef0123456789abcdef0"},
        {"", "", "token="},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(check(secret, "localhost:8080", wrong[i][0], wrong[i][1], wrong[i][2]), TRI_GUARD_WANTS_TOKEN);
}

static void tokens_are_long_and_differ(void **state)
{
    (void)state;
    char first[TRI_TOKEN_SIZE], second[TRI_TOKEN_SIZE];
    assert_ok(tri__http_guard_make_token(first));
    assert_ok(tri__http_guard_make_token(second));
    assert_int_equal(strlen(first), TRI_TOKEN_SIZE - 1);
    assert_string_not_equal(first, second);
    assert_ok(tri__http_guard_check_token(first));
    assert_fails(tri__http_guard_check_token("short"), TRI_BAD_CALL, "can be guessed");
    char longest[130];
    memset(longest, 'a', sizeof longest);
    longest[129] = longest[128] = 0;
    assert_ok(tri__http_guard_check_token(longest));
    longest[128] = 'a';
    assert_fails(tri__http_guard_check_token(longest), TRI_BAD_CALL, "too long");
    assert_fails(tri__http_guard_check_token("sixteen chars & more"), TRI_BAD_CALL, "letters, digits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_token_only_names_of_loopback_are_admitted),
        cmocka_unit_test(with_a_token_only_those_who_show_it_are_admitted),
        cmocka_unit_test(tokens_are_long_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
