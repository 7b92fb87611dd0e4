/* supply.h: where the files of a data set are taken from: a folder, or a tar archive. */
#ifndef TRI_DATA_FETCH_SUPPLY_H
#define TRI_DATA_FETCH_SUPPLY_H

#include "data/file/content.h"

typedef struct tri__supply tri__supply;

/* path is a folder, or a tar archive, gzipped or not. */
TRI_MUST_CHECK tri_status tri__supply_open(const char *path, tri__supply **out);
void tri__supply_destroy(tri__supply *supply); /* accepts NULL */

/* The content of the file called name. In a folder it may also be gzipped, or spelled with a dot before idx. Lives as long as supply; end
 * it with tri__content_fini. TRI_NOT_FOUND where there is no such file. */
TRI_MUST_CHECK tri_status tri__supply_find(tri__supply *supply, const char *name, tri__content *out);

#endif
