/* tar.c: the files in a tar archive (ustar, as npm and GNU tar write it).
 *
 * An archive is a sequence of blocks of 512 bytes: a header, then the file's bytes, padded to whole blocks. A block of zeros ends it.
 * Folders, links and the records that hold long names or times are skipped: the files that we look for have short names. */
#include "data/file/tar.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, NAME = 0, NAME_SIZE = 100, SIZE = 124, SIZE_SIZE = 12, CHECKSUM = 148, CHECKSUM_SIZE = 8, TYPE = 156 };

/* An octal number in text, padded with spaces or zeros; false if it is something else. */
static bool read_octal(const uint8_t *text, size_t length, uint64_t *out)
{
    size_t i = 0;
    *out = 0;
    while (i < length && text[i] == ' ')
        i++;
    for (; i < length && text[i] >= '0' && text[i] <= '7'; i++)
        *out = *out * 8 + (uint64_t)(text[i] - '0');
    return i == length || text[i] == ' ' || text[i] == 0;
}

/* The checksum is the sum of the header's bytes, where the bytes of the checksum itself count as spaces. */
static bool checksum_matches(const uint8_t *header)
{
    uint64_t sum = 0, expected;
    for (int i = 0; i < BLOCK; i++)
        sum += i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE ? ' ' : header[i];
    return read_octal(header + CHECKSUM, CHECKSUM_SIZE, &expected) && sum == expected;
}

static bool is_regular(const uint8_t *header)
{
    return header[TYPE] == '0' || header[TYPE] == 0;
}

static void take_base_name(const uint8_t *header, char out[NAME_SIZE + 1])
{
    char path[NAME_SIZE + 1] = {0};
    memcpy(path, header + NAME, NAME_SIZE);
    const char *slash = strrchr(path, '/');
    snprintf(out, NAME_SIZE + 1, "%s", slash ? slash + 1 : path);
}

/* Read the header at tar->at, and move tar->at to the end of its file. */
static tri_status read_member(tri__tar *tar, const uint8_t *header, tri__tar_file *out)
{
    uint64_t size;
    if (!checksum_matches(header) || !read_octal(header + SIZE, SIZE_SIZE, &size))
        return tri_fail(TRI_BAD_DATA, "%s: byte %zu of the archive: not a tar header (damaged? fetch it again)", tar->name, tar->at);
    size_t left = tar->size - tar->at - BLOCK;
    if (size > left)
        return tri_fail(TRI_BAD_DATA, "%s: byte %zu of the archive: a file is cut short (fetch the archive again)", tar->name, tar->at);
    size_t whole = ((size_t)size + BLOCK - 1) / BLOCK * BLOCK;
    take_base_name(header, out->name);
    out->data = header + BLOCK;
    out->size = (size_t)size;
    tar->at += BLOCK + (whole < left ? whole : left);
    return NULL;
}

tri_status tri__tar_next(tri__tar *tar, tri__tar_file *out)
{
    static const uint8_t zeros[BLOCK];
    while (tar->size - tar->at >= BLOCK) {
        const uint8_t *header = tar->data + tar->at;
        if (memcmp(header, zeros, BLOCK) == 0)
            break;
        TRI_TRY(read_member(tar, header, out));
        if (is_regular(header) && out->name[0])
            return NULL;
    }
    *out = (tri__tar_file){0};
    return NULL;
}
