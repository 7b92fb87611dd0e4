/* rank_rows.h: MPI ranks exchange the rows of a table that they offer in a step.
 *
 * Every rank has the whole table. In a step each rank sends its distinct keys and their gradients to all others. Each rank adds up what it
 * received, in the order of the ranks, and applies the rule. So all ranks have the same table, bit for bit. */
#ifndef TRI_STORE_RANK_ROWS_H
#define TRI_STORE_RANK_ROWS_H

#include "graph/store/key_map.h"
#include "net/mpi/ranks.h"
#include "store/merge.h"

typedef struct {
    int64_t features, width;     /* keys are below features; an offered row has width floats */
    tri__offered_rows mine;      /* offered and not exchanged yet; borrowed */
    uint8_t *sent;               /* [each] this rank's rows as they are sent: keys, then gradients */
    uint8_t *all;                /* [ranks][each] the rows of all ranks */
    int64_t sent_room, all_room; /* bytes of `sent` and `all` */
    size_t each;                 /* bytes that every rank sends: those of the longest list */
    int64_t *counts;             /* [ranks] how many rows each rank has */
    int ranks;
    tri__merge merge;                   /* the rows of all ranks, added up */
    int64_t sent_bytes, received_bytes; /* of all exchanges so far */
} tri__rank_rows;

void tri__rank_rows_init(tri__rank_rows *rows, int64_t features, int64_t width);
void tri__rank_rows_fini(tri__rank_rows *rows);

/* Offers this rank's rows of the step. If nothing is offered before the exchange, this rank has no rows. */
void tri__rank_rows_offer(tri__rank_rows *rows, tri__offered_rows mine);

/* Collective. Afterwards the rows of all ranks are here, and the memory of the offered rows may be used again. */
TRI_MUST_CHECK tri_status tri__rank_rows_exchange(tri__rank_rows *rows, tri__ranks *ranks);

/* Adds up what the last exchange brought: rows->merge has the keys and the sums. */
TRI_MUST_CHECK tri_status tri__rank_rows_merge(tri__rank_rows *rows);

/* Collective. All ranks get rank 0's table. If all have the same table already, from the same seed or checkpoint, it is not sent, and
 * memory that was never touched is not taken. */
TRI_MUST_CHECK tri_status tri__rank_rows_share(const tri_table *table, tri__ranks *ranks);

/* Where tables grow: the same for the map, which says which row each key has. The maps of all ranks have the same capacity. */
TRI_MUST_CHECK tri_status tri__rank_rows_share_keys(tri__key_map *map, tri__ranks *ranks);

#endif
