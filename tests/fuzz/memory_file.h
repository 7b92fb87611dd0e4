/* memory_file.h: the bytes of an input as a file, for readers that open one by its name. */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_FILE = 64 };

/* The file, to be closed; path receives its name. */
static inline int memory_file(const uint8_t *data, size_t size, char path[MEMORY_FILE])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, MEMORY_FILE, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
