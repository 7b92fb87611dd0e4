/* lost_file.c: the handler finds the file by the address, in /proc/self/maps. It may interrupt any code, so it calls only functions that
 * are safe in a signal handler. */
#define _GNU_SOURCE
#include "cli/process/lost_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4352 }; /* the longest path, and what is before it */

/* Read a hexadecimal number, and go on behind it. */
static uintptr_t take_number(const char **at)
{
    uintptr_t number = 0;
    for (;; ++*at) {
        const char c = **at;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uintptr_t)(c - 'a') + 10;
        else
            return number;
    }
}

/* "7f00-7f80 r--p 00000000 08:01 42   /data/a.svm": the path where the address is in the range, otherwise NULL. */
static const char *path_in(const char *line, uintptr_t address)
{
    const uintptr_t from = take_number(&line);
    line += *line == '-';
    const uintptr_t to = take_number(&line);
    return address >= from && address < to ? strchr(line, '/') : NULL;
}

/* The path is within line. */
static const char *find_path(uintptr_t address, char line[LINE])
{
    const char *path = NULL;
    size_t used = 0;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (maps >= 0 && !path && used < LINE - 1 && read(maps, line + used, 1) == 1) {
        if (line[used++] != '\n')
            continue;
        line[used - 1] = 0;
        path = path_in(line, address);
        used = 0;
    }
    return path;
}

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* nobody is left to hear that it failed */
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    char line[LINE];
    const char *path = info->si_code == BUS_ADRERR ? find_path((uintptr_t)info->si_addr, line) : NULL;
    if (!path) {
        signal(number, SIG_DFL); /* the access fails again when this handler has returned, and ends the process */
        return;
    }
    say("trireme: ");
    say(path);
    say(": a part that was there is gone: the file became shorter while it was read, or its disk failed\n");
    _exit(1);
}

void tri__lost_file_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}
