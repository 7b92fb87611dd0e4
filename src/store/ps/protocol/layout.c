/* layout.c: stretches and chunks. All of it is arithmetic; stretches begin at multiples of a cache line. */
#include "store/ps/protocol/layout.h"

#include <inttypes.h>

enum { LINE = 16 }; /* floats */

static tri_status check_table(const tri__table_shape *table, tri_code code)
{
    if (table->rows >= 1 && table->rows <= INT32_MAX && table->width >= 1 && table->width <= TRI_CHUNK_FLOATS)
        return NULL;
    return tri_fail(code, "a table of %" PRId64 " rows of %" PRId64 ": with parameter servers a table has 1 to %d rows of 1 to %d numbers",
                    table->rows, table->width, INT32_MAX, TRI_CHUNK_FLOATS);
}

tri_status tri__layout_init(tri__layout *layout, size_t floats, const tri__table_shapes *tables, int servers)
{
    if (floats == 0 && tables->count == 0)
        return tri_fail(TRI_BAD_CALL, "a model without parameters has nothing for parameter servers to keep");
    bool few = tables->count == 0 && (size_t)servers > (floats + LINE - 1) / LINE;
    if (servers < 1 || servers > TRI_MOST_SERVERS || few)
        return tri_fail(TRI_BAD_CALL, "%d servers for %zu parameters: there can be 1 to %d, with at least %d parameters each", servers,
                        floats, TRI_MOST_SERVERS, LINE);
    if (floats / TRI_CHUNK_FLOATS + (size_t)servers > UINT32_MAX / 2)
        return tri_fail(TRI_BAD_CALL, "%zu parameters are more than chunks can be numbered", floats);
    if (tables->count < 0 || tables->count > TRI_LAYOUT_TABLES)
        return tri_fail(TRI_BAD_CALL, "a model with %d tables, where %d are the most", tables->count, TRI_LAYOUT_TABLES);
    for (int i = 0; i < tables->count; i++)
        TRI_TRY(check_table(&tables->table[i], TRI_BAD_CALL));
    *layout = (tri__layout){floats, servers, *tables};
    return NULL;
}

static json_t *table_json(const tri__table_shapes *tables, int table)
{
    const tri__table_shape *shape = &tables->table[table];
    const tri__table_growth *growth = &tables->growth;
    const tri__initial_row *initial = &growth->initial[table];
    if (!growth->most)
        return json_pack("[I, I]", (json_int_t)shape->rows, (json_int_t)shape->width);
    return json_pack("[I, I, I, I, i, f, I]", (json_int_t)shape->rows, (json_int_t)shape->width, (json_int_t)growth->most,
                     (json_int_t)growth->min_count, (int)initial->init, (double)initial->value, (json_int_t)initial->key.word);
}

json_t *tri__tables_json(const tri__table_shapes *tables)
{
    json_t *list = json_array();
    for (int i = 0; i < tables->count; i++)
        json_array_append_new(list, table_json(tables, i));
    return list;
}

/* All tables have the same most and min_count; each has initial values of its own. */
static tri_status read_growth(const json_t *item, int table, tri__table_shapes *out)
{
    tri__table_growth *growth = &out->growth;
    const int64_t most = json_integer_value(json_array_get(item, 2)), min_count = json_integer_value(json_array_get(item, 3));
    const int64_t init = json_integer_value(json_array_get(item, 4));
    if (most < 0 || most >= INT32_MAX || most > out->table[table].rows || (most > 0 && (min_count < 1 || min_count > INT32_MAX)) ||
        init < 0 || init > TRI_INIT_HE || (table > 0 && (most != growth->most || min_count != growth->min_count)))
        return tri_fail(TRI_BAD_DATA, "a table of %" PRId64 " keys that cannot grow to %" PRId64 " rows", out->table[table].rows, most);
    growth->most = most;
    growth->min_count = min_count;
    growth->initial[table] = (tri__initial_row){
        .init = (tri_init)init,
        .value = (float)json_number_value(json_array_get(item, 5)),
        .key = {(uint64_t)json_integer_value(json_array_get(item, 6))},
    };
    return NULL;
}

tri_status tri__tables_read(const json_t *json, tri__table_shapes *out)
{
    size_t index;
    const json_t *item;
    *out = (tri__table_shapes){0};
    if (json && (!json_is_array(json) || json_array_size(json) > TRI_LAYOUT_TABLES))
        return tri_fail(TRI_BAD_DATA, "a list of tables that is none");
    json_array_foreach(json, index, item)
    {
        tri__table_shape shape = {.rows = json_integer_value(json_array_get(item, 0)),
                                  .width = json_integer_value(json_array_get(item, 1))};
        TRI_TRY(check_table(&shape, TRI_BAD_DATA));
        out->table[out->count] = shape;
        TRI_TRY(read_growth(item, out->count++, out));
    }
    return NULL;
}

bool tri__layout_fits(const tri__layout *layout, size_t floats, const tri__table_shapes *tables)
{
    bool same = layout->floats == floats && layout->tables.count == tables->count;
    for (int i = 0; same && i < tables->count; i++)
        same = layout->tables.table[i].rows == tables->table[i].rows && layout->tables.table[i].width == tables->table[i].width;
    return same;
}

static size_t begin_of(const tri__layout *layout, int server)
{
    size_t lines = (layout->floats + LINE - 1) / LINE, each = lines / (size_t)layout->servers, more = lines % (size_t)layout->servers;
    size_t at = (size_t)server, first = (at * each + (at < more ? at : more)) * LINE;
    return first < layout->floats ? first : layout->floats;
}

tri_range tri__layout_stretch(const tri__layout *layout, int server)
{
    size_t first = begin_of(layout, server);
    return (tri_range){first, begin_of(layout, server + 1) - first};
}

/* How many chunks a server's stretch has. */
static uint32_t chunks_of(const tri__layout *layout, int server)
{
    return (uint32_t)((tri__layout_stretch(layout, server).count + TRI_CHUNK_FLOATS - 1) / TRI_CHUNK_FLOATS);
}

/* Stretches differ by a line at most, so all but the last few have the same number of chunks; counting them one by one is quick. */
uint32_t tri__layout_first(const tri__layout *layout, int server)
{
    uint32_t first = 0;
    for (int i = 0; i < server; i++)
        first += chunks_of(layout, i) + (uint32_t)layout->tables.count;
    return first;
}

uint32_t tri__layout_chunks(const tri__layout *layout)
{
    return tri__layout_first(layout, layout->servers);
}

int tri__layout_server(const tri__layout *layout, uint32_t chunk)
{
    int server = 0;
    while (server + 1 < layout->servers && chunk >= tri__layout_first(layout, server + 1))
        server++;
    return server;
}

tri_range tri__layout_chunk(const tri__layout *layout, uint32_t chunk)
{
    int server = tri__layout_server(layout, chunk);
    tri_range stretch = tri__layout_stretch(layout, server);
    size_t skip = (size_t)(chunk - tri__layout_first(layout, server)) * TRI_CHUNK_FLOATS;
    size_t left = skip < stretch.count ? stretch.count - skip : 0;
    if (left == 0)
        return (tri_range){stretch.first + stretch.count, 0};
    return (tri_range){stretch.first + skip, left < TRI_CHUNK_FLOATS ? left : TRI_CHUNK_FLOATS};
}

uint32_t tri__layout_chunk_at(const tri__layout *layout, size_t index)
{
    int server = 0;
    while (server + 1 < layout->servers && index >= begin_of(layout, server + 1))
        server++;
    return tri__layout_first(layout, server) + (uint32_t)((index - begin_of(layout, server)) / TRI_CHUNK_FLOATS);
}

int tri__layout_table(const tri__layout *layout, uint32_t chunk)
{
    if (layout->tables.count == 0)
        return -1;
    int server = tri__layout_server(layout, chunk);
    uint32_t own = chunk - tri__layout_first(layout, server), stretch = chunks_of(layout, server);
    return own < stretch ? -1 : (int)(own - stretch);
}

uint32_t tri__layout_table_chunk(const tri__layout *layout, int server, int table)
{
    return tri__layout_first(layout, server) + chunks_of(layout, server) + (uint32_t)table;
}

int64_t tri__layout_keys(const tri__layout *layout, int server, int table)
{
    return (layout->tables.table[table].rows - server + layout->servers - 1) / layout->servers;
}

int64_t tri__layout_rows(const tri__layout *layout, int server, int table)
{
    return tri__layout_grows(layout) ? layout->tables.growth.most + 1 : tri__layout_keys(layout, server, table);
}

int64_t tri__layout_piece(const tri__layout *layout, int table)
{
    return TRI_CHUNK_FLOATS / layout->tables.table[table].width;
}

uint32_t tri__layout_pieces(const tri__layout *layout, uint32_t chunk)
{
    int table = tri__layout_table(layout, chunk);
    if (table < 0)
        return 1;
    int64_t rows = tri__layout_rows(layout, tri__layout_server(layout, chunk), table), piece = tri__layout_piece(layout, table);
    return (uint32_t)((rows + piece - 1) / piece);
}

int64_t tri__layout_piece_rows(const tri__layout *layout, uint32_t chunk, int64_t first)
{
    int table = tri__layout_table(layout, chunk);
    int64_t piece = tri__layout_piece(layout, table), left = tri__layout_rows(layout, tri__layout_server(layout, chunk), table) - first;
    return left < piece ? left : piece;
}

uint32_t tri__layout_server_pieces(const tri__layout *layout, int server)
{
    uint32_t parts = 0;
    for (uint32_t chunk = tri__layout_first(layout, server); chunk < tri__layout_first(layout, server + 1); chunk++)
        parts += tri__layout_pieces(layout, chunk);
    return parts;
}
