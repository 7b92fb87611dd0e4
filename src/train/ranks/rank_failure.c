/* rank_failure.c: failures as bytes that ranks exchange. */
#include "train/ranks/rank_failure.h"

#include <stdio.h>

static const tri__rank_failure *at(const void *notes, size_t size, int rank)
{
    return (const tri__rank_failure *)(const void *)((const char *)notes + (size_t)rank * size);
}

void tri__rank_failure_write(tri__rank_failure *failure, tri_status own)
{
    failure->code = (int32_t)(tri_status_code(own) == TRI_STOPPED ? TRI_OK : tri_status_code(own));
    snprintf(failure->message, sizeof failure->message, "%s", failure->code ? tri_status_message(own) : "");
}

int tri__rank_failure_find(const void *notes, size_t size, int count)
{
    for (int i = 0; i < count; i++)
        if (at(notes, size, i)->code)
            return i;
    return -1;
}

tri_status tri__rank_failure_read(const void *notes, size_t size, int rank, const char *kind)
{
    const tri__rank_failure *failure = at(notes, size, rank);
    const tri_code code = (tri_code)failure->code;
    return rank ? tri_fail(code, "%s %d: %s", kind, rank, failure->message) : tri_fail(code, "%s", failure->message);
}
