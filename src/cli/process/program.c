/* program.c: asks the kernel which file this program is: argv[0] may say something else. */
#define _GNU_SOURCE
#include "cli/process/program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

tri_status tri__program_find(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 1)
        return tri_fail(TRI_IO, "/proc/self/exe: %s (it names the file of this program)", strerror(errno));
    path[length] = 0;
    return NULL;
}
