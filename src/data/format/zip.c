/* zip.c: finds the files of a zip archive in the directory at its end. Sizes above 4 GB are in extra fields (zip64). */
#include <string.h>
#include <zlib.h>

#include "base/memory/memory.h"
#include "data/format/npy.h"

enum { END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20, ENTRY_BYTES = 46, LOCAL_BYTES = 30, LONGEST_COMMENT = 65535 };
enum { STORED = 0, DEFLATED = 8, ZIP64_EXTRA = 1 };

typedef struct {
    const char *name;
    const uint8_t *data;
    size_t size;
} archive;

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static tri_status damaged(const archive *zip, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: not a zip archive that can be read: %s (cut short?)", zip->name, what);
}

/* Where the directory begins, and how many entries it has. */
static tri_status find_directory(const archive *zip, uint64_t *offset, uint64_t *entries)
{
    if (zip->size < END_BYTES)
        return damaged(zip, "it is too short");
    const uint8_t *end = zip->data + zip->size - END_BYTES,
                  *least = zip->size > LONGEST_COMMENT + END_BYTES ? end - LONGEST_COMMENT : zip->data;
    while (end > least && memcmp(end, "PK\5\6", 4) != 0)
        end--;
    if (memcmp(end, "PK\5\6", 4) != 0)
        return damaged(zip, "it has no directory");
    *entries = number_at(end + 10, 2);
    *offset = number_at(end + 16, 4);
    const uint8_t *locator = end - LOCATOR_BYTES;
    if (end - zip->data < LOCATOR_BYTES || memcmp(locator, "PK\6\7", 4) != 0)
        return NULL;
    const uint64_t at = number_at(locator + 8, 8);
    if (at > zip->size || zip->size - at < END64_BYTES || memcmp(zip->data + at, "PK\6\6", 4) != 0)
        return damaged(zip, "its directory is not where it says");
    *entries = number_at(zip->data + at + 32, 8);
    *offset = number_at(zip->data + at + 48, 8);
    return NULL;
}

/* Replace numbers that did not fit into four bytes by those in the extra field of zip64, which has them one after another. */
static void widen(const uint8_t *extra, size_t size, uint64_t *numbers[], int count)
{
    while (size >= 4) {
        const size_t id = number_at(extra, 2), length = number_at(extra + 2, 2);
        if (length > size - 4)
            return;
        size_t used = 0;
        for (int i = 0; id == ZIP64_EXTRA && i < count; i++)
            if (*numbers[i] == UINT32_MAX && used + 8 <= length) {
                *numbers[i] = number_at(extra + 4 + used, 8);
                used += 8;
            }
        extra += 4 + length;
        size -= 4 + length;
    }
}

static bool is_called(const uint8_t *name, size_t length, const char *entry)
{
    const size_t wanted = strlen(entry);
    return length >= wanted && memcmp(name, entry, wanted) == 0 &&
           (length == wanted || (length == wanted + 4 && memcmp(name + wanted, ".npy", 4) == 0));
}

/* Read an entry of the directory, and find the file's bytes, which are elsewhere in the archive. */
static tri_status take_entry(const archive *zip, const uint8_t *entry, size_t name_length, size_t extra_length, tri__zip_entry *out)
{
    const uint64_t method = number_at(entry + 10, 2);
    uint64_t stored = number_at(entry + 20, 4), size = number_at(entry + 24, 4), local = number_at(entry + 42, 4);
    widen(entry + ENTRY_BYTES + name_length, extra_length, (uint64_t *[]){&size, &stored, &local}, 3);
    if (method != STORED && method != DEFLATED)
        return tri_fail(TRI_UNSUPPORTED, "%s: it is compressed in an unusual way: numpy.savez and savez_compressed write what can be read",
                        zip->name);
    if (local > zip->size || zip->size - local < LOCAL_BYTES || memcmp(zip->data + local, TRI_ZIP_MAGIC, 4) != 0)
        return damaged(zip, "a file is not where its directory says");
    const uint64_t begin = LOCAL_BYTES + number_at(zip->data + local + 26, 2) + number_at(zip->data + local + 28, 2);
    if (begin > zip->size - local || stored > zip->size - local - begin || (method == STORED && stored != size))
        return damaged(zip, "a file in it is cut");
    *out =
        (tri__zip_entry){zip->data + local + begin, (size_t)stored, (size_t)size, method == DEFLATED, (uint32_t)number_at(entry + 16, 4)};
    return NULL;
}

tri_status tri__zip_find(const char *name, const uint8_t *data, size_t size, const char *entry, tri__zip_entry *out)
{
    const archive zip = {name, data, size};
    uint64_t at = 0, entries = 0;
    TRI_TRY(find_directory(&zip, &at, &entries));
    for (uint64_t i = 0; i < entries; i++) {
        if (at > size || size - at < ENTRY_BYTES || memcmp(data + at, "PK\1\2", 4) != 0)
            return damaged(&zip, "its directory is cut");
        const size_t name_length = number_at(data + at + 28, 2), extra = number_at(data + at + 30, 2),
                     comment = number_at(data + at + 32, 2);
        if (name_length + extra + comment > size - at - ENTRY_BYTES)
            return damaged(&zip, "its directory is cut");
        if (is_called(data + at + ENTRY_BYTES, name_length, entry))
            return take_entry(&zip, data + at, name_length, extra, out);
        at += ENTRY_BYTES + name_length + extra + comment;
    }
    return tri_fail(TRI_NOT_FOUND, "%s: has no array called %s", name, entry);
}

static tri_status broken(const char *name)
{
    return tri_fail(TRI_BAD_DATA, "%s: what is compressed in it is damaged (fetch or save it again)", name);
}

/* Inflate until out is full or the data ends. *size: bytes written; *ended: the data has ended. */
static tri_status inflate_into(const char *name, const tri__zip_entry *entry, uint8_t *out, size_t room, size_t *size, bool *ended)
{
    z_stream stream = {.next_out = out};
    int result = inflateInit2(&stream, -MAX_WBITS);
    const uint8_t *from = entry->data;
    size_t left = entry->stored;
    *size = 0;
    while (result == Z_OK) {
        const size_t input = left < (1 << 30) ? left : 1 << 30, output = room - *size < (1 << 30) ? room - *size : 1 << 30;
        stream.next_in = (Bytef *)from;
        stream.avail_in = (uInt)input;
        stream.avail_out = (uInt)output;
        result = inflate(&stream, Z_NO_FLUSH);
        from += input - stream.avail_in;
        left -= input - stream.avail_in;
        *size += output - stream.avail_out;
    }
    inflateEnd(&stream);
    *ended = result == Z_STREAM_END;
    return *ended || (result == Z_BUF_ERROR && *size == room) ? NULL : broken(name);
}

tri_status tri__zip_peek(const char *name, const tri__zip_entry *entry, uint8_t *out, size_t room, size_t *size)
{
    bool ended;
    if (entry->deflated)
        return inflate_into(name, entry, out, room, size, &ended);
    *size = entry->size < room ? entry->size : room;
    memcpy(out, entry->data, *size);
    return NULL;
}

tri_status tri__zip_check(const char *name, const tri__zip_entry *entry, const uint8_t *plain)
{
    if (crc32_z(0, plain, entry->size) == entry->checksum)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: the checksum of an array in it does not match: it is damaged (fetch or save it again)", name);
}

tri_status tri__zip_inflate(const char *name, const tri__zip_entry *entry, uint8_t **out)
{
    if ((int64_t)entry->size < 0 || (int64_t)entry->size > tri__memory_available() / 2)
        return tri_fail(TRI_NO_MEMORY,
                        "%s: inflates to %zu bytes, more than half of the memory that is available (numpy.savez does not compress)", name,
                        entry->size);
    TRI_TRY(tri__buffer_allocate(entry->size + 1, "an array of an archive", out));
    size_t size;
    bool ended;
    tri_status status = inflate_into(name, entry, *out, entry->size, &size, &ended);
    if (!status && (!ended || size < entry->size))
        status = broken(name);
    if (status) {
        tri__buffer_free(*out);
        *out = NULL;
    }
    return status;
}
