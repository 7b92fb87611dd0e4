/* layout.h: which server keeps which floats, and the chunks in which they travel.
 *
 * Servers own equal stretches of the flat buffer, so that no server gets one big layer alone. A stretch is cut into chunks of at most
 * 256 kB: a gradient is pushed, applied and answered chunk by chunk. Chunks are numbered through all servers. */
#ifndef TRI_STORE_PS_PROTOCOL_LAYOUT_H
#define TRI_STORE_PS_PROTOCOL_LAYOUT_H

#include "trireme/tensor.h"

enum { TRI_CHUNK_FLOATS = 65536, TRI_CHUNK_BYTES = TRI_CHUNK_FLOATS * 4, TRI_MOST_SERVERS = 1024 };

typedef struct {
    size_t floats;
    int servers;
} tri__layout;

/* TRI_BAD_CALL where there are more servers than the model has pieces for. */
TRI_MUST_CHECK tri_status tri__layout_init(tri__layout *layout, size_t floats, int servers);

tri_range tri__layout_stretch(const tri__layout *layout, int server);
uint32_t tri__layout_first(const tri__layout *layout, int server); /* its first chunk; that of server `servers` is the number of chunks */
uint32_t tri__layout_chunks(const tri__layout *layout);
int tri__layout_server(const tri__layout *layout, uint32_t chunk);
tri_range tri__layout_chunk(const tri__layout *layout, uint32_t chunk);
uint32_t tri__layout_chunk_at(const tri__layout *layout, size_t place); /* the chunk that holds this float */

#endif
