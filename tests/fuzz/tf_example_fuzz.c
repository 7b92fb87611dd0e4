/* tf_example_fuzz.c: tf.Example. Whatever is accepted must be readable to the end, the same each time, and within what was given. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "data/format/tf_example.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"index", "value", "label", "image/encoded", "", NULL};
enum { NAMES = 5, ROOM = 64 };

static volatile unsigned seen; /* so that no read is optimised away */

static void read_feature(const tri__feature *feature)
{
    int64_t integers[ROOM], one;
    float floats[ROOM], real;
    const uint8_t *bytes;
    size_t size;
    if (tri__feature_integers(feature, integers, ROOM) != tri__feature_integers(feature, &one, 1))
        abort();
    if (tri__feature_floats(feature, floats, ROOM) != tri__feature_floats(feature, &real, 1))
        abort();
    if (tri__feature_bytes(feature, &bytes, &size))
        for (size_t i = 0; i < size; i++)
            seen += bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__tf_example_query query;
    tri__tf_example_query_init(&query, names);
    tri__feature first[NAMES], second[NAMES];
    bool accepted = tri__tf_example_find(&query, data, size, first);
    if (accepted != tri__tf_example_find(&query, data, size, second)) /* with the order remembered */
        abort();
    for (int i = 0; i < NAMES && accepted; i++) {
        if (first[i].kind != second[i].kind || first[i].list.at != second[i].list.at)
            abort();
        read_feature(&first[i]);
    }
    return 0;
}
