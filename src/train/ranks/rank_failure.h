/* rank_failure.h: how all ranks learn that one of them has failed.
 *
 * Before all ranks do something together, each writes its failure, or that it has none, into a note. The ranks exchange their notes, and
 * every rank returns the failure of the first rank that has one: they all end, for the same reason. */
#ifndef TRI_TRAIN_RANKS_RANK_FAILURE_H
#define TRI_TRAIN_RANKS_RANK_FAILURE_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

enum { TRI_RANK_FAILURE_SIZE = 600 };

/* The first member of a note. */
typedef struct {
    int32_t code; /* a tri_code; TRI_OK: no failure */
    char message[TRI_RANK_FAILURE_SIZE];
} tri__rank_failure;

/* Write own into a note. TRI_STOPPED counts as no failure: the user stopped the run. */
void tri__rank_failure_write(tri__rank_failure *failure, tri_status own);

/* The first rank whose note has a failure; −1: none has. notes: `count` notes of `size` bytes each. */
int tri__rank_failure_find(const void *notes, size_t size, int count);

/* The failure of `rank` as a status. The message names it as "<kind> <rank>", except for rank 0, which reports for all: its own message is
 * returned. */
TRI_MUST_CHECK tri_status tri__rank_failure_read(const void *notes, size_t size, int rank, const char *kind);

#endif
