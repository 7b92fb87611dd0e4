/* base64.c: three bytes become four letters; the end is filled up with =. */
#include "base/text/base64.h"

void tri__base64_put(FILE *out, const uint8_t *data, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        const size_t left = size - at;
        const uint32_t bits = (uint32_t)data[at] << 16 | (left > 1 ? (uint32_t)data[at + 1] << 8 : 0) | (left > 2 ? data[at + 2] : 0);
        const char four[] = {letters[bits >> 18], letters[bits >> 12 & 63], left > 1 ? letters[bits >> 6 & 63] : '=',
                             left > 2 ? letters[bits & 63] : '='};
        fwrite(four, 1, sizeof four, out);
    }
}
