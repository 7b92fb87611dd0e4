/* cache_file.h: files of the cache folder: what takes time to make is kept there for the next time.
 *
 * A file ends with a CRC-32C of what is before it, which is checked whenever the file is mapped: CPUs have an instruction for it, so it
 * costs one pass through the file at about the speed of memory. A file that is missing, damaged or cannot be written is no error: its
 * content is made again. */
#ifndef TRI_DATA_FILE_CACHE_FILE_H
#define TRI_DATA_FILE_CACHE_FILE_H

#include "base/file/file.h"

/* Map the file at path where it is there and whole; *size: bytes of its content. */
bool tri__cache_file_map(const char *path, tri__mapping *out, size_t *size);

/* Keep a content at path, whole or not at all: head, which may be empty, and then data. Folders that are missing are made. */
void tri__cache_file_keep(const char *path, const void *head, size_t head_size, const void *data, size_t size);

#endif
