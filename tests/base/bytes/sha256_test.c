/* SHA-256 against NIST's examples, in one piece and in many. */
#include "support.h"

#include <string.h>

#include "base/bytes/sha256.h"

static void expect_digest(const char *text, size_t times, const char *digest)
{
    tri__sha256 hash;
    char hex[65];
    tri__sha256_init(&hash);
    for (size_t i = 0; i < times; i++)
        tri__sha256_update(&hash, text, strlen(text));
    tri__sha256_final(&hash, hex);
    assert_string_equal(hex, digest);
}

static void sha256_gives_the_published_digests(void **state)
{
    (void)state;
    expect_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
                  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    expect_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_of_pieces_is_that_of_the_whole(void **state)
{
    (void)state;
    char text[300], expected[65], got[65];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7);
    tri__sha256 hash;
    tri__sha256_init(&hash);
    tri__sha256_update(&hash, text, sizeof text);
    tri__sha256_final(&hash, expected);
    for (size_t piece = 1; piece < sizeof text; piece++) {
        tri__sha256_init(&hash);
        for (size_t at = 0; at < sizeof text; at += piece)
            tri__sha256_update(&hash, text + at, at + piece < sizeof text ? piece : sizeof text - at);
        tri__sha256_final(&hash, got);
        assert_string_equal(got, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_published_digests),
        cmocka_unit_test(sha256_of_pieces_is_that_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
