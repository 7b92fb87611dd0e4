/* convert_example.h: one example of a source as a tf.Example. */
#ifndef TRI_DATA_CONVERT_CONVERT_EXAMPLE_H
#define TRI_DATA_CONVERT_CONVERT_EXAMPLE_H

#include "data/convert/convert.h"
#include "data/format/tf_example.h"
#include "data/source/source.h"

/* What one thread needs to turn records into messages. */
typedef struct {
    tri_source *source;
    tri__reader *reader;
    tri__encoding encoding;
    tri__tf_example_writer example;
    uint8_t *x;     /* dense: one example */
    int32_t *keys;  /* sparse: [width] … */
    float *values;  /* … and [width] */
    int64_t *wide;  /* sparse: [width] keys as they are written */
    int64_t count;  /* sparse: features of the last one */
    int32_t label;  /* of the last one, … */
    float *targets; /* … or its numbers: [outputs] */
} tri__translator;

/* TRI_BAD_CALL where the source's examples have no such form. */
TRI_MUST_CHECK tri_status tri__translator_check(const tri_source *source, tri__encoding encoding);
TRI_MUST_CHECK tri_status tri__translator_init(tri__translator *translator, tri_source *source, tri__encoding encoding);
void tri__translator_fini(tri__translator *translator);

/* The message of a record, valid until the next call. */
TRI_MUST_CHECK tri_status tri__translate(tri__translator *translator, int64_t record, const uint8_t **data, size_t *size);

#endif
