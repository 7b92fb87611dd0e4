/* cache.h: decoded examples by record number, so that epochs after the first decode nothing.
 *
 * Memory holds the first records, as many as its bound allows. A file in the cache folder holds the others; it has no name, so it
 * vanishes with the process. Any number of threads may get and put at the same time. */
#ifndef TRI_DATA_BATCH_CACHE_H
#define TRI_DATA_BATCH_CACHE_H

#include "data/source/source.h"

typedef struct tri__cache tri__cache;

/* A cache for records 0 … records − 1 of source. memory: its bound in bytes; 0 is half of what the machine has available. folder: where
 * the file for the other records is made; NULL leaves these uncached. */
TRI_MUST_CHECK tri_status tri__cache_create(const tri_source *source, int64_t records, int64_t memory, const char *folder,
                                            tri__cache **out);
void tri__cache_destroy(tri__cache *cache); /* accepts NULL */

bool tri__cache_get(tri__cache *cache, int64_t record, const tri__example_target *to); /* false where the cache does not have it */
bool tri__cache_holds(const tri__cache *cache, int64_t record); /* in memory, so that tri__cache_get cannot fail or wait */
void tri__cache_put(tri__cache *cache, int64_t record, const tri__example_target *from); /* does nothing if it is there, or without room */

/* Why some records cannot be cached: the disk is full, or the set is larger than memory and there is no folder. "" where all can. */
void tri__cache_trouble(const tri__cache *cache, char *text, size_t size);

#endif
