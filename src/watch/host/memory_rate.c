/* memory_rate.c: one half of a buffer is copied over the other, by all threads together. */
#include "watch/host/memory_rate.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"

/* Each thread copies a slice. */
static void copy(char *to, const char *from, size_t bytes, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        const size_t count = (size_t)omp_get_num_threads(), number = (size_t)omp_get_thread_num();
        const size_t begin = bytes / count * number, end = number + 1 == count ? bytes : begin + bytes / count;
        memcpy(to + begin, from + begin, end - begin);
    }
}

/* The first copy also gets the pages from the kernel, so it is not timed. */
static double time_copies(char *buffer, size_t half, int threads, double seconds)
{
    double rate = 0;
    copy(buffer, buffer + half, half, threads);
    int64_t now = tri__clock_now();
    const int64_t end = now + (int64_t)(seconds * 1e9);
    while (now < end) {
        const int64_t begin = now;
        copy(buffer, buffer + half, half, threads);
        now = tri__clock_now();
        rate = now > begin ? fmax(rate, 2.0 * (double)half / tri__clock_seconds(now - begin)) : rate;
    }
    return rate;
}

double tri__memory_rate(size_t bytes, int threads, double seconds)
{
    const size_t half = (bytes < TRI_MEMORY_RATE_MOST ? bytes : TRI_MEMORY_RATE_MOST) / 2;
    char *buffer = half > 0 ? malloc(2 * half) : NULL;
    if (!buffer)
        return 0;
    memset(buffer, 1, 2 * half); /* pages that were never written are all the same page of zeros */
    const double rate = time_copies(buffer, half, threads, seconds);
    free(buffer);
    return rate;
}
