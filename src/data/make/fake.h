/* fake.h: a source of random bytes in any shape with random labels, for measurements. */
#ifndef TRI_DATA_MAKE_FAKE_H
#define TRI_DATA_MAKE_FAKE_H

#include "data/source/source.h"

/* arguments: HxWxC:CLASSES[:N]; NULL if the user gave none. */
TRI_MUST_CHECK tri_status tri__fake_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out);

#endif
