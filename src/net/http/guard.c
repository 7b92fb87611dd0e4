/* guard.c: checks names of loopback, and tokens. */
#include "net/http/guard.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHORTEST = 16, LONGEST = 128 };

/* Host is a name, or a name and the server's port. */
static bool is_loopback(const tri__http_guard *guard, const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    char port[8];
    snprintf(port, sizeof port, ":%" PRIu16, guard->port);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (!strncasecmp(host, names[i], length) && (!host[length] || !strcmp(host + length, port)))
            return true;
    }
    return false;
}

/* The comparison takes the same time however many characters are right, so that nobody can find the token out piece by piece. */
static bool is_token(const tri__http_guard *guard, const char *text, size_t size)
{
    return size == strlen(guard->token) && !CRYPTO_memcmp(text, guard->token, size);
}

static bool shows_token(const tri__http_guard *guard, const tri__http_request *request)
{
    static const char scheme[] = "Bearer ";
    char name[TRI_COOKIE_NAME];
    const char *authorization = request->header[TRI_HTTP_AUTHORIZATION], *value;
    size_t size;
    if (!strncasecmp(authorization, scheme, strlen(scheme)))
        return is_token(guard, authorization + strlen(scheme), strlen(authorization + strlen(scheme)));
    return tri__http_find_value(request->header[TRI_HTTP_COOKIE], ';', tri__http_guard_cookie(guard, name), &value, &size) &&
           is_token(guard, value, size);
}

tri__guard_verdict tri__http_guard_check(const tri__http_guard *guard, const tri__http_request *request)
{
    const char *value;
    size_t size;
    if (!guard->token)
        return is_loopback(guard, request->header[TRI_HTTP_HOST]) ? TRI_GUARD_ADMITS : TRI_GUARD_WRONG_HOST;
    if (shows_token(guard, request))
        return TRI_GUARD_ADMITS;
    if (tri__http_find_value(request->query, '&', "token", &value, &size) && is_token(guard, value, size))
        return TRI_GUARD_GREETS;
    return TRI_GUARD_WANTS_TOKEN;
}

const char *tri__http_guard_cookie(const tri__http_guard *guard, char buffer[TRI_COOKIE_NAME])
{
    snprintf(buffer, TRI_COOKIE_NAME, "trireme-%" PRIu16, guard->port);
    return buffer;
}

tri_status tri__http_guard_make_token(char token[TRI_TOKEN_SIZE])
{
    unsigned char bytes[(TRI_TOKEN_SIZE - 1) / 2];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return tri_fail(TRI_IO, "the system gives no random numbers for a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return NULL;
}

tri_status tri__http_guard_check_token(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    if (strlen(text) < SHORTEST)
        return tri_fail(TRI_BAD_CALL, "a token of %zu characters can be guessed: take %d or more (openssl rand -hex 16 makes one)",
                        strlen(text), SHORTEST);
    if (strlen(text) > LONGEST)
        return tri_fail(TRI_BAD_CALL,
                        "a token of %zu characters is too long for a cookie: take %d or fewer (openssl rand -hex 16 makes one)",
                        strlen(text), LONGEST);
    if (strspn(text, allowed) < strlen(text))
        return tri_fail(TRI_BAD_CALL, "a token is made of letters, digits and - _ . ~ (openssl rand -hex 16 makes one)");
    return NULL;
}
