/* convert_example.h: one example of a source as a tf.Example. */
#ifndef TRI_DATA_CONVERT_CONVERT_EXAMPLE_H
#define TRI_DATA_CONVERT_CONVERT_EXAMPLE_H

#include "data/convert/convert.h"
#include "data/format/tf_example.h"
#include "data/source/source.h"

/* What one thread needs to make tf.Example messages of records. */
typedef struct {
    tri_source *source;
    tri__reader *reader;
    tri__encoding encoding;
    tri__tf_example_writer example;
    uint8_t *x;     /* dense: one example */
    int32_t *keys;  /* sparse: [width] */
    float *values;  /* sparse: [width] */
    int64_t *wide;  /* sparse: [width] keys as 64-bit integers, which the message takes */
    int64_t count;  /* sparse: features of the last example */
    int32_t label;  /* class of the last example */
    float *targets; /* [outputs] of the last example, where labels are not classes */
} tri__translator;

/* TRI_BAD_CALL if the source's examples cannot be written as pictures or clicks. */
TRI_MUST_CHECK tri_status tri__translator_check(const tri_source *source, tri__encoding encoding);
TRI_MUST_CHECK tri_status tri__translator_init(tri__translator *translator, tri_source *source, tri__encoding encoding);
void tri__translator_fini(tri__translator *translator);

/* The message of a record, valid until the next call. */
TRI_MUST_CHECK tri_status tri__translate(tri__translator *translator, int64_t record, const uint8_t **data, size_t *size);

#endif
