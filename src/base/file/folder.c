/* folder.c: paths and folders, with messages that say which one, why, and what to do. */
#define _GNU_SOURCE /* asprintf */
#include "base/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/memory.h"

/* ---- paths ---- */

const char *tri__path_advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return " (disk full: free some space or choose another folder)";
    case EFBIG:
        return " (the system limits the size of files: raise it with ulimit -f)";
    case EACCES:
    case EPERM:
        return " (check who owns it and its permissions, or choose another folder)";
    case EROFS:
        return " (the disk is read-only: choose another folder)";
    case ENOENT:
        return " (check the name)";
    case ENOTDIR:
        return " (a part of the path is a file, not a folder)";
    case EISDIR:
        return " (it is a folder)";
    case EMFILE:
    case ENFILE:
        return " (too many open files: raise the limit with ulimit -n)";
    case EIO:
        return " (the disk may be failing: see dmesg)";
    default:
        return "";
    }
}

char *tri__path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *between = length > 0 && folder[length - 1] != '/' ? "/" : "";
    char *path;
    return asprintf(&path, "%s%s%s", folder, between, name) < 0 ? NULL : path;
}

char *tri__path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* ---- folders ---- */

/* One folder whose parent exists. */
static tri_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && tri__folder_exists(path)))
        return NULL;
    return tri__path_failure(path, "make this folder", errno == EEXIST ? ENOTDIR : errno);
}

tri_status tri__folder_create(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of folder %s", path);
    tri_status status = NULL;
    for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; slash && !status; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_folder(copy);
        *slash = '/';
    }
    if (!status)
        status = make_folder(copy);
    free(copy);
    return status;
}

tri_status tri__folder_create_new(const char *path)
{
    char *parent = tri__path_parent(path);
    if (!parent)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of %s's folder", path);
    tri_status status = tri__folder_create(parent);
    free(parent);
    TRI_TRY(status);
    if (mkdir(path, 0777) == 0)
        return NULL;
    if (errno == EEXIST)
        return tri_fail(TRI_BAD_CALL, "%s: is already there (choose a new name, or remove it)", path);
    return tri__path_failure(path, "make this folder", errno);
}

tri_status tri__folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return tri__path_failure(path, "open this folder", errno);
    /* Some network file systems cannot sync a folder and return EINVAL: there is nothing we can do about it. */
    tri_status status = fsync(folder) && errno != EINVAL ? tri__path_failure(path, "write this folder to the disk", errno) : NULL;
    close(folder);
    return status;
}

/* Remove one thing that lies in a folder: a folder with its content, or anything else (a link, not what it points to). */
static tri_status remove_entry(const char *path)
{
    struct stat about;
    if (lstat(path, &about))
        return errno == ENOENT ? NULL : tri__path_failure(path, "remove", errno);
    if (S_ISDIR(about.st_mode))
        return tri__folder_remove(path);
    return unlink(path) && errno != ENOENT ? tri__path_failure(path, "remove", errno) : NULL;
}

tri_status tri__folder_remove(const char *path)
{
    struct stat about;
    if (lstat(path, &about) && errno == ENOENT)
        return NULL;
    char **names = NULL;
    size_t count = 0;
    tri_status status = tri__folder_list(path, &names, &count);
    for (size_t i = 0; i < count && !status; i++) {
        char *entry = tri__path_join(path, names[i]);
        status = entry ? remove_entry(entry) : tri_fail(TRI_NO_MEMORY, "no memory for the names in %s", path);
        free(entry);
    }
    tri__folder_free(names, count);
    if (!status && rmdir(path) && errno != ENOENT)
        status = tri__path_failure(path, "remove this folder", errno);
    return status;
}

/* The process that made a temporary name, "….tmp-<process>-<time>"; 0 for other names. */
static pid_t writer_of(const char *name)
{
    const char *mark = strstr(name, TRI_TEMPORARY_MARK);
    char *end = NULL;
    long process = mark ? strtol(mark + strlen(TRI_TEMPORARY_MARK), &end, 10) : 0;
    return process > 0 && process <= INT_MAX && *end == '-' ? (pid_t)process : 0;
}

void tri__folder_sweep(const char *path)
{
    char **names = NULL;
    size_t count = 0;
    tri_status_free(tri__folder_list(path, &names, &count));
    for (size_t i = 0; i < count; i++) {
        pid_t writer = writer_of(names[i]);
        bool is_gone = writer > 0 && kill(writer, 0) && errno == ESRCH;
        char *left = is_gone ? tri__path_join(path, names[i]) : NULL;
        if (left)
            unlink(left);
        free(left);
    }
    tri__folder_free(names, count);
}

bool tri__folder_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Keeps . and .. out of scandir's list. */
static int is_listed(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* By bytes, not by locale, so that the order is the same everywhere. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

tri_status tri__folder_list(const char *path, char ***names, size_t *count)
{
    *names = NULL;
    *count = 0;
    struct dirent **entries = NULL;
    int found = scandir(path, &entries, is_listed, by_name);
    if (found < 0)
        return tri__path_failure(path, "list this folder", errno);
    char **list = NULL;
    tri_status status = tri__allocate((size_t)found + 1, sizeof *list, path, &list);
    for (int i = 0; i < found; i++) {
        if (!status && !(list[i] = strdup(entries[i]->d_name)))
            status = tri__path_failure(path, "list this folder", ENOMEM);
        free(entries[i]);
    }
    free(entries);
    if (status) {
        tri__folder_free(list, (size_t)found);
        return status;
    }
    *names = list;
    *count = (size_t)found;
    return NULL;
}

void tri__folder_free(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}
