/* file.c: files, with messages that say which one, why, and what to do.
 *
 * A writer fills a temporary file beside the final one and renames it at commit, so that a reader sees the old file or the new one, and a
 * crash or a full disk never destroys the old one. A path that is no regular file (a pipe, /dev/stdout) is written in place. */
#define _GNU_SOURCE /* asprintf, sync_file_range */
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"

#define MUCH ((size_t)8 << 20) /* bytes after which the kernel is asked to begin writing to the disk */

/* Open a file for reading and get its size; a folder, pipe or device is refused. The caller closes *out. */
static tri_status open_regular(const char *path, int *out, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang us */
    if (file < 0)
        return tri__path_failure(path, "open", errno);
    struct stat about;
    int error = fstat(file, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (error || !S_ISREG(about.st_mode)) {
        close(file);
        return error ? tri__path_failure(path, "read", error) : tri_fail(TRI_BAD_CALL, "%s: cannot read: not a regular file", path);
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
    if (size > 0) { /* an empty file cannot be mapped */
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data == MAP_FAILED)
            status = tri__path_failure(path, "map", errno);
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
            status = tri__path_failure(path, "read", errno);
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

tri_status tri__file_load(const char *path, uint8_t **data, int64_t *room, size_t *size)
{
    int file = -1;
    *size = 0;
    TRI_TRY(open_regular(path, &file, size));
    tri_status status = tri__reserve(data, room, (int64_t)*size, 1, path);
    ssize_t got = status ? 0 : read_all(file, (char *)*data, *size);
    if (got < 0)
        status = tri__path_failure(path, "read", errno);
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
    tri_status status = got < 0 ? tri__path_failure(path, "read", errno) : NULL;
    *size = got < 0 ? 0 : (size_t)got;
    close(file);
    return status;
}

struct tri__writer {
    FILE *stream;
    size_t waiting;    /* bytes written since the last sync_file_range */
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
        if (asprintf(name, "%s" TRI_TEMPORARY_MARK "%d-%llx", path, (int)getpid(), (unsigned long long)tri__clock_now()) < 0) {
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
        return tri__path_failure(path, "write", EISDIR);
    tri__writer *writer = NULL;
    TRI_TRY(tri__allocate(1, sizeof *writer, path, &writer));
    int file = is_written_in_place(path) ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(path, 0666, &writer->temporary);
    writer->stream = file < 0 ? NULL : fdopen(file, "w");
    writer->path = writer->stream ? strdup(path) : NULL;
    if (!writer->path) {
        tri_status status = tri__path_failure(path, "create", errno);
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

/* Keep the first failure. errno has the reason. */
static void keep_failure(tri__writer *writer, const char *doing)
{
    if (!writer->failed)
        writer->failed = tri__path_failure(writer->path, doing, errno);
}

/* Let the disk begin with what was written, so that fsync has little left to wait for. Where this fails, nothing is lost. */
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

static tri_status sync_parent(const char *path)
{
    char *parent = tri__path_parent(path);
    tri_status status = parent ? tri__folder_sync(parent) : tri_fail(TRI_NO_MEMORY, "no memory for the name of %s's folder", path);
    free(parent);
    return status;
}

/* Bring everything to the disk, under the final name. */
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

tri_status tri__file_print(const char *path, void (*print)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        print(out, context);
    tri_status status =
        out && !fclose(out) ? tri__file_replace(path, text, size) : tri_fail(TRI_NO_MEMORY, "%s: no memory to write it", path);
    free(text);
    return status;
}

/* Write all of data, then close. Messages name path. */
static tri_status write_and_close(int file, const char *path, const void *data, size_t size, bool durably)
{
    const char *at = data;
    tri_status status = NULL;
    while (size > 0 && !status) {
        ssize_t part = write(file, at, size);
        if (part < 0 && errno != EINTR)
            status = tri__path_failure(path, "write", errno);
        at += part > 0 ? part : 0;
        size -= part > 0 ? (size_t)part : 0;
    }
    if (!status && durably && fsync(file))
        status = tri__path_failure(path, "write", errno);
    if (close(file) && !status)
        status = tri__path_failure(path, "write", errno);
    return status;
}

tri_status tri__file_write(const char *path, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file < 0 ? tri__path_failure(path, "create", errno) : write_and_close(file, path, data, size, false);
}

tri_status tri__file_create_secret(const char *path, const void *data, size_t size)
{
    char *temporary = NULL;
    int file = open_temporary(path, 0600, &temporary);
    tri_status status = file < 0 ? tri__path_failure(path, "create", errno) : write_and_close(file, path, data, size, true);
    if (!status && link(temporary, path)) /* unlike rename, this fails where path exists */
        status = errno == EEXIST ? tri_fail(TRI_BAD_CALL, "%s: is already there (choose a new name, or remove it)", path)
                                 : tri__path_failure(path, "create", errno);
    if (file >= 0)
        unlink(temporary);
    free(temporary);
    return status ? status : sync_parent(path);
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
