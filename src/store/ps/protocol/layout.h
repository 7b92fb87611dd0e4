/* layout.h: which server keeps which floats, and the chunks in which they travel.
 *
 * Servers own equal stretches of the flat buffer, so that no server gets one big layer alone. A stretch is cut into chunks of at most
 * 256 kB: a gradient is pushed, applied and answered chunk by chunk. Chunks are numbered through all servers.
 *
 * A table is dealt out row by row: row r is on server r mod servers, as its row r / servers. Features are often numbered by how frequent
 * they are, or field by field. So equal ranges would give one server most of the work; a hash would cost more, and lists of rows would not
 * be shorter. A server's part of a table is one more chunk, behind the chunks of its stretch, and travels by key (keyed.h). So what holds
 * for chunks holds for tables: who must push what in which step, and that a push is taken once.
 *
 * Where tables grow (graph/store/key_map.h), keys are dealt out in the same way: key k is on server k mod servers, and workers name it
 * there by k / servers. That server gives it the next of its own rows. All servers have room for the same number of rows. */
#ifndef TRI_STORE_PS_PROTOCOL_LAYOUT_H
#define TRI_STORE_PS_PROTOCOL_LAYOUT_H

#include "base/file/json.h"
#include "graph/store/key_map.h"
#include "trireme/tensor.h"

enum { TRI_CHUNK_FLOATS = 65536, TRI_CHUNK_BYTES = TRI_CHUNK_FLOATS * 4, TRI_MOST_SERVERS = 1024 };

enum { TRI_LAYOUT_TABLES = 16 };

typedef struct {
    int64_t rows, width;
} tri__table_shape;

/* How tables grow. All tables of a model have the same keys. */
typedef struct {
    int64_t most; /* keys that each server has room for; 0: tables do not grow */
    int64_t min_count;
    tri__initial_row initial[TRI_LAYOUT_TABLES];
} tri__table_growth;

/* The tables of a model. {0}: it has none. */
typedef struct {
    int count;
    tri__table_shape table[TRI_LAYOUT_TABLES];
    tri__table_growth growth;
} tri__table_shapes;

typedef struct {
    size_t floats;
    int servers;
    tri__table_shapes tables;
} tri__layout;

/* TRI_BAD_CALL where there are more servers than the model has pieces for, or a row of a table is larger than a chunk. */
TRI_MUST_CHECK tri_status tri__layout_init(tri__layout *layout, size_t floats, const tri__table_shapes *tables, int servers);
json_t *tri__tables_json(const tri__table_shapes *tables); /* [[rows, width], …]; where tables grow, how they grow follows the width */
TRI_MUST_CHECK tri_status tri__tables_read(const json_t *json, tri__table_shapes *out); /* TRI_BAD_DATA where it is not such a list */
bool tri__layout_fits(const tri__layout *layout, size_t floats, const tri__table_shapes *tables); /* the layout is that of this model */

tri_range tri__layout_stretch(const tri__layout *layout, int server);
uint32_t tri__layout_first(const tri__layout *layout, int server); /* its first chunk; for server `servers`: the number of all chunks */
uint32_t tri__layout_chunks(const tri__layout *layout);
int tri__layout_server(const tri__layout *layout, uint32_t chunk);
tri_range tri__layout_chunk(const tri__layout *layout, uint32_t chunk);
uint32_t tri__layout_chunk_at(const tri__layout *layout, size_t index); /* the chunk that holds this float */

/* Chunks that are a server's rows of a table. Their range has no floats. */
int tri__layout_table(const tri__layout *layout, uint32_t chunk);                   /* which table; −1: it is a chunk of the stretch */
uint32_t tri__layout_table_chunk(const tri__layout *layout, int server, int table); /* the number of that chunk */
int64_t tri__layout_keys(const tri__layout *layout, int server, int table);         /* how many keys of the table that server has */
int64_t tri__layout_rows(const tri__layout *layout, int server, int table); /* how many rows; where tables grow, one more than keys fit */
int64_t tri__layout_piece(const tri__layout *layout, int table);            /* how many rows are copied and restored together */
uint32_t tri__layout_pieces(const tri__layout *layout, uint32_t chunk);     /* how many such pieces the chunk has; 1 in the stretch */
int64_t tri__layout_piece_rows(const tri__layout *layout, uint32_t chunk, int64_t first); /* how many rows the piece at `first` has */
static inline bool tri__layout_grows(const tri__layout *layout)
{
    return layout->tables.growth.most > 0;
}

uint32_t tri__layout_server_pieces(const tri__layout *layout, int server); /* pieces of its tables and chunks of its stretch */

#endif
