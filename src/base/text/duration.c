/* duration.c: a number, and a table of units. */
#include "base/text/duration.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"

#define LONGEST (INT64_MAX / 4) /* 73 years: deadlines, and twice as much, do not overflow */

static const struct {
    const char *name;
    int64_t nanoseconds;
} units[] = {{"ms", TRI_SECOND / 1000}, {"s", TRI_SECOND}, {"m", 60 * TRI_SECOND}, {"min", 60 * TRI_SECOND}, {"h", 3600 * TRI_SECOND}};

bool tri__duration_parse(const char *text, int64_t *nanoseconds)
{
    char *unit = NULL;
    errno = 0;
    int64_t number = strtoll(text, &unit, 10);
    if (errno || unit == text || number < 1)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name))
            return !__builtin_mul_overflow(number, units[i].nanoseconds, nanoseconds) && *nanoseconds <= LONGEST;
    return false;
}
