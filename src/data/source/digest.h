/* digest.h: a few characters by which two machines compare their data. */
#ifndef TRI_DATA_SOURCE_DIGEST_H
#define TRI_DATA_SOURCE_DIGEST_H

#include "trireme/dataset.h"

enum { TRI_DATA_DIGEST_SIZE = 9 }; /* eight hexadecimal digits and a NUL */

/* A digest of the source's examples: of their number, type, shape and classes, and of TRI_DIGEST_EXAMPLES of them from the first to
 * the last, as a model gets them. It does not depend on paths, on the format or on compression. It costs as much as
 * reading these examples, so it finds other data, not one changed example among many. The digest is "" where one of
 * these examples is damaged: then nothing is known, and whoever trains on it finds the damage. */
enum { TRI_DIGEST_EXAMPLES = 16 };
TRI_MUST_CHECK tri_status tri__source_digest(tri_source *source, char digest[TRI_DATA_DIGEST_SIZE]);

/* Whether two digests are known, and of different data. */
bool tri__data_differs(const char *digest, const char *other);

#endif
