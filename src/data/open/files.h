/* files.h: a path, a folder or a glob turned into the files of a data set, whose format is recognised by what they hold. */
#ifndef TRI_DATA_OPEN_FILES_H
#define TRI_DATA_OPEN_FILES_H

#include "data/source/source.h"

/* Open one part of the data set at spec: a file, a glob, or a folder with what is below it. Files with test, t10k, val or validation in
 * their name, or in a folder of such a name, are the test part; where there are both, val and validation are the validation part. classes:
 * 0 where unknown. TRI_NOT_FOUND: no such part. */
TRI_MUST_CHECK tri_status tri__files_open(const char *spec, tri_part part, int64_t classes, const tri_source_options *options,
                                          tri_source **out);

bool tri__files_are(const char *spec); /* it names a file or a folder, or is a glob */

#endif
