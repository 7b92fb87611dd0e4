/* Any bytes may be read as a list of rows; what a plain reader takes for one is read as the same, and nothing else is. They may also be
 * read as the keys of a server, with their rows and counts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/ps/protocol/keyed.h"
#include "store/ps/stretch/key_cells.h"

enum { ROWS = 100000, MOST = 256, KEYS = 64, SERVER = 1, SERVERS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

/* The same, without haste; false where it is none. */
static int read_plainly(const uint8_t *at, const uint8_t *end, uint32_t count, int32_t *rows)
{
    int64_t row = -1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t gap = 0;
        int bytes = 0;
        do {
            if (at == end || bytes == TRI_KEYED_ROW_MOST)
                return 0;
            gap |= (uint64_t)(*at & 0x7f) << (7 * bytes++);
        } while (*at++ & 0x80);
        row += 1 + (int64_t)gap;
        if (row >= ROWS)
            return 0;
        rows[i] = (int32_t)row;
    }
    return 1;
}

/* As a server takes a KEYS message: the head is checked, then the cells. What was taken holds together: a key has one row or one count. */
static void read_cells(const uint8_t *data, size_t size)
{
    tri__key_cell cells[MOST];
    tri__message message = {.position = data[0] % 2 * TRI_CELLS_PIECE, .size = (uint32_t)(size - 1)};
    tri_status status = size - 1 > sizeof cells ? tri_fail(TRI_BAD_DATA, "too long") : tri__key_cells_check(&message);
    tri__key_map *map = NULL;
    if (!status) {
        require(!tri__key_map_create(KEYS, KEYS / 2, 1, INT64_MAX / 2, 3, &map));
        memcpy(cells, data + 1, size - 1);
        status = tri__key_cells_restore(map, SERVER, SERVERS, message.position, cells, (int64_t)((size - 1) / sizeof *cells));
        for (int32_t key = 0; key < KEYS; key++)
            require(tri__key_map_seen(map, key) >= 0 &&
                    (tri__key_map_find(map, key) == map->capacity || map->key[tri__key_map_find(map, key)] == key));
        require(map->left_rare >= 0 && map->left_full >= 0);
    }
    require(!status || tri_status_code(status) == TRI_BAD_DATA);
    tri_status_free(status);
    tri__key_map_destroy(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    int32_t rows[MOST];
    tri__row_list plain = {.rows = rows, .count = data[0]}, read = {0};
    const int whole = read_plainly(data + 1, data + size, data[0], rows);
    if (whole)
        tri__row_list_sign(&plain);
    const tri__keyed_head head = {.count = data[0], .flags = TRI_KEYED_LIST, .signature = plain.signature};
    size_t used = 0;
    tri_status status = tri__row_list_read(data + 1, size - 1, &head, ROWS, &read, &used);
    require(whole ? !status : tri_status_code(status) == TRI_BAD_DATA);
    if (whole) {
        uint8_t again[MOST * TRI_KEYED_ROW_MOST];
        require(read.count == plain.count && used < size);
        require(read.count == 0 || memcmp(read.rows, rows, (size_t)read.count * sizeof *rows) == 0);
        require(tri__row_list_write(rows, read.count, again) <= used); /* a gap may be written with more bytes than it needs */
    }
    tri_status_free(status);
    tri__row_list_fini(&read);
    float seen[2 * MOST];
    tri_status_free(tri__sightings_read(data + 1, size - 1, data[0], 1, seen));
    read_cells(data, size);
    tri__keyed_head ignored;
    tri_status_free(tri__keyed_head_read(data, size, ROWS, &ignored));
    return 0;
}
