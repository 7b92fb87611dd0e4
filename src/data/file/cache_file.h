/* cache_file.h: files of the cache folder, which keep content that takes time to make.
 *
 * A file ends with a CRC-32C of the bytes before it, which is checked whenever the file is mapped. CPUs have an instruction for it, so it
 * costs one pass through the file at about the speed of memory. It is no error if a file is missing, damaged, or cannot be written: its
 * content is made again. */
#ifndef TRI_DATA_FILE_CACHE_FILE_H
#define TRI_DATA_FILE_CACHE_FILE_H

#include "base/file/file.h"

/* Map the file at path. Returns false if it is missing or damaged. *size: bytes of its content, without the checksum. */
bool tri__cache_file_map(const char *path, tri__mapping *out, size_t *size);

/* Write a file at path, complete or not at all: head, which may be empty, then data. Missing folders are made. Failures are ignored. */
void tri__cache_file_keep(const char *path, const void *head, size_t head_size, const void *data, size_t size);

#endif
