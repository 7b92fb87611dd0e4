/* record_images.h: picture records: an encoded picture (JPEG, PNG, WebP) or bare pixels, and a class. */
#ifndef TRI_DATA_FORMAT_RECORD_IMAGES_H
#define TRI_DATA_FORMAT_RECORD_IMAGES_H

#include "data/format/record_reader.h"

/* Fill in shape and class names of a source from its first records, which reader reads. */
TRI_MUST_CHECK tri_status tri__record_images_describe(tri__records *self, tri__record_reader *reader, const tri_source_options *options);

/* The `read` function of a source of pictures. */
TRI_MUST_CHECK tri_status tri__record_images_read(tri__reader *reader, int64_t number, const tri__example_target *to);

#endif
