/* number.h: parses numbers in text, fast and exactly: a float is the one nearest to what is written, as from strtof.
 *
 * Text is a pair of pointers; nothing at end or after it is ever read, and no NUL is needed. Digits are parsed eight at a time: the bytes
 * of one word are tested, aligned and weighted together. So there is no mispredicted branch for each digit. */
#ifndef TRI_DATA_TEXT_NUMBER_H
#define TRI_DATA_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The byte at `at`; at the end of the text, NUL, which is never part of a number. */
static inline char tri__text_look(const char *at, const char *end)
{
    return at < end ? *at : 0;
}

/* 8 bytes, the first one lowest; zeros after the end. */
static inline uint64_t tri__text_word(const char *at, const char *end)
{
    uint64_t word = 0;
    if (end - at >= 8)
        memcpy(&word, at, 8);
    else if (at < end)
        memcpy(&word, at, (size_t)(end - at));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Returns how many bytes of word, from the first on, are digits. *number: the number that they make. */
static inline int tri__digits_of(uint64_t word, uint64_t *number)
{
    uint64_t digits = word ^ 0x3030303030303030; /* the byte of a digit is now 0 … 9 */
    uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    int count = others ? __builtin_ctzll(others) / 8 : 8;
    if (count == 0) {
        *number = 0;
        return 0;
    }
    digits <<= 64 - 8 * count;                                            /* leading zeros */
    digits = (digits * (10 * 0x100 + 1)) >> 8;                            /* pairs */
    digits = ((digits & 0x00ff00ff00ff00ff) * (100 * 0x10000 + 1)) >> 16; /* fours */
    *number = ((digits & 0x0000ffff0000ffff) * (10000 * 0x100000000 + 1)) >> 32;
    return count;
}

static inline bool tri__is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Parse a whole number of up to 15 digits. Returns where it ends; NULL if there is none, or a longer one. */
static inline const char *tri__number_whole(const char *at, const char *end, uint64_t *out)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    int count = tri__digits_of(tri__text_word(at, end), out);
    if (count < 8)
        return count > 0 ? at + count : NULL;
    uint64_t more;
    at += 8;
    count = tri__digits_of(tri__text_word(at, end), &more);
    if (count == 8)
        return NULL;
    *out = *out * powers[count] + more;
    return at + count;
}

/* Parse a decimal number, with or without sign, point and exponent; or nan, inf, infinity. Returns where it ends; NULL if there is none. */
const char *tri__number_float(const char *at, const char *end, float *out);

#endif
