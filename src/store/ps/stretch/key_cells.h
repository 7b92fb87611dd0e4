/* key_cells.h: which row each key of a server has, as servers send it to each other (KEYS): before the rows of a copy, and before the rows
 * of a RESTORE. To a standby, the message's step is the last step whose sightings are counted, plus 1.
 *
 * The first two cells hold what was left out, as two numbers of 64 bits. Cells of keys that have a row follow, in the order of the rows,
 * then cells of keys that wait for a row. */
#ifndef TRI_STORE_PS_STRETCH_KEY_CELLS_H
#define TRI_STORE_PS_STRETCH_KEY_CELLS_H

#include "graph/store/key_map.h"
#include "store/ps/protocol/message.h"

enum { TRI_CELLS_HEAD = 2, TRI_CELLS_PIECE = 1 << 15 }; /* cells before the keys; the most cells of a message */

/* Sightings from which the model learned nothing: the key was too rare, or the table was full. */
typedef struct {
    int64_t rare, full;
} tri__left_out;

/* {0} is empty. Memory grows and is kept. */
typedef struct {
    tri__key_cell *cell;
    int64_t count, room;
} tri__key_cells;

void tri__key_cells_fini(tri__key_cells *cells);

/* Makes room for `keys` cells behind the first two, which are written. */
TRI_MUST_CHECK tri_status tri__key_cells_begin(tri__key_cells *cells, int64_t keys, tri__left_out left);

/* Takes the cells of those keys of a map that belong to a server (layout.h). The server's rows are numbered in the order of the map. */
TRI_MUST_CHECK tri_status tri__key_cells_take(tri__key_cells *cells, const tri__key_map *map, int server, int servers, tri__left_out left);

/* head: all but type, position and size. The cells are copied. */
void tri__key_cells_send(const tri__key_cells *cells, tri__connection *to, tri__message head);

/* TRI_BAD_DATA where the message has a position or a size that no such message has. */
TRI_MUST_CHECK tri_status tri__key_cells_check(const tri__message *message);

/* Reads the first two cells. TRI_BAD_DATA where they are no counts. */
TRI_MUST_CHECK tri_status tri__key_cells_left_out(const tri__key_cell *cell, tri__left_out *out);

/* True for a cell that a server may send: a key of that server, with a row or with a count that can be negated. Whether the row is the next
 * one, and whether the key comes twice, is for the receiver to check. */
bool tri__key_cell_is_of(const tri__key_cell *cell, const tri__key_map *map, int server, int servers);

/* Puts cells into a server's own map. Cells at position 0 empty the map first. TRI_BAD_DATA where the cells are not that server's. */
TRI_MUST_CHECK tri_status tri__key_cells_restore(tri__key_map *map, int server, int servers, int64_t position, const tri__key_cell *cell,
                                                 int64_t count);

#endif
