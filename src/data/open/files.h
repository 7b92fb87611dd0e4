/* files.h: finds the files of a data set from a path, a folder or a glob, and recognises their format by what they hold. */
#ifndef TRI_DATA_OPEN_FILES_H
#define TRI_DATA_OPEN_FILES_H

#include "data/source/source.h"

/* Open one part of the data set at spec: a file, a glob, or a folder and its subfolders. Files with test, t10k, val or validation in their
 * name, or in a folder of such a name, are the test part. If there are both kinds, val and validation are the validation part. classes: 0
 * if unknown. TRI_NOT_FOUND: there is no such part. */
TRI_MUST_CHECK tri_status tri__files_open(const char *spec, tri_part part, int64_t classes, const tri_source_options *options,
                                          tri_source **out);

bool tri__files_are(const char *spec); /* spec names a file or a folder, or is a glob */

#endif
