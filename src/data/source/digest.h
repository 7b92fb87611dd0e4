/* digest.h: a few characters by which two machines compare their data. */
#ifndef TRI_DATA_SOURCE_DIGEST_H
#define TRI_DATA_SOURCE_DIGEST_H

#include "trireme/dataset.h"

enum { TRI_DATA_DIGEST_SIZE = 9 }; /* eight hexadecimal digits and a NUL */

/* A digest of the source's examples: of their number, type, shape and classes, and of TRI_DIGEST_EXAMPLES of them from the first to
 * the last, as a model gets them. It does not depend on paths, on the format or on compression. Only these examples are read, so the
 * digest detects other data, but not one changed example among many. If one of these examples is damaged, the digest is "", which means
 * that it is unknown; training then reports the damage. */
enum { TRI_DIGEST_EXAMPLES = 16 };
TRI_MUST_CHECK tri_status tri__source_digest(tri_source *source, char digest[TRI_DATA_DIGEST_SIZE]);

/* Whether both digests are known and differ. */
bool tri__data_differs(const char *digest, const char *other);

#endif
