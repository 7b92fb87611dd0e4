/* folder_lock.c: the first byte of the file `lock` is the job's lock, the second byte is the tasks' lock. The text in the file is for
 * people: the host and the process that last took the job's lock.
 *
 * The locks belong to the open file description, not to the process: they stay when other code of the process opens and closes the same
 * file. */
#define _GNU_SOURCE
#include "train/folder/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"

#define LOCK_FILE "lock" /* in the folder that it locks */

#define PATIENCE (15 * TRI_SECOND)      /* wait for tasks whose supervisor is gone; they need less (cli/process/spawned.c) */
#define LOOK     (20 * TRI_MILLISECOND) /* time between two looks at their lock */

enum { JOB, TASKS, HOLDER_SIZE = 300 };

struct tri__folder_lock {
    int fd;
};

static tri_status open_lock(const char *folder, tri__folder_lock **out)
{
    *out = NULL;
    char *path = tri__path_join(folder, LOCK_FILE);
    tri__folder_lock *lock = NULL;
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    tri_status status = tri__allocate(1, sizeof *lock, "the lock of a folder", &lock);
    if (!status) {
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0)
            status = tri__path_failure(path, "write", errno);
    }
    if (status)
        free(lock);
    else
        *out = lock;
    free(path);
    return status;
}

/* Whether another process holds the lock. False on a file system without locks. */
static bool is_taken(const tri__folder_lock *lock, int command, short kind, int byte)
{
    struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    if (fcntl(lock->fd, command, &range))
        return errno == EAGAIN || errno == EACCES;
    return command == F_OFD_GETLK && range.l_type != F_UNLCK;
}

bool tri__folder_lock_is_held(const char *folder)
{
    char *path = tri__path_join(folder, LOCK_FILE);
    const tri__folder_lock lock = {.fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1};
    free(path);
    if (lock.fd < 0)
        return false;
    const bool held = is_taken(&lock, F_OFD_GETLK, F_WRLCK, JOB) || is_taken(&lock, F_OFD_GETLK, F_WRLCK, TASKS);
    close(lock.fd);
    return held;
}

/* "process 123 on node1" */
static void read_holder(const tri__folder_lock *lock, char text[HOLDER_SIZE])
{
    ssize_t size = pread(lock->fd, text, HOLDER_SIZE - 1, 0);
    text[size > 0 ? size : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    if (!*text)
        snprintf(text, HOLDER_SIZE, "a process that has just begun");
}

static tri_status write_holder(const tri__folder_lock *lock, const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "", text[HOLDER_SIZE];
    gethostname(host, sizeof host - 1);
    int size = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
    if (ftruncate(lock->fd, 0) || pwrite(lock->fd, text, (size_t)size, 0) != size)
        return tri_fail(TRI_IO, "%s/" LOCK_FILE ": cannot write: %s%s", folder, strerror(errno), tri__path_advice(errno));
    return NULL;
}

/* Wait for tasks of an earlier job whose launcher or supervisor was killed. */
static tri_status wait_for_tasks(const tri__folder_lock *lock, const char *folder)
{
    int64_t deadline = tri__clock_now() + PATIENCE;
    while (is_taken(lock, F_OFD_GETLK, F_WRLCK, TASKS)) {
        if (tri__clock_now() > deadline) {
            char holder[HOLDER_SIZE];
            read_holder(lock, holder);
            return tri_fail(TRI_TIMEOUT, "%s: tasks that %s had started are still running there: end them first", folder, holder);
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK}, NULL);
    }
    return NULL;
}

static tri_status take_job(const tri__folder_lock *lock, const char *folder)
{
    if (is_taken(lock, F_OFD_SETLK, F_WRLCK, JOB)) {
        char holder[HOLDER_SIZE];
        read_holder(lock, holder);
        return tri_fail(TRI_BAD_CALL, "%s: the run is still going on: %s has its folder (stop that process first, or wait for its end)",
                        folder, holder);
    }
    TRI_TRY(wait_for_tasks(lock, folder));
    return write_holder(lock, folder);
}

tri_status tri__folder_lock_job(const char *folder, tri__folder_lock **out)
{
    TRI_TRY(open_lock(folder, out));
    tri_status status = take_job(*out, folder);
    if (status) {
        tri__folder_lock_release(*out);
        *out = NULL;
    }
    return status;
}

/* The tasks' lock is shared, so it is never refused. */
tri_status tri__folder_lock_task(const char *folder, tri__folder_lock **out)
{
    TRI_TRY(open_lock(folder, out));
    (void)is_taken(*out, F_OFD_SETLK, F_RDLCK, TASKS);
    return NULL;
}

void tri__folder_lock_release(tri__folder_lock *lock)
{
    if (!lock)
        return;
    close(lock->fd);
    free(lock);
}
