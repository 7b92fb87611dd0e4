/* number.c: converts decimal text to the nearest float.
 *
 * The text gives an integer of up to 19 digits, and a power of ten. Their product or quotient in double has an error of a few units in the
 * last place at most. A double has 29 bits more than a float. So rounding the double gives the float nearest to the number as written,
 * unless the double is within that error of the middle between two floats (one number in 50 million). strtof converts these numbers, and
 * those outside the range of normal floats. */
#include "data/text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
    MOST_DIGITS = 19,   /* as many digits always fit 64 bits */
    KEPT_DIGITS = 160,  /* more digits than any number half way between two floats has */
    LARGEST_POWER = 60, /* of ten: enough for 10^38 · 10^19 */
    MOST_EXPONENT = 1000000,
};

static const double powers[LARGEST_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41,
    1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58, 1e59, 1e60,
};

static const uint64_t whole_powers[MOST_DIGITS + 1] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000U,
};

/* *out: the float nearest to digits · 10^exponent. False if double is too coarse to decide between two floats. */
static inline bool round_scaled(uint64_t digits, int64_t exponent, float *out)
{
    if (digits == 0) {
        *out = 0;
        return true;
    }
    if (exponent < -LARGEST_POWER || exponent > LARGEST_POWER)
        return false;
    double value = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t from_middle = (int64_t)(bits & 0x1fffffff) - 0x10000000;
    *out = (float)value;
    return (from_middle > 4 || from_middle < -4) && value >= 0x1p-126 && value < 3e38;
}

/* The parts of a number in text: its digits as one whole number (cut after the first 19), and the power of ten to multiply it by. */
typedef struct {
    uint64_t digits;
    int64_t exponent;
    int64_t written;         /* the exponent that is written after the digits */
    const char *first, *end; /* the text of the digits, with the point between them */
} decimal;

static const char *scan_digits(const char *at, const char *end, bool behind_point, int *kept, decimal *out)
{
    for (; tri__is_digit(tri__text_look(at, end)); at++) {
        if (*kept < MOST_DIGITS) {
            out->digits = out->digits * 10 + (uint64_t)(*at - '0');
            *kept += out->digits != 0;
            out->exponent -= behind_point;
        } else {
            out->exponent += !behind_point;
        }
    }
    return at;
}

/* Parse an exponent: e, a sign, digits. If the digits are missing, it is not an exponent, and `at` is returned. */
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    *exponent = 0;
    if ((tri__text_look(at, end) | 0x20) != 'e')
        return at;
    const char *digit = at + 1;
    char sign = tri__text_look(digit, end);
    digit += sign == '-' || sign == '+';
    if (!tri__is_digit(tri__text_look(digit, end)))
        return at;
    for (; tri__is_digit(tri__text_look(digit, end)); digit++)
        *exponent = *exponent < MOST_EXPONENT ? *exponent * 10 + (*digit - '0') : *exponent;
    *exponent = sign == '-' ? -*exponent : *exponent;
    return digit;
}

static const char *scan_decimal(const char *at, const char *end, decimal *out)
{
    *out = (decimal){.first = at};
    int kept = 0;
    at = scan_digits(at, end, false, &kept, out);
    bool point = tri__text_look(at, end) == '.';
    if (point)
        at = scan_digits(at + 1, end, true, &kept, out);
    out->end = at;
    if (out->end - out->first == point)
        return NULL;
    at = scan_exponent(at, end, &out->written);
    out->exponent += out->written;
    return at;
}

/* Convert with strtof. It gets the significant digits and an exponent, without a point, as the locale decides which sign is the point. */
static float round_exactly(const decimal *number)
{
    int64_t exponent = number->written;
    char copy[KEPT_DIGITS + 32];
    int kept = 0;
    bool cut = false, behind_point = false;
    for (const char *at = number->first; at < number->end; at++) {
        if (*at == '.') {
            behind_point = true;
            continue;
        }
        if (kept < KEPT_DIGITS) {
            copy[kept] = *at;
            kept += kept > 0 || *at != '0';
            exponent -= behind_point;
        } else {
            cut = cut || *at != '0';
            exponent += !behind_point;
        }
    }
    if (cut) { /* a last digit 1 replaces all that were cut: it keeps the number on the right side of a middle between two floats */
        copy[kept++] = '1';
        exponent--;
    }
    snprintf(copy + kept, sizeof copy - (size_t)kept, "e%lld", (long long)exponent);
    return strtof(copy, NULL);
}

static const char *scan_word(const char *at, const char *end, float *out)
{
    static const struct {
        const char *name;
        size_t length;
        float value;
    } words[] = {{"infinity", 8, INFINITY}, {"inf", 3, INFINITY}, {"nan", 3, NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)(end - at) >= words[i].length && strncasecmp(at, words[i].name, words[i].length) == 0) {
            *out = words[i].value;
            return at + words[i].length;
        }
    return NULL;
}

/* Read any number, after its sign. */
static const char *read_any(const char *at, const char *end, float *out)
{
    decimal number;
    const char *behind = scan_decimal(at, end, &number);
    if (!behind)
        return scan_word(at, end, out);
    if (!round_scaled(number.digits, number.exponent, out))
        *out = round_exactly(&number);
    return behind;
}

/* Read up to 19 digits. Returns how many there are, or 20 if there are more. */
static inline int read_digits(const char *at, const char *end, uint64_t *out)
{
    int count = tri__digits_of(tri__text_word(at, end), out), all = count;
    while (count == 8 && all <= 16) {
        uint64_t more;
        count = tri__digits_of(tri__text_word(at + all, end), &more);
        all += count;
        if (all <= MOST_DIGITS)
            *out = *out * whole_powers[count] + more;
    }
    return all <= MOST_DIGITS ? all : MOST_DIGITS + 1;
}

/* Read a usual number: up to 19 digits, with or without a point among them. False if it is something else. */
static inline bool read_short(const char *at, const char *end, const char **behind, float *out)
{
    uint64_t whole, fraction;
    int count = 1, places = 0;
    if (end - at >= 2 && tri__is_digit(at[0]) && !tri__is_digit(at[1]))
        whole = (uint64_t)(*at - '0'); /* one digit before the point is common: then the point is found without counting digits */
    else
        count = read_digits(at, end, &whole);
    at += count;
    if (tri__text_look(at, end) == '.') {
        at++;
        places = read_digits(at, end, &fraction);
        at += places;
    }
    if (count + places == 0 || places > MOST_DIGITS || count + places > MOST_DIGITS || (tri__text_look(at, end) | 0x20) == 'e')
        return false;
    if (places == 0)
        *out = (float)whole;
    else if (!round_scaled(whole * whole_powers[places] + fraction, -places, out))
        return false;
    *behind = at;
    return true;
}

const char *tri__number_float(const char *at, const char *end, float *out)
{
    char sign = tri__text_look(at, end);
    at += sign == '-' || sign == '+';
    const char *behind;
    if (!read_short(at, end, &behind, out))
        behind = read_any(at, end, out);
    if (behind && sign == '-')
        *out = -*out;
    return behind;
}
