/* file.c: files and folders, with messages that say which one, why, and what to do.
 *
 * A writer fills a temporary file beside the final one and renames it at commit, so that a reader sees the old file or the new one
 * and a crash or a full disk never costs the old one. What is no regular file (a pipe, /dev/stdout) is written in place. */
#define _GNU_SOURCE /* asprintf, sync_file_range */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

#define TEMPORARY_MARK ".tmp-"           /* in names of files that are being written */
#define MUCH           ((size_t)8 << 20) /* bytes after which the disk is asked to begin */

static const char *advice_for(int error)
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

/* The failure of doing something to path, with the system's reason. */
static tri_status failure(const char *path, const char *doing, int error)
{
    tri_code code = error == ENOENT ? TRI_NOT_FOUND : error == ENOMEM ? TRI_NO_MEMORY : TRI_IO;
    return tri_fail(code, "%s: cannot %s: %s%s", path, doing, strerror(error), advice_for(error));
}

/* Open a file for reading and tell its size; a folder, pipe or device is refused. The caller closes *out. */
static tri_status open_regular(const char *path, int *out, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang us */
    if (file < 0)
        return failure(path, "open", errno);
    struct stat about;
    int error = fstat(file, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (error || !S_ISREG(about.st_mode)) {
        close(file);
        return error ? failure(path, "read", error) : tri_fail(TRI_BAD_CALL, "%s: cannot read: not a regular file", path);
    }
    *out = file;
    *size = (size_t)about.st_size;
    return NULL;
}

tri_status tri__file_map(const char *path, tri__mapping *out)
{
    *out = (tri__mapping){.data = (const uint8_t *)""};
    int file = -1;
    size_t size = 0;
    TRI_TRY(open_regular(path, &file, &size));
    tri_status status = NULL;
    if (size > 0) { /* nothing cannot be mapped */
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data == MAP_FAILED)
            status = failure(path, "map", errno);
        else
            *out = (tri__mapping){.data = data, .size = size};
    }
    close(file);
    return status;
}

void tri__file_unmap(tri__mapping *mapping)
{
    if (mapping->size > 0)
        munmap((void *)(uintptr_t)mapping->data, mapping->size);
    *mapping = (tri__mapping){0};
}

/* Up to size bytes; fewer only at the file's end. */
static ssize_t read_all(int file, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t part = read(file, text + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return -1;
        if (part == 0)
            break;
        done += (size_t)part;
    }
    return (ssize_t)done;
}

tri_status tri__file_read(const char *path, size_t limit, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    int file = -1;
    size_t expected = 0;
    TRI_TRY(open_regular(path, &file, &expected));
    tri_status status = NULL;
    if (expected > limit)
        status =
            tri_fail(TRI_BAD_DATA, "%s: %zu bytes, more than the %zu that such a file may have (the right file?)", path, expected, limit);
    else
        status = tri__allocate(expected + 1, 1, path, text);
    if (!status) {
        ssize_t got = read_all(file, *text, expected);
        if (got < 0) {
            status = failure(path, "read", errno);
            free(*text);
            *text = NULL;
        } else {
            (*text)[got] = '\0';
            *size = (size_t)got;
        }
    }
    close(file);
    return status;
}

tri_status tri__file_load(const char *path, uint8_t **data, size_t *capacity, size_t *size)
{
    int file = -1;
    *size = 0;
    TRI_TRY(open_regular(path, &file, size));
    tri_status status = NULL;
    if (*size > *capacity) {
        free(*data);
        *data = NULL;
        status = tri__allocate(*size, 1, path, data);
        *capacity = status ? 0 : *size;
    }
    ssize_t got = status ? 0 : read_all(file, (char *)*data, *size);
    if (got < 0)
        status = failure(path, "read", errno);
    *size = got < 0 ? 0 : (size_t)got;
    close(file);
    return status;
}

tri_status tri__file_peek(const char *path, uint8_t *head, size_t room, size_t *size)
{
    int file = -1;
    *size = 0;
    TRI_TRY(open_regular(path, &file, size));
    ssize_t got = read_all(file, (char *)head, room);
    tri_status status = got < 0 ? failure(path, "read", errno) : NULL;
    *size = got < 0 ? 0 : (size_t)got;
    close(file);
    return status;
}

struct tri__writer {
    FILE *stream;
    size_t waiting;    /* bytes written since the disk was last asked to begin */
    tri_status failed; /* the first failure, or NULL */
    char *path;
    char *temporary; /* NULL: path itself is written, as it is a pipe or a device */
};

static void free_writer(tri__writer *writer)
{
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

static bool is_written_in_place(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* Open a new file "path.tmp-…" and give its name in fresh memory; −1 and errno where that fails. */
static int open_temporary(const char *path, mode_t mode, char **name)
{
    int file = -1;
    do {
        free(*name);
        if (asprintf(name, "%s" TEMPORARY_MARK "%d-%llx", path, (int)getpid(), (unsigned long long)tri__clock_now()) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (file < 0 && errno == EEXIST);
    return file;
}

tri_status tri__writer_create(const char *path, tri__writer **out)
{
    *out = NULL;
    if (tri__folder_exists(path))
        return failure(path, "write", EISDIR);
    tri__writer *writer = NULL;
    TRI_TRY(tri__allocate(1, sizeof *writer, path, &writer));
    int file = is_written_in_place(path) ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(path, 0666, &writer->temporary);
    writer->stream = file < 0 ? NULL : fdopen(file, "w");
    writer->path = writer->stream ? strdup(path) : NULL;
    if (!writer->path) {
        tri_status status = failure(path, "create", errno);
        if (file >= 0 && writer->temporary)
            unlink(writer->temporary);
        if (writer->stream)
            fclose(writer->stream);
        else if (file >= 0)
            close(file);
        free_writer(writer);
        return status;
    }
    *out = writer;
    return NULL;
}

/* Keep the first failure. errno tells the reason. */
static void keep_failure(tri__writer *writer, const char *doing)
{
    if (!writer->failed)
        writer->failed = failure(writer->path, doing, errno);
}

/* Let the disk begin with what is there, so that little is left to wait for at the end. Where that cannot be, nothing is lost. */
static void start_syncing(tri__writer *writer)
{
    writer->waiting = 0;
    if (writer->temporary)
        (void)sync_file_range(fileno(writer->stream), 0, 0, SYNC_FILE_RANGE_WRITE);
}

void tri__writer_write(tri__writer *writer, const void *data, size_t size)
{
    if (!writer->failed && size > 0 && fwrite(data, 1, size, writer->stream) != size)
        keep_failure(writer, "write");
    writer->waiting += size;
    if (writer->waiting >= MUCH)
        start_syncing(writer);
}

/* The folder that holds path, in fresh memory. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static tri_status sync_parent(const char *path)
{
    char *parent = parent_of(path);
    tri_status status = parent ? tri__folder_sync(parent) : tri_fail(TRI_NO_MEMORY, "no memory for the name of %s's folder", path);
    free(parent);
    return status;
}

/* Everything on the disk, under the final name. */
static void publish(tri__writer *writer)
{
    if (!writer->failed && fflush(writer->stream))
        keep_failure(writer, "write");
    if (!writer->failed && writer->temporary && fsync(fileno(writer->stream)))
        keep_failure(writer, "write");
    if (fclose(writer->stream))
        keep_failure(writer, "write");
    if (!writer->temporary)
        return;
    if (!writer->failed && rename(writer->temporary, writer->path))
        keep_failure(writer, "replace");
    if (writer->failed)
        unlink(writer->temporary);
    else
        writer->failed = sync_parent(writer->path);
}

tri_status tri__writer_commit(tri__writer *writer)
{
    publish(writer);
    tri_status status = writer->failed;
    free_writer(writer);
    return status;
}

void tri__writer_abandon(tri__writer *writer)
{
    if (!writer)
        return;
    fclose(writer->stream);
    if (writer->temporary)
        unlink(writer->temporary);
    tri_status_free(writer->failed);
    free_writer(writer);
}

tri_status tri__file_replace(const char *path, const void *data, size_t size)
{
    tri__writer *writer = NULL;
    TRI_TRY(tri__writer_create(path, &writer));
    tri__writer_write(writer, data, size);
    return tri__writer_commit(writer);
}

/* All of it, then close; the failure is of path. */
static tri_status write_and_close(int file, const char *path, const void *data, size_t size, bool durably)
{
    const char *at = data;
    tri_status status = NULL;
    while (size > 0 && !status) {
        ssize_t part = write(file, at, size);
        if (part < 0 && errno != EINTR)
            status = failure(path, "write", errno);
        at += part > 0 ? part : 0;
        size -= part > 0 ? (size_t)part : 0;
    }
    if (!status && durably && fsync(file))
        status = failure(path, "write", errno);
    if (close(file) && !status)
        status = failure(path, "write", errno);
    return status;
}

tri_status tri__file_write(const char *path, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file < 0 ? failure(path, "create", errno) : write_and_close(file, path, data, size, false);
}

tri_status tri__file_create_secret(const char *path, const void *data, size_t size)
{
    char *temporary = NULL;
    int file = open_temporary(path, 0600, &temporary);
    tri_status status = file < 0 ? failure(path, "create", errno) : write_and_close(file, path, data, size, true);
    if (!status && link(temporary, path)) /* unlike rename, this fails where path exists */
        status = errno == EEXIST ? tri_fail(TRI_BAD_CALL, "%s: is already there (choose a new name, or remove it)", path)
                                 : failure(path, "create", errno);
    if (file >= 0)
        unlink(temporary);
    free(temporary);
    return status ? status : sync_parent(path);
}

/* One folder whose parent exists. */
static tri_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && tri__folder_exists(path)))
        return NULL;
    return failure(path, "make this folder", errno == EEXIST ? ENOTDIR : errno);
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
    char *parent = parent_of(path);
    if (!parent)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of %s's folder", path);
    tri_status status = tri__folder_create(parent);
    free(parent);
    TRI_TRY(status);
    if (mkdir(path, 0777) == 0)
        return NULL;
    if (errno == EEXIST)
        return tri_fail(TRI_BAD_CALL, "%s: is already there (choose a new name, or remove it)", path);
    return failure(path, "make this folder", errno);
}

tri_status tri__folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return failure(path, "open this folder", errno);
    /* Some network file systems cannot sync a folder and say EINVAL: then there is nothing to be done. */
    tri_status status = fsync(folder) && errno != EINVAL ? failure(path, "write this folder to the disk", errno) : NULL;
    close(folder);
    return status;
}

/* Remove one thing that lies in a folder: a folder with its content, or anything else (a link, not what it points to). */
static tri_status remove_entry(const char *path)
{
    struct stat about;
    if (lstat(path, &about))
        return errno == ENOENT ? NULL : failure(path, "remove", errno);
    if (S_ISDIR(about.st_mode))
        return tri__folder_remove(path);
    return unlink(path) && errno != ENOENT ? failure(path, "remove", errno) : NULL;
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
        status = failure(path, "remove this folder", errno);
    return status;
}

/* The process that made a temporary name, "….tmp-<process>-<time>"; 0 for other names. */
static pid_t writer_of(const char *name)
{
    const char *mark = strstr(name, TEMPORARY_MARK);
    char *end = NULL;
    long process = mark ? strtol(mark + strlen(TEMPORARY_MARK), &end, 10) : 0;
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

bool tri__file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

int64_t tri__file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) ? 0 : (int64_t)about.st_size;
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
        return failure(path, "list this folder", errno);
    char **list = NULL;
    tri_status status = tri__allocate((size_t)found + 1, sizeof *list, path, &list);
    for (int i = 0; i < found; i++) {
        if (!status && !(list[i] = strdup(entries[i]->d_name)))
            status = failure(path, "list this folder", ENOMEM);
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

char *tri__path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *between = length > 0 && folder[length - 1] != '/' ? "/" : "";
    char *path;
    return asprintf(&path, "%s%s%s", folder, between, name) < 0 ? NULL : path;
}
