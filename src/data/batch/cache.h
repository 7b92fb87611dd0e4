/* cache.h: decoded examples by record number, so that epochs after the first decode nothing.
 *
 * The first records stand in memory, as many as its bound allows, the others in a file of the cache folder that has no name and
 * vanishes with the process. Any number of threads get and put at the same time. */
#ifndef TRI_DATA_BATCH_CACHE_H
#define TRI_DATA_BATCH_CACHE_H

#include "data/source/source.h"

typedef struct tri__cache tri__cache;

/* Records 0 … records − 1 of source. memory: bytes, 0 is half of what the machine has available. folder: for what memory does not hold;
 * NULL leaves that uncached. */
TRI_MUST_CHECK tri_status tri__cache_create(const tri_source *source, int64_t records, int64_t memory, const char *folder,
                                            tri__cache **out);
void tri__cache_destroy(tri__cache *cache); /* accepts NULL */

bool tri__cache_get(tri__cache *cache, int64_t record, const tri__example_target *to);   /* false where it is not there */
bool tri__cache_holds(const tri__cache *cache, int64_t record);                          /* in memory: getting it cannot fail or wait */
void tri__cache_put(tri__cache *cache, int64_t record, const tri__example_target *from); /* once is enough; what cannot be kept is not */

/* What keeps records out of the cache: a full disk, or a set larger than memory and no folder. "" where nothing does. */
void tri__cache_trouble(const tri__cache *cache, char *text, size_t size);

#endif
