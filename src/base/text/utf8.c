/* utf8.c: UTF-8 as RFC 3629 has it: the shortest form of each character, no surrogates, nothing above U+10FFFF. */
#include "base/text/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/* How many bytes a character has whose first byte is lead; 0 where no character begins with that byte. */
static size_t bytes_of(uint8_t lead)
{
    if (lead < 0x80)
        return lead != 0;
    return lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Too long a form, a surrogate, or above U+10FFFF: all of these show in the first two bytes. */
static bool is_forbidden(uint8_t lead, uint8_t second)
{
    return (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
           (lead == 0xf4 && second > 0x8f);
}

static bool is_character(const uint8_t *at, size_t bytes)
{
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return false;
    return bytes < 2 || !is_forbidden(at[0], at[1]);
}

size_t tri__utf8_length(const char *text, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t done = 0;
    while (done < size) {
        size_t next = bytes_of(bytes[done]);
        if (next == 0 || next > size - done || !is_character(bytes + done, next))
            return done;
        done += next;
    }
    return size;
}
