/* libsvm_fuzz.c: lines of LIBSVM text. Numbers are compared with strtof's; keys stay in their range; nothing behind the end is read. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/text/libsvm.h"
#include "data/text/lines.h"
#include "data/text/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 16 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_lines(const char *at, const char *end)
{
    while (at < end) {
        const char *before = at;
        tri__libsvm_line_facts row;
        int32_t keys[ROOM];
        float values[ROOM];
        const char *wrong = tri__libsvm_parse(&at, end, 1, ROOM, keys, values, &row);
        require(at >= before && at <= end && row.features >= 0);
        if (!wrong)
            require(at == end || *at == '\n' || *at == '#');
        for (int64_t i = 0; i < row.features && i < ROOM; i++)
            require(keys[i] >= row.lowest - 1 && keys[i] <= row.highest - 1 && isfinite(values[i]));
        at = tri__line_next(at, end);
    }
}

/* strtof also reads hexadecimal numbers and nan(…), which ours leaves after their first part. */
static void compare_number(const char *text, size_t size)
{
    char copy[256];
    if (size >= sizeof copy)
        return;
    memcpy(copy, text, size);
    copy[size] = 0;
    float ours = 0, theirs;
    const char *behind = tri__number_float(text, text + size, &ours);
    char *end;
    theirs = strtof(copy, &end);
    if (strpbrk(copy, "xX(") || strspn(copy, " \t\n\v\f\r") > 0)
        return;
    require((behind ? behind - text : 0) == end - copy);
    require(!behind || memcmp(&ours, &theirs, sizeof ours) == 0 || (isnan(ours) && isnan(theirs)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    (void)tri__libsvm_is(data, size);
    read_lines(text, text + size);
    compare_number(text, size);
    return 0;
}
