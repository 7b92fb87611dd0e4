/* decoder.h: for cmocka's tables: a decoder as a test's state. */
#ifndef TESTS_DATA_JPEG_DECODER_H
#define TESTS_DATA_JPEG_DECODER_H

#include "data/photo/jpeg/decode.h"
#include "support.h"

static inline int start(void **state)
{
    tri__jpeg *jpeg;
    assert_ok(tri__jpeg_create(&jpeg));
    *state = jpeg;
    return 0;
}

static inline int finish(void **state)
{
    tri__jpeg_destroy(*state);
    return 0;
}

#endif
