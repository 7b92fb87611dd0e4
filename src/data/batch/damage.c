/* damage.c: which records were found damaged. They are counted when a batch is given out, not when a thread reads them. So the order of
 * the data decides at which record a run ends, however many threads there are. */
#define _GNU_SOURCE /* asprintf */
#include "data/batch/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

void tri__damage_init(tri__damage *damage, int64_t allowed)
{
    *damage = (tri__damage){.allowed = allowed};
}

void tri__damage_fini(tri__damage *damage)
{
    free(damage->records);
    free(damage->told);
    *damage = (tri__damage){0};
}

/* The position of record among the known ones, or where it would be. */
static int position_of(const tri__damage *damage, int64_t record)
{
    int low = 0, high = damage->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (damage->records[middle] < record)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

tri_status tri__damage_add(tri__damage *damage, int64_t record, bool *is_new)
{
    int at = position_of(damage, record);
    *is_new = at == damage->count || damage->records[at] != record;
    if (!*is_new)
        return NULL;
    TRI_TRY(tri__grow(&damage->records, &damage->room, damage->count + 1, sizeof *damage->records, "the list of damaged records"));
    memmove(damage->records + at + 1, damage->records + at, (size_t)(damage->count - at) * sizeof *damage->records);
    damage->records[at] = record;
    damage->count++;
    return NULL;
}

static void tell(tri__damage *damage, tri_status status)
{
    free(damage->told);
    if (asprintf(&damage->told, "left out: %s", tri_status_message(status)) < 0)
        damage->told = NULL;
}

static tri_status check_row(tri__damage *damage, int64_t record, tri_status *failure)
{
    tri_status status = *failure;
    if (tri_status_code(status) != TRI_BAD_DATA || damage->allowed == 0) {
        *failure = NULL;
        return status;
    }
    bool is_new;
    TRI_TRY(tri__damage_add(damage, record, &is_new));
    if (is_new)
        tell(damage, status);
    if (damage->count <= damage->allowed)
        return NULL;
    *failure = NULL;
    return tri_wrap(status, "%d records are damaged, more than --skip-bad %lld allows; the last", damage->count,
                    (long long)damage->allowed);
}

tri_status tri__damage_check(tri__damage *damage, tri__batch_buffer *buffer)
{
    for (int64_t i = 0; i < buffer->batch.count; i++)
        if (buffer->failures[i]) {
            TRI_TRY(check_row(damage, buffer->ids[i], &buffer->failures[i]));
            buffer->batch.damaged++;
        }
    return NULL;
}
