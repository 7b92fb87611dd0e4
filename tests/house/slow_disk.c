/* slow_disk.c: a disk that takes its time for every photo, for programs that are started with this library loaded before others. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { MICROSECONDS = 50000 };

/* As libc's. */
int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    const size_t size = strlen(path);
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (size > 4 && !strcmp(path + size - 4, ".jpg"))
        usleep(MICROSECONDS);
    return next(path, flags, mode);
}
