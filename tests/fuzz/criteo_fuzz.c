/* criteo_fuzz.c: lines of Criteo text. Keys stay below the number of features, and nothing behind the end is read. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "data/text/criteo.h"
#include "data/text/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_lines(const char *at, const char *end, int64_t features)
{
    while (at < end) {
        const char *before = at;
        int32_t keys[TRI_CRITEO_FIELDS], label;
        const char *wrong = tri__criteo_parse(&at, end, features, keys, &label);
        require(at >= before && at <= end);
        for (int i = 0; i < TRI_CRITEO_FIELDS && !wrong; i++)
            require(keys[i] >= 0 && keys[i] < features);
        require(wrong || label == 0 || label == 1);
        at = tri__line_next(at, end);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    (void)tri__criteo_is(data, size);
    read_lines(text, text + size, 1);
    read_lines(text, text + size, INT32_MAX);
    return 0;
}
