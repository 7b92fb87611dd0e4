/* run_folder.c: run folders. A new run never takes an existing folder: it claims a folder by making it, so two runs cannot share one. */
#define _GNU_SOURCE
#include "train/folder/run_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "watch/sample/run_files.h"

static tri_status fill(const char *path, const char *task, tri__run_folder *out)
{
    const struct {
        char **to;
        const char *name, *task, *suffix;
    } parts[] = {
        {&out->path, "", "", ""},
        {&out->checkpoints, "/" TRI_RUN_CHECKPOINTS, "", ""},
        {&out->events, "/" TRI_RUN_EVENTS "/", task, ""},
        {&out->log, "/" TRI_RUN_LOGS "/", task, ".txt"},
        {&out->samples, "/" TRI_RUN_SAMPLES "/", task, ".csv"},
        {&out->peers, "/" TRI_RUN_PEERS "/", task, ".csv"},
        {&out->trace, "/" TRI_RUN_TRACES "/", task, ".part"},
        {&out->marks, "/" TRI_RUN_MARKS, "", ""},
        {&out->summary, "/" TRI_RUN_SUMMARY, "", ""},
        {&out->command, "/" TRI_RUN_COMMAND, "", ""},
    };
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (asprintf(parts[i].to, "%.*s%s%s%s", (int)length, path, parts[i].name, parts[i].task, parts[i].suffix) < 0) {
            *parts[i].to = NULL;
            return tri_fail(TRI_NO_MEMORY, "no memory for the names of a run folder");
        }
    return NULL;
}

tri_status tri__run_folder_add(const tri__run_folder *folder, const char *name)
{
    char *path = tri__path_join(folder->path, name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the names of a run folder");
    tri_status status = tri__folder_create(path);
    free(path);
    return status;
}

static tri_status make_parts(const tri__run_folder *folder)
{
    TRI_TRY(tri__run_folder_add(folder, TRI_RUN_LOGS));
    return tri__folder_create(folder->checkpoints);
}

/* runs/lenet-2026-11-15-1, or the next number that is free. */
static tri_status create_next(const char *model, char **path)
{
    time_t now = time(NULL);
    struct tm date;
    localtime_r(&now, &date);
    TRI_TRY(tri__folder_create("runs"));
    for (int number = 1;; number++) {
        if (asprintf(path, "runs/%s-%04d-%02d-%02d-%d", model, date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, number) < 0)
            return tri_fail(TRI_NO_MEMORY, "no memory for the name of a run folder");
        tri_status status = tri__folder_create_new(*path);
        if (!status)
            return NULL;
        free(*path);
        *path = NULL;
        if (tri_status_code(status) != TRI_BAD_CALL)
            return status;
        tri_status_free(status);
    }
}

tri_status tri__run_folder_check(const char *path)
{
    if (!tri__file_exists(path) && !tri__folder_exists(path))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--out %s: it exists already, and a new run needs a new folder (--resume %s continues the run in it)",
                    path, path);
}

bool tri__run_folder_is_one(const char *path)
{
    char *checkpoints = tri__path_join(path, TRI_RUN_CHECKPOINTS);
    bool is_one = checkpoints && tri__folder_exists(checkpoints);
    free(checkpoints);
    return is_one;
}

tri_status tri__run_folder_create(const char *path, const char *model, const char *task, tri__run_folder *out)
{
    *out = (tri__run_folder){0};
    char *made = NULL;
    tri_status status = path ? NULL : create_next(model, &made);
    if (!status)
        status = fill(path ? path : made, task, out);
    if (!status && path)
        status = tri_wrap(tri__folder_create_new(out->path), "--out %s", path);
    if (!status)
        status = make_parts(out);
    if (!status)
        status = tri__folder_lock_job(out->path, &out->lock);
    free(made);
    if (status)
        tri__run_folder_fini(out);
    return status;
}

/* "runs/a/checkpoint" instead of "runs/a". */
static bool holds_checkpoints_of_a_run(const char *path)
{
    const char *name = strrchr(path, '/');
    return !strcmp(name ? name + 1 : path, TRI_RUN_CHECKPOINTS) && !tri__run_folder_is_one(path);
}

static tri_status open_with(tri_status (*lock)(const char *folder, tri__folder_lock **out), const char *path, const char *task,
                            tri__run_folder *out)
{
    *out = (tri__run_folder){0};
    if (!tri__folder_exists(path))
        return tri_fail(TRI_NOT_FOUND, "%s: there is no such folder", path);
    if (holds_checkpoints_of_a_run(path))
        return tri_fail(TRI_BAD_CALL, "%s: these are the checkpoints of a run; give the run's own folder, which they are in", path);
    tri_status status = fill(path, task, out);
    if (!status)
        status = lock(out->path, &out->lock);
    if (!status)
        status = make_parts(out);
    if (status)
        tri__run_folder_fini(out);
    return status;
}

tri_status tri__run_folder_open(const char *path, const char *task, tri__run_folder *out)
{
    return tri_wrap(open_with(tri__folder_lock_job, path, task, out), "--resume");
}

tri_status tri__run_folder_enter(const char *path, const char *task, tri__run_folder *out)
{
    return open_with(tri__folder_lock_task, path, task, out);
}

void tri__run_folder_fini(tri__run_folder *folder)
{
    free(folder->path);
    free(folder->checkpoints);
    free(folder->events);
    free(folder->log);
    free(folder->samples);
    free(folder->peers);
    free(folder->marks);
    free(folder->trace);
    free(folder->summary);
    free(folder->command);
    tri__folder_lock_release(folder->lock);
    *folder = (tri__run_folder){0};
}

tri_status tri__run_folder_note(const tri__run_folder *folder, const char *command)
{
    FILE *file = fopen(folder->command, "a");
    bool written = file && fprintf(file, "%s\n", command) >= 0;
    int error = errno;
    if (file && fclose(file)) {
        error = errno;
        written = false;
    }
    return written ? NULL : tri__path_failure(folder->command, "write", error);
}

void tri__run_folder_identify(const char *path, tri__folder_identity *out)
{
    *out = (tri__folder_identity){0};
    struct stat folder, command;
    char *whole = realpath(path, NULL), *file = whole ? tri__path_join(whole, TRI_RUN_COMMAND) : NULL;
    const size_t size = whole ? strlen(whole) + 1 : 0;
    if (file && size <= sizeof out->path && !stat(whole, &folder) && !stat(file, &command)) {
        memcpy(out->path, whole, size);
        out->number[0] = (int64_t)folder.st_ino;
        out->number[1] = (int64_t)command.st_ino;
        out->number[2] = (int64_t)command.st_size;
    }
    free(whole);
    free(file);
}

bool tri__run_folder_is(const tri__folder_identity *identity)
{
    tri__folder_identity seen;
    if (!*identity->path)
        return false;
    tri__run_folder_identify(identity->path, &seen);
    return !strcmp(seen.path, identity->path) && !memcmp(seen.number, identity->number, sizeof seen.number);
}
