/* idx_fuzz.c: the parsers of data files that come from outside: IDX, gzip, tar. Whatever they accept must be readable to the end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "data/file/gzip.h"
#include "data/file/tar.h"
#include "data/format/idx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sum(const uint8_t *data, size_t size)
{
    unsigned total = 0;
    for (size_t i = 0; i < size; i++)
        total += data[i];
    return total;
}

static unsigned read_idx(const uint8_t *data, size_t size)
{
    tri__idx idx;
    tri_status status = tri__idx_parse("input", data, size, &idx);
    if (status) {
        tri_status_free(status);
        return 0;
    }
    return sum(idx.elements, (size_t)tri_shape_count(idx.shape));
}

static unsigned read_tar(const uint8_t *data, size_t size)
{
    tri__tar tar = {.name = "input", .data = data, .size = size};
    tri__tar_file file;
    unsigned total = 0;
    tri_status status = NULL;
    while (!(status = tri__tar_next(&tar, &file)) && file.name[0])
        total += sum(file.data, file.size);
    tri_status_free(status);
    return total;
}

static volatile unsigned seen; /* so that no read is optimised away */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    seen = read_idx(data, size) + read_tar(data, size);
    uint8_t begin[TRI_IDX_MAGIC_BYTES], *inflated;
    size_t inflated_size;
    seen = sum(begin, tri__gzip_peek(data, size, begin, sizeof begin));
    tri_status status = tri__gzip_inflate("input", data, size, 1 << 26, &inflated, &inflated_size);
    if (!status) {
        seen = read_idx(inflated, inflated_size);
        free(inflated);
    }
    tri_status_free(status);
    return 0;
}
