/* gzip.c: inflates gzip and zlib files in memory, and writes such files piece by piece.
 *
 * The length in the trailer is only a hint: it is wrong in damaged files, wraps at 4 GB, and covers the last member alone. The buffer
 * starts with that length, if deflate can possibly reach it, and grows if it is too small. */
#include "data/file/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/bytes/little_endian.h"
#include "base/memory/memory.h"

#define WINDOW         15                /* the largest */
#define GZIP_WINDOW    (WINDOW + 16)     /* with gzip wrapping */
#define ANY_WINDOW     (WINDOW + 32)     /* with gzip or zlib wrapping */
#define SMALLEST_FILE  18                /* header and trailer */
#define MOST_EXPANSION 1032              /* bytes out for one byte in, by the format */
#define LARGEST_PIECE  ((size_t)1 << 30) /* zlib counts in unsigned int */

typedef struct {
    z_stream stream;
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_size, out_capacity;
    size_t limit; /* the largest out_size allowed. The capacity may be one byte more, to see whether there is more data */
} inflater;

bool tri__gzip_is(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

bool tri__zlib_is(const uint8_t *data, size_t size)
{
    uint8_t first;
    return size >= 2 && data[0] == 0x78 && (data[0] << 8 | data[1]) % 31 == 0 && tri__gzip_peek(data, size, &first, 1) == 1;
}

bool tri__gzip_read_trailer(const uint8_t *data, size_t size, tri__gzip_trailer *out)
{
    if (size < SMALLEST_FILE)
        return false;
    *out = (tri__gzip_trailer){
        .crc = (uint32_t)tri__little_endian_load(data + size - 8, 4),
        .length = (uint32_t)tri__little_endian_load(data + size - 4, 4),
    };
    return true;
}

size_t tri__gzip_peek(const uint8_t *data, size_t size, uint8_t *out, size_t count)
{
    z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)(size < 4096 ? size : 4096), .next_out = out, .avail_out = (uInt)count};
    if (inflateInit2(&stream, ANY_WINDOW) != Z_OK)
        return 0;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return count - stream.avail_out;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t first_capacity(const uint8_t *data, size_t size)
{
    tri__gzip_trailer trailer;
    if (!tri__gzip_is(data, size) || !tri__gzip_read_trailer(data, size, &trailer) || trailer.length == 0)
        return size < 1024 ? 4096 : size * 4;
    return trailer.length / MOST_EXPANSION <= size ? trailer.length : size * 4;
}

static bool grow(inflater *self)
{
    size_t capacity = least(2 * least(self->out_capacity, self->limit), self->limit + 1);
    uint8_t *larger = realloc(self->out, capacity);
    if (!larger)
        return false;
    self->out = larger;
    self->out_capacity = capacity;
    return true;
}

/* Call zlib once, with as much input and room as it can take. Counts the bytes that it used and made. */
static int inflate_piece(inflater *self)
{
    size_t in = self->in_size < LARGEST_PIECE ? self->in_size : LARGEST_PIECE;
    size_t room = self->out_capacity - self->out_size;
    size_t out = room < LARGEST_PIECE ? room : LARGEST_PIECE;
    self->stream.next_in = (Bytef *)self->in;
    self->stream.avail_in = (uInt)in;
    self->stream.next_out = self->out + self->out_size;
    self->stream.avail_out = (uInt)out;
    int result = inflate(&self->stream, Z_NO_FLUSH);
    self->in += in - self->stream.avail_in;
    self->in_size -= in - self->stream.avail_in;
    self->out_size += out - self->stream.avail_out;
    return result;
}

/* Inflate all members, one after another. */
static tri_status inflate_members(const char *name, inflater *self, size_t size)
{
    for (;;) {
        int result = inflate_piece(self);
        if (self->out_size > self->limit) {
            return tri_fail(
                TRI_NO_MEMORY,
                "%s: inflates to more than %zu MB, which is all it may take of the memory that is available (inflate it on disk, "
                "as `gunzip -k` does, and give the plain file: that is mapped, and needs no memory)",
                name, self->limit >> 20);
        } else if (result == Z_STREAM_END) {
            if (self->in_size == 0)
                return NULL;
            if (!tri__gzip_is(self->in, self->in_size) || inflateReset(&self->stream) != Z_OK)
                return tri_fail(TRI_BAD_DATA,
                                "%s: %zu bytes of something else follow the compressed data at byte %zu (damaged? fetch it again)", name,
                                self->in_size, size - self->in_size);
        } else if (result == Z_MEM_ERROR) {
            return tri_fail(TRI_NO_MEMORY, "%s: out of memory while inflating", name);
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return tri_fail(TRI_BAD_DATA, "%s: byte %zu: the compressed data is damaged (%s); fetch the file again", name,
                            size - self->in_size, self->stream.msg ? self->stream.msg : "not deflate");
        } else if (self->out_size == self->out_capacity) {
            if (!grow(self))
                return tri_fail(TRI_NO_MEMORY, "%s: out of memory after inflating %zu bytes", name, self->out_size);
        } else if (self->in_size == 0) {
            return tri_fail(TRI_BAD_DATA, "%s: the compressed data ends too early, at byte %zu (cut short? fetch the file again)", name,
                            size);
        }
    }
}

tri_status tri__gzip_inflate(const char *name, const uint8_t *data, size_t size, size_t limit, uint8_t **out, size_t *out_size)
{
    limit = least(limit, SIZE_MAX / 4);
    inflater self = {.in = data, .in_size = size, .limit = limit, .out_capacity = least(first_capacity(data, size), limit + 1)};
    TRI_TRY(tri__allocate(self.out_capacity, 1, name, &self.out));
    if (inflateInit2(&self.stream, ANY_WINDOW) != Z_OK) {
        free(self.out);
        return tri_fail(TRI_NO_MEMORY, "%s: out of memory while inflating", name);
    }
    tri_status status = inflate_members(name, &self, size);
    inflateEnd(&self.stream);
    if (status) {
        free(self.out);
        return status;
    }
    *out = self.out;
    *out_size = self.out_size;
    return NULL;
}

struct tri__deflater {
    z_stream stream;
    tri__writer *file;
    uint8_t out[1 << 16];
};

tri_status tri__deflater_create(tri__writer *file, tri__compression compression, tri__deflater **out)
{
    tri__deflater *deflater;
    TRI_TRY(tri__allocate(1, sizeof *deflater, "a compressor", &deflater));
    deflater->file = file;
    int window = compression == TRI_GZIP ? GZIP_WINDOW : WINDOW;
    if (deflateInit2(&deflater->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(deflater);
        return tri_fail(TRI_NO_MEMORY, "no memory for a compressor");
    }
    *out = deflater;
    return NULL;
}

/* Let zlib run until it has used its input; write what it makes. */
static void deflate_piece(tri__deflater *self, int flush)
{
    do {
        self->stream.next_out = self->out;
        self->stream.avail_out = sizeof self->out;
        deflate(&self->stream, flush);
        tri__writer_write(self->file, self->out, sizeof self->out - self->stream.avail_out);
    } while (self->stream.avail_out == 0);
}

void tri__deflater_write(tri__deflater *deflater, const void *data, size_t size)
{
    for (const uint8_t *at = data; size > 0;) {
        size_t piece = size < LARGEST_PIECE ? size : LARGEST_PIECE;
        deflater->stream.next_in = (Bytef *)at;
        deflater->stream.avail_in = (uInt)piece;
        deflate_piece(deflater, Z_NO_FLUSH);
        at += piece;
        size -= piece;
    }
}

void tri__deflater_finish(tri__deflater *deflater)
{
    deflate_piece(deflater, Z_FINISH);
}

void tri__deflater_destroy(tri__deflater *deflater)
{
    if (!deflater)
        return;
    deflateEnd(&deflater->stream);
    free(deflater);
}

const char *tri__gzip_version(void)
{
    return zlibVersion();
}
