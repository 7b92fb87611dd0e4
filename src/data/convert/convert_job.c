/* convert_job.c: what is being converted, as a file beside the partitions. */
#define _GNU_SOURCE /* asprintf */
#include "data/convert/convert_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/sha256.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/json.h"
#include "data/source/source.h"

static tri_status no_memory(const char *what)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for %s", what);
}

static json_t *part_json(const tri_source *source)
{
    if (!source)
        return json_null();
    const tri_source_info *info = &source->info;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:I}", "format", info->format, "records", (json_int_t)info->examples, "bytes",
                     (json_int_t)info->bytes, "files", (json_int_t)info->files, "classes", (json_int_t)info->classes, "shape",
                     tri__json_shape(info->shape), "width", (json_int_t)info->width);
}

/* Everything that decides what the files hold. */
static json_t *describe(const tri__convert_job *self)
{
    const tri__convert_request *request = self->request;
    json_t *value = json_pack("{s:i, s:s, s:I, s:I, s:s, s:o, s:o}", "version", 1, "source", request->spec, "partitions",
                              (json_int_t)request->partitions, "seed", (json_int_t)request->seed, "encode",
                              request->encoding == TRI_ENCODE_JPEG ? "jpeg" : "raw", "train", part_json(self->source[TRI_PART_TRAIN]),
                              "test", part_json(self->source[TRI_PART_TEST]));
    if (value && self->source[TRI_PART_VALIDATION])
        json_object_set_new(value, "validation", part_json(self->source[TRI_PART_VALIDATION]));
    return value;
}

static tri_status job_text(const tri__convert_job *self, char **out)
{
    json_t *job = describe(self);
    char *text = job ? json_dumps(job, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    tri_status status = text ? NULL : no_memory("the job's description");
    if (!status) {
        tri__sha256 hash;
        char hex[65];
        tri__sha256_init(&hash);
        tri__sha256_update(&hash, text, strlen(text));
        tri__sha256_final(&hash, hex);
        if (json_object_set_new(job, "digest", json_string(hex)) || !(*out = json_dumps(job, JSON_INDENT(2) | JSON_SORT_KEYS)))
            status = no_memory("the job's description");
    }
    free(text);
    json_decref(job);
    return status;
}

/* The job file is looked for last, as another process may be writing it just now. */
tri_status tri__convert_job_refuse_foreign(const tri__convert_job *self)
{
    const char *out = self->request->out;
    char **names = NULL, *job = tri__path_join(self->folder, "job.json");
    size_t count = 0, foreign = 0;
    tri_status status = job ? tri__folder_list(out, &names, &count) : no_memory("the name of the job file");
    while (foreign < count && !strcmp(names[foreign], TRI_CONVERT_FOLDER))
        foreign++;
    if (foreign < count && !tri__file_exists(job))
        status = tri_fail(TRI_BAD_CALL, "%s: holds %s already, which no conversion wrote: choose a new folder", out, names[foreign]);
    tri__folder_free(names, count);
    free(job);
    return status;
}

/* Write the job file if there is none, atomically. If there is one, it must have the same text. */
static tri_status agree_on_job(const tri__convert_job *self, const char *path, const char *text)
{
    if (!tri__file_exists(path)) {
        char *draft;
        if (asprintf(&draft, "%s.job", self->own) < 0)
            return no_memory("the name of the job file");
        tri_status status = tri__file_replace(draft, text, strlen(text));
        if (!status && link(draft, path) && errno != EEXIST)
            status = tri__path_failure(path, "write", errno);
        unlink(draft);
        free(draft);
        TRI_TRY(status);
    }
    char *there;
    size_t size;
    TRI_TRY(tri__file_read(path, (size_t)1 << 20, &there, &size));
    bool same = !strcmp(there, text);
    free(there);
    return same ? NULL
                : tri_fail(TRI_BAD_CALL,
                           "%s: holds a conversion of another source or with other options (see %s): choose a new folder, or "
                           "remove it",
                           self->request->out, path);
}

tri_status tri__convert_job_settle(const tri__convert_job *self)
{
    char *path = tri__path_join(self->folder, "job.json"), *text = NULL;
    tri_status status = path ? job_text(self, &text) : no_memory("the name of the job file");
    if (!status)
        status = agree_on_job(self, path, text);
    free(text);
    free(path);
    return status;
}
