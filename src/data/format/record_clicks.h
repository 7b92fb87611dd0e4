/* record_clicks.h: click records: the indices of the features that are not zero, their values, and a label. */
#ifndef TRI_DATA_FORMAT_RECORD_CLICKS_H
#define TRI_DATA_FORMAT_RECORD_CLICKS_H

#include "data/format/record_reader.h"

/* Fill in shape, width and classes of a source. facts: of all its files (TRI_RECORD_FACT_…); spec is for messages. */
TRI_MUST_CHECK tri_status tri__record_clicks_describe(tri__records *self, const char *spec, const int64_t *facts,
                                                      const tri_source_options *options);

/* Decode the record that the reader found last. */
TRI_MUST_CHECK tri_status tri__record_clicks_decode(tri__record_reader *self, const tri__example_target *to);

/* The `read` function of a source of clicks. */
TRI_MUST_CHECK tri_status tri__record_clicks_read(tri__reader *reader, int64_t number, const tri__example_target *to);

#endif
