/* number_test.c: every number as strtof reads it: chosen ones, millions of random ones, and those that lie half way between two floats. */
#include "data/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes/random.h"
#include "support.h"

enum { ROUNDS = 600000 };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The number and its length, as strtof sees them, with or without something behind it. */
static void expect_same(const char *number)
{
    char longer[512];
    char *end;
    float theirs = strtof(number, &end);
    size_t length = (size_t)(end - number);
    for (int alone = 0; alone < 2; alone++) {
        size_t size = (size_t)snprintf(longer, sizeof longer, "%s%s", number, alone ? "" : " 5:1.5\n");
        float ours = 0;
        const char *behind = tri__number_float(longer, longer + size, &ours);
        size_t read = behind ? (size_t)(behind - longer) : 0;
        if (read != length || (length > 0 && bits_of(ours) != bits_of(theirs)))
            fail_msg("'%s': %.9g, %zu characters, where strtof reads %.9g, %zu characters", number, (double)ours, read, (double)theirs,
                     length);
    }
}

static void chosen_numbers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0",
        "-0",
        "+0",
        "00",
        "1",
        "-1",
        "+1",
        "7",
        "12345678",
        "123456789",
        "99999999999999999999",
        "0.5",
        ".5",
        "5.",
        "-.25",
        "+.25",
        "1.",
        "0.1",
        "0.3",
        "1e0",
        "1E5",
        "1e+5",
        "1e-5",
        "1.5e3",
        "1e",
        "1e+",
        "1.5e-",
        "1ex",
        "1.e2",
        ".e2",
        ".",
        "-",
        "+",
        "e5",
        "",
        "--1",
        "+-1",
        "16777216",
        "16777217",
        "16777218",
        "16777219",
        "33554433",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "0.000000000000000000000000000000000000011754943",
        "1.17549435e-38",
        "1.17549428e-38",
        "1.4e-45",
        "0.7e-45",
        "0.7006492321624085e-45",
        "7.006492321624085354618e-46",
        "1e-46",
        "1e-400",
        "1e400",
        "-1e400",
        "3.4028234e38",
        "3.4028235e38",
        "3.4028236e38",
        "3.40282357e38",
        "340282346638528859811704183484516925440",
        "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "0.0000000e-5",
        "000000000000000000000000000001",
        "000000000000000000000000000000.000000000000000000000000000000000000000001",
        "1.00000005960464477539062500",
        "1.000000059604644775390625000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "1.00000005960464477539062499999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
        "inf",
        "INF",
        "-inf",
        "infinity",
        "-Infinity",
        "infinit",
        "in",
        "i",
        "123456789012345678901234567890",
        "0.12345678901234567",
        "0.123456789012345678901234567890",
        "1234567.12345678901",
        "1234567.123456789012",
        "8388608.5",
        "8388609.5",
        "0.30000001192092896",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        expect_same(numbers[i]);
    const char *text = "-nan:";
    float value;
    const char *behind = tri__number_float(text, text + 5, &value);
    assert_ptr_equal(behind, text + 4);
    assert_true(isnan(value));
}

/* Every shape of printing that a random float or double may have been through. */
static void random_numbers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const shapes[] = {"%.9g", "%g", "%.1f", "%.3f", "%.8f", "%.12f", "%.17g", "%.16g", "%.25e", "%.60g"};
    tri__key key = tri__key_of(7);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t random = tri__random_bits(key, i);
        char number[400];
        float any;
        uint32_t bits = (uint32_t)random & 0xff7fffff; /* not all ones in the exponent: finite */
        memcpy(&any, &bits, sizeof any);
        double usual = (double)(int64_t)(random >> 20) / (double)(UINT64_C(1) << (random & 31)) / 1e6;
        snprintf(number, sizeof number, shapes[i % 10], i % 20 < 10 ? (double)any : usual);
        expect_same(number);
        snprintf(number, sizeof number, "%s%.*" PRIu64 ".%0*" PRIu64, random & 1 ? "-" : "", (int)(random >> 1 & 3),
                 random >> 40 >> (random & 15), (int)(random >> 3 & 15), random >> 8 & 0xffffff);
        expect_same(number);
        snprintf(number, sizeof number, "%" PRIu64 "e%d", random >> (random & 63), (int)(random >> 6 & 127) - 64);
        expect_same(number);
    }
}

/* The middle between two neighbouring floats, exactly, and a little to either side. */
static void middles_between_floats_are_rounded_right(void **state)
{
    (void)state;
    tri__key key = tri__key_of(8);
    for (uint64_t i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)tri__random_bits(key, i) & 0x7fffffff;
        float low, high;
        if (bits >= 0x7f7fffff)
            continue;
        memcpy(&low, &bits, sizeof low);
        high = nextafterf(low, INFINITY);
        double middle = ((double)low + (double)high) / 2; /* exact: doubles have room for it */
        char number[400];
        snprintf(number, sizeof number, "%.170g", middle);
        expect_same(number);
        snprintf(number, sizeof number, "%.17g", nextafter(middle, i & 1 ? 0 : INFINITY));
        expect_same(number);
        snprintf(number, sizeof number, "%.20g", middle);
        expect_same(number);
    }
}

static void whole_numbers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool found;
        uint64_t value;
    } cases[] = {
        {"0", true, 0},
        {"7:", true, 7},
        {"1234567:", true, 1234567},
        {"12345678:", true, 12345678},
        {"123456789", true, 123456789},
        {"123456789012345 ", true, 123456789012345},
        {"1234567890123456", false, 0},
        {"", false, 0},
        {":", false, 0},
        {"-1", false, 0},
        {"/", false, 0},
        {"\xff"
         "1",
         false, 0},
        {"000000000000001", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value;
        const char *behind = tri__number_whole(cases[i].text, cases[i].text + strlen(cases[i].text), &value);
        assert_int_equal(behind != NULL, cases[i].found);
        if (cases[i].found)
            assert_int_equal(value, cases[i].value);
    }
}

/* All pairs of a digit and any byte: only digits count, and a carry never makes one. */
static void only_ascii_digits_are_read_as_digits(void **state)
{
    (void)state;
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++) {
            char bytes[8] = {'4', (char)first, (char)second, '2', '1', '0', '9', '8'};
            uint64_t number;
            int count = tri__digits_of(tri__text_word(bytes, bytes + 8), &number);
            int expected = !tri__is_digit((char)first) ? 1 : !tri__is_digit((char)second) ? 2 : 8;
            assert_int_equal(count, expected);
            if (expected < 8)
                assert_int_equal(number, expected == 1 ? 4 : 40 + first - '0');
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_numbers_are_read_exactly),          cmocka_unit_test(random_numbers_are_read_exactly),
        cmocka_unit_test(middles_between_floats_are_rounded_right), cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(only_ascii_digits_are_read_as_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
