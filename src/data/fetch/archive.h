/* archive.h: where the files of a data set are taken from: a tar archive, or a folder that holds what was in one. */
#ifndef TRI_DATA_FETCH_ARCHIVE_H
#define TRI_DATA_FETCH_ARCHIVE_H

#include "data/file/content.h"

typedef struct tri__archive tri__archive;

/* path is a folder, or a tar archive, gzipped or not. */
TRI_MUST_CHECK tri_status tri__archive_open(const char *path, tri__archive **out);
void tri__archive_destroy(tri__archive *archive); /* accepts NULL */

/* The content of the file called name. In a folder the file may also be gzipped, or have a dot before idx in its name. *out must not
 * outlive archive; end it with tri__content_fini. TRI_NOT_FOUND if there is no such file. */
TRI_MUST_CHECK tri_status tri__archive_find(tri__archive *archive, const char *name, tri__content *out);

#endif
