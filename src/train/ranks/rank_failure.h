/* rank_failure.h: how all ranks learn of the failure of one.
 *
 * Before anything that all ranks must do together, each writes its failure, or that it has none, into a note. The ranks give each other
 * their notes, and every rank goes on with the failure of the first rank that has one: they all end, and for the same reason. */
#ifndef TRI_TRAIN_RANKS_RANK_FAILURE_H
#define TRI_TRAIN_RANKS_RANK_FAILURE_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

enum { TRI_RANK_FAILURE_SIZE = 600 };

/* The first member of a note. */
typedef struct {
    int32_t code; /* a tri_code; TRI_OK: none */
    char message[TRI_RANK_FAILURE_SIZE];
} tri__rank_failure;

/* That the user stopped a run is no failure. */
void tri__rank_failure_write(tri__rank_failure *failure, tri_status own);

/* The first rank whose note has a failure, of count notes of size bytes each; −1: none has. */
int tri__rank_failure_find(const void *notes, size_t size, int count);

/* The failure of that rank, which is called "<kind> <rank>"; of rank 0, which reports for all, it is what that rank said. */
TRI_MUST_CHECK tri_status tri__rank_failure_read(const void *notes, size_t size, int rank, const char *kind);

#endif
