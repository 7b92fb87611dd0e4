/* record_clicks.h: click records: the indices of the features that are there, their values, and a label. */
#ifndef TRI_DATA_FORMAT_RECORD_CLICKS_H
#define TRI_DATA_FORMAT_RECORD_CLICKS_H

#include "data/format/record_reader.h"

/* Fill in shape, width and classes of a source by what all its files show (TRI_RECORD_FACT_…); spec is for messages. */
TRI_MUST_CHECK tri_status tri__record_clicks_describe(tri__records *self, const char *spec, const int64_t *facts,
                                                      const tri_source_options *options);

/* The example of the record that the reader has found. */
TRI_MUST_CHECK tri_status tri__record_clicks_decode(tri__record_reader *self, const tri__example_target *to);

/* The read of such a source. */
TRI_MUST_CHECK tri_status tri__record_clicks_read(tri__reader *reader, int64_t number, const tri__example_target *to);

#endif
