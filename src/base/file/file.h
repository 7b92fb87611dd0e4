/* file.h: whole files in, whole files out. A file is replaced atomically: temporary name, fsync, rename, folder fsync. */
#ifndef TRI_BASE_FILE_FILE_H
#define TRI_BASE_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trireme/status.h"

/* A file's bytes, mapped read-only. */
typedef struct {
    const uint8_t *data;
    size_t size;
} tri__mapping;

TRI_MUST_CHECK tri_status tri__file_map(const char *path, tri__mapping *out);
void tri__file_unmap(tri__mapping *mapping);

/* The whole file with a NUL behind it; free() it. TRI_BAD_DATA above limit bytes. */
TRI_MUST_CHECK tri_status tri__file_read(const char *path, size_t limit, char **text, size_t *size);

/* Read the whole file into *data, memory of *room bytes, which grows where need be; free() it. It can be used for many files in turn. */
TRI_MUST_CHECK tri_status tri__file_load(const char *path, uint8_t **data, int64_t *room, size_t *size);

/* Read the first bytes of a file into head, up to its size; *size: how many there were. */
TRI_MUST_CHECK tri_status tri__file_peek(const char *path, uint8_t *head, size_t room, size_t *size);

/* A file being written under a temporary name beside its final one. commit makes it visible, durably, whole; abandon removes it. commit
 * returns the first failure of a write, so writes need not be checked one by one. */
typedef struct tri__writer tri__writer;
TRI_MUST_CHECK tri_status tri__writer_create(const char *path, tri__writer **out);
void tri__writer_write(tri__writer *writer, const void *data, size_t size);
TRI_MUST_CHECK tri_status tri__writer_commit(tri__writer *writer); /* frees writer in any case */
void tri__writer_abandon(tri__writer *writer);                     /* accepts NULL */

TRI_MUST_CHECK tri_status tri__file_replace(const char *path, const void *data, size_t size);

/* Replace the file by what print writes to out. */
TRI_MUST_CHECK tri_status tri__file_print(const char *path, void (*print)(FILE *out, const void *context), const void *context);

/* A new file that only its owner may read, whole or not at all. TRI_BAD_CALL where path exists: it is never replaced. */
TRI_MUST_CHECK tri_status tri__file_create_secret(const char *path, const void *data, size_t size);

/* A new file, written without a temporary name or fsync: for the many files of a folder that gets its final name when all are there. */
TRI_MUST_CHECK tri_status tri__file_write(const char *path, const void *data, size_t size);

bool tri__file_exists(const char *path);
int64_t tri__file_size(const char *path); /* 0 where there is no such file */

#endif
