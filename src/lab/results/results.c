/* results.c: the journal of a study: a line of JSON for each run. */
#define _GNU_SOURCE
#include "lab/results/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "train/folder/folder_lock.h"

#define JOURNAL "cells.jsonl"
#define LARGEST ((size_t)1 << 30)

struct tri__results {
    const tri__study *study;
    tri__study *own; /* the study, where it was read from the journal; otherwise NULL */
    char *path;
    json_t *records; /* all lines: the first is the head */
    tri__measurement *measurements;
    int64_t count, room;
    int file; /* the journal, for appending; −1: opened for reading only */
    tri__folder_lock *lock;
};

/* ---- reading ---- */

static tri_status no_memory(const tri__results *results)
{
    return tri_fail(TRI_NO_MEMORY, "%s: no memory for its results", results->path);
}

/* Keep a line. If it is about a run of a cell, it is also a measurement. */
static tri_status keep(tri__results *results, json_t *record)
{
    const json_t *cell = json_object_get(record, "cell");
    if (json_array_append_new(results->records, record))
        return no_memory(results);
    if (!json_is_integer(cell))
        return NULL;
    tri__measurement one = {.cell = (int)json_integer_value(cell),
                            .repeat = (int)tri__json_integer_of(record, "repeat", 0),
                            .record = record,
                            .result = json_object_get(record, "result")};
    if (one.cell < 0 || one.cell >= results->study->cell_count || one.repeat < 1)
        return tri_fail(TRI_BAD_DATA, "%s: a result of cell %d, repeat %d, which the study has not", results->path, one.cell, one.repeat);
    TRI_TRY(tri__grow(&results->measurements, &results->room, results->count + 1, sizeof one, "the results of a study"));
    results->measurements[results->count++] = one;
    return NULL;
}

static tri_status find_scale(const tri__results *results, const json_t *head, tri__scale *out)
{
    const char *name = json_string_value(json_object_get(head, "scale"));
    for (int i = 0; name && i <= TRI_SCALE_FULL; i++)
        if (!strcmp(name, tri__scale_name((tri__scale)i))) {
            *out = (tri__scale)i;
            return NULL;
        }
    return tri_fail(TRI_BAD_DATA, "%s: its first line does not say at which scale the study was run", results->path);
}

static tri_status adopt_head(tri__results *results, json_t *head)
{
    tri__study_text from = {.file = json_string_value(json_object_get(head, "file")),
                            .text = json_string_value(json_object_get(head, "text")),
                            .builtin = json_is_true(json_object_get(head, "builtin"))};
    const char *digest = json_string_value(json_object_get(head, "digest"));
    tri__scale scale = TRI_SCALE_USUAL;
    tri_status status = from.file && from.text && digest ? find_scale(results, head, &scale)
                                                         : tri_fail(TRI_BAD_DATA, "%s: its first line tells of no study", results->path);
    if (!status && !results->study) {
        status = tri__study_parse(&from, scale, &results->own);
        results->study = results->own;
    } else if (!status && strcmp(digest, results->study->digest)) {
        status =
            tri_fail(TRI_BAD_CALL,
                     "%s: these are results of %s at scale %s as it was then; the study or the scale is another now: give another --out, "
                     "or --fresh to begin anew",
                     results->path, from.file, tri__scale_name(scale));
    }
    if (status) {
        json_decref(head);
        return status;
    }
    return keep(results, head);
}

/* Read the complete lines. *kept: how many bytes they have. */
static tri_status read_lines(tri__results *results, const char *text, size_t *kept)
{
    const char *at = text, *end;
    for (int line = 1; (end = strchr(at, '\n')); line++, at = end + 1) {
        char name[4200];
        json_t *record;
        snprintf(name, sizeof name, "%s, line %d", results->path, line);
        TRI_TRY(tri__json_parse(name, at, (size_t)(end - at), &record));
        TRI_TRY(line == 1 ? adopt_head(results, record) : keep(results, record));
    }
    *kept = (size_t)(at - text);
    return NULL;
}

static tri_status read_journal(tri__results *results, size_t *kept)
{
    char *text = NULL;
    size_t size;
    *kept = 0;
    TRI_TRY(tri__file_read(results->path, LARGEST, &text, &size));
    tri_status status = read_lines(results, text, kept);
    free(text);
    return status;
}

static tri_status create(const char *folder, const tri__study *study, tri__results **out)
{
    tri__results *results = calloc(1, sizeof *results);
    *out = results;
    if (!results)
        return tri_fail(TRI_NO_MEMORY, "no memory for the results of a study");
    results->study = study;
    results->file = -1;
    results->path = tri__path_join(folder, JOURNAL);
    results->records = json_array();
    return results->path && results->records ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the results of a study");
}

tri_status tri__results_read(const char *folder, tri__results **out)
{
    size_t kept;
    tri_status status = create(folder, NULL, out);
    if (!status && !tri__file_exists((*out)->path))
        status = tri_fail(TRI_NOT_FOUND, "%s: there are no results of a study (trireme lab run STUDY makes them)", folder);
    if (!status)
        status = read_journal(*out, &kept);
    if (!status && !(*out)->study)
        status = tri_fail(TRI_BAD_DATA, "%s: there is nothing in it", (*out)->path);
    if (status) {
        tri__results_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- writing ---- */

static tri_status write_line(tri__results *results, const json_t *record)
{
    char *text = json_dumps(record, JSON_COMPACT);
    size_t size = text ? strlen(text) : 0, done = 0;
    tri_status status = text ? NULL : no_memory(results);
    if (text)
        text[size++] = '\n'; /* in place of the NUL */
    while (!status && done < size) {
        ssize_t written = write(results->file, text + done, size - done);
        if (written < 0 && errno != EINTR)
            status = tri__path_failure(results->path, "write", errno);
        done += written > 0 ? (size_t)written : 0;
    }
    free(text);
    if (!status && fsync(results->file))
        status = tri__path_failure(results->path, "sync", errno);
    return status;
}

tri_status tri__results_append(tri__results *results, json_t *record)
{
    tri_status status = record ? write_line(results, record) : no_memory(results);
    if (!status)
        return keep(results, record);
    json_decref(record);
    return status;
}

static tri_status begin(tri__results *results, const json_t *about)
{
    const tri__study *study = results->study;
    json_t *head = json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:O}", "study", study->name, "title", study->title, "file", study->file,
                             "builtin", study->builtin, "scale", tri__scale_name(study->scale), "digest", study->digest, "about", about);
    if (head)
        json_object_set_new(head, "text", json_string(study->text));
    return tri__results_append(results, head);
}

/* If a crash left an incomplete last line, it is cut off. */
static tri_status open_journal(tri__results *results, const json_t *about)
{
    size_t kept = 0;
    bool known = tri__file_exists(results->path);
    if (known)
        TRI_TRY(read_journal(results, &kept));
    results->file = open(results->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (results->file < 0 || ftruncate(results->file, (off_t)kept))
        return tri__path_failure(results->path, "open", errno);
    return json_array_size(results->records) ? NULL : begin(results, about);
}

static tri_status remove_part(const char *folder, const char *name)
{
    char *path = tri__path_join(folder, name);
    tri_status status = path ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a path");
    if (path && tri__folder_exists(path))
        status = tri__folder_remove(path);
    else if (path && unlink(path) && errno != ENOENT)
        status = tri__path_failure(path, "remove", errno);
    free(path);
    return status;
}

/* Does nothing where there is no journal. The journal is removed last: as long as it exists, the folder is known to hold results. */
static tri_status remove_results(const char *folder)
{
    static const char *const parts[] = {"runs", "data", "results.csv", JOURNAL};
    char *journal = tri__path_join(folder, JOURNAL);
    bool known = journal && tri__file_exists(journal);
    free(journal);
    for (size_t i = 0; known && i < sizeof parts / sizeof *parts; i++)
        TRI_TRY(remove_part(folder, parts[i]));
    return NULL;
}

tri_status tri__results_open(const char *folder, const tri__study *study, const json_t *about, bool fresh, tri__results **out)
{
    tri_status status = create(folder, study, out);
    if (!status)
        status = tri__folder_create(folder);
    if (!status)
        status = tri__folder_lock_job(folder, &(*out)->lock);
    if (!status && fresh)
        status = remove_results(folder);
    if (!status)
        status = open_journal(*out, about);
    if (status) {
        tri__results_destroy(*out);
        *out = NULL;
    }
    return status;
}

void tri__results_destroy(tri__results *results)
{
    if (!results)
        return;
    if (results->file >= 0)
        close(results->file);
    tri__folder_lock_release(results->lock);
    json_decref(results->records);
    free(results->measurements);
    free(results->path);
    tri__study_destroy(results->own);
    free(results);
}

/* ---- looking ---- */

const tri__study *tri__results_study(const tri__results *results)
{
    return results->study;
}

const json_t *tri__results_head(const tri__results *results)
{
    return json_array_get(results->records, 0);
}

const json_t *tri__results_data(const tri__results *results)
{
    for (size_t i = json_array_size(results->records); i > 0; i--) {
        const json_t *data = json_object_get(json_array_get(results->records, i - 1), "data");
        if (data)
            return data;
    }
    return NULL;
}

int64_t tri__results_count(const tri__results *results)
{
    return results->count;
}

const tri__measurement *tri__results_at(const tri__results *results, int64_t index)
{
    return &results->measurements[index];
}

const char *tri__results_cluster(const tri__results *results, int number)
{
    size_t index;
    json_t *record;
    json_array_foreach(results->records, index, record)
    {
        const char *name = json_string_value(json_object_get(record, "cluster"));
        if (name && number-- == 0)
            return name;
    }
    return NULL;
}

/* The results may have been moved since the run: the run folders are looked for beside them. */
char *tri__results_run_folder(const tri__results *results, int cell)
{
    const char *path = NULL;
    for (int64_t i = 0; i < results->count && !path; i++)
        if (results->measurements[i].cell == cell && results->measurements[i].result)
            path = json_string_value(json_object_get(results->measurements[i].record, "folder"));
    const char *name = path ? strrchr(path, '/') : NULL;
    char *folder = name ? tri__path_parent(results->path) : NULL, *runs = folder ? tri__path_join(folder, "runs") : NULL;
    char *run = runs ? tri__path_join(runs, name + 1) : NULL;
    free(folder);
    free(runs);
    return run;
}

bool tri__results_has(const tri__results *results, int cell, int repeat)
{
    for (int64_t i = 0; i < results->count; i++)
        if (results->measurements[i].cell == cell && results->measurements[i].repeat == repeat && results->measurements[i].result)
            return true;
    return false;
}

int tri__results_failures(const tri__results *results, int cell, int repeat)
{
    int failures = 0;
    for (int64_t i = 0; i < results->count; i++)
        failures += results->measurements[i].cell == cell && results->measurements[i].repeat == repeat && !results->measurements[i].result;
    return failures;
}

bool tri__results_prepared(const tri__results *results, const char *command)
{
    size_t index;
    json_t *record;
    json_array_foreach(results->records, index, record)
    {
        const char *prepared = json_string_value(json_object_get(record, "prepared"));
        if (prepared && !strcmp(prepared, command))
            return true;
    }
    return false;
}
