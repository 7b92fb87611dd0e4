/* key_cells.h: which row each key of a server has, as it travels between servers (KEYS): before the rows of a copy, and before those that
 * a server is to begin from.
 *
 * The first two cells are what was left out, as two numbers of 64 bits. Cells of keys that have a row follow, in the order of the rows,
 * then those of keys that wait. */
#ifndef TRI_STORE_PS_STRETCH_KEY_CELLS_H
#define TRI_STORE_PS_STRETCH_KEY_CELLS_H

#include "graph/store/key_map.h"
#include "store/ps/protocol/message.h"

enum { TRI_CELLS_HEAD = 2, TRI_CELLS_PIECE = 1 << 15 }; /* the first ones; those of a message, at the most */

/* Sightings that taught nothing. */
typedef struct {
    int64_t rare, full;
} tri__left_out;

/* {0} is empty. Memory grows and is kept. */
typedef struct {
    tri__key_cell *cell;
    int64_t count, room;
} tri__key_cells;

void tri__key_cells_fini(tri__key_cells *cells);

/* Those of a map's keys that are a server's (layout.h): its rows are numbered in the order in which the map has them. */
TRI_MUST_CHECK tri_status tri__key_cells_take(tri__key_cells *cells, const tri__key_map *map, int server, int servers, tri__left_out left);

/* head: all but position and size. The cells are copied. */
void tri__key_cells_send(const tri__key_cells *cells, tri__connection *to, tri__message head);

/* Is it the size of such a message, where its place is? */
TRI_MUST_CHECK tri_status tri__key_cells_check(const tri__message *message);

tri__left_out tri__key_cells_left_out(const tri__key_cell *cell); /* of the first two */

/* Take cells over into a server's own map, which those at position 0 empty. TRI_BAD_DATA where they are not that server's. */
TRI_MUST_CHECK tri_status tri__key_cells_restore(tri__key_map *map, int server, int servers, int64_t position, const tri__key_cell *cell,
                                                 int64_t count);

#endif
