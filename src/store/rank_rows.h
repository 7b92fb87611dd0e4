/* rank_rows.h: the rows of a table that the ranks of MPI offer in a step, given to all of them.
 *
 * Every rank has the whole table. In a step each gives its distinct keys and their gradients to all others, and each adds up what it got,
 * in the order of the ranks, and applies the rule: tables are equal by construction, bit for bit. */
#ifndef TRI_STORE_RANK_ROWS_H
#define TRI_STORE_RANK_ROWS_H

#include "graph/store/key_map.h"
#include "net/mpi/ranks.h"
#include "store/merge.h"

typedef struct {
    int64_t features, width;     /* keys are below; floats of an offered row */
    tri__offered_rows mine;      /* offered and not exchanged yet; borrowed */
    uint8_t *sent;               /* [each] mine as it travels: keys, then gradients … */
    uint8_t *all;                /* … [ranks][each] and everybody's */
    int64_t sent_room, all_room; /* bytes of them */
    size_t each;
    int64_t *counts; /* [ranks] rows of each */
    int ranks;
    tri__merge merge;                   /* of all; its sum is the step's */
    int64_t sent_bytes, received_bytes; /* so far, of rows */
} tri__rank_rows;

void tri__rank_rows_init(tri__rank_rows *rows, int64_t features, int64_t width);
void tri__rank_rows_fini(tri__rank_rows *rows);

/* What this rank has for the step. Where nothing is offered before the exchange, it has no rows. */
void tri__rank_rows_offer(tri__rank_rows *rows, tri__offered_rows mine);

/* Collective: afterwards all ranks' rows are here. What was offered may be forgotten. */
TRI_MUST_CHECK tri_status tri__rank_rows_exchange(tri__rank_rows *rows, tri__ranks *ranks);

/* Add up what the last exchange brought: rows->merge has keys and sums. */
TRI_MUST_CHECK tri_status tri__rank_rows_merge(tri__rank_rows *rows);

/* Collective: all ranks get rank 0's table. Where all have the same already, as they do when each has made it from the same seed or
 * checkpoint, nothing travels, and memory that was never touched is not taken. */
TRI_MUST_CHECK tri_status tri__rank_rows_share(const tri_table *table, tri__ranks *ranks);

/* The same of which row each key has, where tables grow. The maps of all ranks have the same capacity. */
TRI_MUST_CHECK tri_status tri__rank_rows_share_keys(tri__key_map *map, tri__ranks *ranks);

#endif
