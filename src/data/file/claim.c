/* claim.c: a queue of work that processes share through a folder. link(2) is the one call that is atomic on every file system, also over
 * the network: it creates a name, or fails if the name exists. */
#define _GNU_SOURCE /* asprintf */
#include "data/file/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

#define SILENCE 30 /* seconds without a touch after which a process on another host counts as dead */

static tri_status no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for the name of a claim");
}

static tri_status write_own(const tri__claims *claims)
{
    int file = open(claims->own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t size = strlen(claims->holder);
    bool written = file >= 0 && write(file, claims->holder, size) == (ssize_t)size;
    tri_status status = written ? NULL : tri__path_failure(claims->own, "write", errno);
    if (file >= 0)
        close(file);
    return status;
}

tri_status tri__claims_init(tri__claims *claims, const char *folder)
{
    *claims = (tri__claims){.folder = strdup(folder)};
    char host[64];
    if (gethostname(host, sizeof host))
        strcpy(host, "localhost");
    host[sizeof host - 1] = '\0';
    snprintf(claims->holder, sizeof claims->holder, "%s %d", host, (int)getpid());
    if (asprintf(&claims->own, "%s/%s-%d.alive", folder, host, (int)getpid()) < 0)
        claims->own = NULL;
    tri_status status = claims->folder && claims->own ? write_own(claims) : no_memory();
    if (status)
        tri__claims_fini(claims);
    return status;
}

void tri__claims_fini(tri__claims *claims)
{
    if (claims->own)
        unlink(claims->own);
    free(claims->own);
    free(claims->folder);
    *claims = (tri__claims){0};
}

static char *path_of(const tri__claims *claims, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s.lock", claims->folder, name) < 0 ? NULL : path;
}

/* Whether the holder, "host pid", is a process of this host that has ended. A holder with our own pid is an earlier process: we never try
 * to claim what we hold. */
static bool is_gone(const tri__claims *claims, const char *holder)
{
    size_t host = (size_t)(strrchr(claims->holder, ' ') - claims->holder) + 1;
    if (strncmp(holder, claims->holder, host))
        return false;
    long pid = strtol(holder + host, NULL, 10);
    return pid == (long)getpid() || (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH);
}

/* Whether the lock has not been touched for long. The file system gives both times, so the clocks of hosts do not matter. */
static bool is_silent(const tri__claims *claims, const char *path)
{
    struct stat lock, own;
    if (utimensat(AT_FDCWD, claims->own, NULL, 0) || stat(claims->own, &own) || stat(path, &lock))
        return false;
    return own.st_mtime - lock.st_mtime > SILENCE;
}

/* Remove the lock of a dead process. Only one process can rename it, so we rename it first. If it turns out to be the lock of another
 * process, we put it back. */
static void remove_stale_lock(const tri__claims *claims, const char *path, const char *holder)
{
    char *stale, *text = NULL;
    size_t size;
    if (asprintf(&stale, "%s.gone", claims->own) < 0)
        return;
    if (!rename(path, stale)) {
        tri_status status = tri__file_read(stale, sizeof claims->holder, &text, &size);
        if (!status && strcmp(text, holder) && link(stale, path)) {
            /* a third process has claimed the item meanwhile: two work on it, which does no harm */
        }
        tri_status_free(status);
        unlink(stale);
    }
    free(text);
    free(stale);
}

static tri_status look_at_holder(const tri__claims *claims, const char *path, bool *free_now)
{
    char *holder;
    size_t size;
    *free_now = false;
    tri_status status = tri__file_read(path, sizeof claims->holder, &holder, &size);
    if (tri_status_code(status) == TRI_NOT_FOUND) { /* just released */
        tri_status_free(status);
        *free_now = true;
        return NULL;
    }
    TRI_TRY(status);
    *free_now = is_gone(claims, holder) || is_silent(claims, path);
    if (*free_now)
        remove_stale_lock(claims, path, holder);
    free(holder);
    return NULL;
}

tri_status tri__claim_take(tri__claims *claims, const char *name, bool *got)
{
    *got = false;
    char *path = path_of(claims, name);
    if (!path)
        return no_memory();
    tri_status status = NULL;
    bool free_now = true;
    for (int attempt = 0; attempt < 2 && free_now && !*got && !status; attempt++) {
        *got = !link(claims->own, path);
        if (!*got && errno != EEXIST)
            status = tri_fail(TRI_IO, "%s: cannot claim: %s", path, strerror(errno));
        else if (!*got)
            status = look_at_holder(claims, path, &free_now);
    }
    free(path);
    return status;
}

void tri__claims_touch(tri__claims *claims)
{
    utimensat(AT_FDCWD, claims->own, NULL, 0);
}

void tri__claim_release(tri__claims *claims, const char *name)
{
    char *path = path_of(claims, name);
    if (path)
        unlink(path);
    free(path);
}

void tri__claims_sweep(const tri__claims *claims)
{
    char **names = NULL;
    size_t count = 0;
    tri_status_free(tri__folder_list(claims->folder, &names, &count));
    for (size_t i = 0; i < count; i++) {
        const char *ending = strrchr(names[i], '.');
        char *path = ending && !strcmp(ending, ".alive") ? tri__path_join(claims->folder, names[i]) : NULL;
        char *holder = NULL;
        size_t size;
        if (path && strcmp(path, claims->own))
            tri_status_free(tri__file_read(path, sizeof claims->holder, &holder, &size));
        if (holder && is_gone(claims, holder))
            unlink(path);
        free(holder);
        free(path);
    }
    tri__folder_free(names, count);
}
