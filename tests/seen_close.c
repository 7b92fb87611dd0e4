/* seen_close.c: linked into every program under the thread sanitizer. libuv closes files by syscall(SYS_close), which the sanitizer does
 * not see: a thread that later gets the same number from fopen() would look as if it raced with the one that had opened a socket. Here
 * such a call becomes a close(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_ARGUMENTS 6

static long (*of_libc)(long, ...);

__attribute__((constructor)) static void find_libc(void)
{
    *(void **)&of_libc = dlsym(RTLD_NEXT, "syscall");
}

long syscall(long number, ...)
{
    long given[MOST_ARGUMENTS];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        given[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_close)
        return close((int)given[0]);
    if (!of_libc)
        find_libc(); /* called by a constructor that ran before ours */
    return of_libc(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
