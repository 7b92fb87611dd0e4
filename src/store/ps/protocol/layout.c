/* layout.c: stretches and chunks. All of it is arithmetic; stretches begin at multiples of a cache line. */
#include "store/ps/protocol/layout.h"

enum { LINE = 16 }; /* floats */

tri_status tri__layout_init(tri__layout *layout, size_t floats, int servers)
{
    if (floats == 0)
        return tri_fail(TRI_BAD_CALL, "a model without parameters has nothing for parameter servers to keep");
    if (servers < 1 || servers > TRI_MOST_SERVERS || (size_t)servers > (floats + LINE - 1) / LINE)
        return tri_fail(TRI_BAD_CALL, "%d servers for %zu parameters: there can be 1 to %d, with at least %d parameters each", servers,
                        floats, TRI_MOST_SERVERS, LINE);
    if (floats / TRI_CHUNK_FLOATS + (size_t)servers > UINT32_MAX / 2)
        return tri_fail(TRI_BAD_CALL, "%zu parameters are more than chunks can be numbered", floats);
    *layout = (tri__layout){floats, servers};
    return NULL;
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

static uint32_t chunks_of(size_t floats)
{
    return (uint32_t)((floats + TRI_CHUNK_FLOATS - 1) / TRI_CHUNK_FLOATS);
}

/* Stretches differ by a line at most, so all but the last few have the same number of chunks; counting them one by one is quick. */
uint32_t tri__layout_first(const tri__layout *layout, int server)
{
    uint32_t first = 0;
    for (int i = 0; i < server; i++)
        first += chunks_of(tri__layout_stretch(layout, i).count);
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
    size_t skip = (size_t)(chunk - tri__layout_first(layout, server)) * TRI_CHUNK_FLOATS, left = stretch.count - skip;
    return (tri_range){stretch.first + skip, left < TRI_CHUNK_FLOATS ? left : TRI_CHUNK_FLOATS};
}

uint32_t tri__layout_chunk_at(const tri__layout *layout, size_t place)
{
    int server = 0;
    while (server + 1 < layout->servers && place >= begin_of(layout, server + 1))
        server++;
    return tri__layout_first(layout, server) + (uint32_t)((place - begin_of(layout, server)) / TRI_CHUNK_FLOATS);
}
