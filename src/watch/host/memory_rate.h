/* memory_rate.h: how fast this machine moves memory. */
#ifndef TRI_WATCH_HOST_MEMORY_RATE_H
#define TRI_WATCH_HOST_MEMORY_RATE_H

#include <stddef.h>

enum { TRI_MEMORY_RATE_MOST = 1 << 26 }; /* bytes: more are not taken from a machine for a measurement */

/* Bytes a second that copies move here with so many threads, what they read and what they write both counted: the best of the copies that
 * begin within `seconds`. A copy reads and writes `bytes` in all, which should be as many as the work uses with which it is compared: some
 * caches hold little, others much. At most TRI_MEMORY_RATE_MOST are used. 0: it could not be measured. */
double tri__memory_rate(size_t bytes, int threads, double seconds);

#endif
