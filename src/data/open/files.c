/* files.c: from what the user typed to the files of a data set, and from their bytes to their format.
 *
 * A folder is searched with its subfolders. Files of no known format in it (a readme, a licence) are left out, but a file that the user
 * named, by its path or by a glob, must have a known format. All files of known formats must have the same one. */
#define _GNU_SOURCE /* GLOB_BRACE, strcasestr */
#include "data/open/files.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/arena.h"
#include "base/memory/memory.h"
#include "base/text/text.h"
#include "data/file/gzip.h"
#include "data/format/cifar.h"
#include "data/format/idx_pair.h"
#include "data/format/npy_source.h"
#include "data/format/records.h"
#include "data/photo/photo_folder.h"
#include "data/source/file_source.h"
#include "data/text/criteo.h"
#include "data/text/csv.h"
#include "data/text/libsvm.h"

enum {
    DEEPEST = 8,      /* levels of subfolders: more means a link that leads in circles */
    HEAD_BYTES = 4096 /* of a compressed file, inflated to recognise it */
};

/* In the order in which they are tried: the formats that are recognised most surely come first. */
static const tri__file_format *const formats[] = {
    &tri__tfrecord_format,    &tri__idx_format,    &tri__jpeg_folder_format, &tri__png_folder_format,
    &tri__webp_folder_format, &tri__npy_format,    &tri__npz_format,         &tri__cifar_format,
    &tri__criteo_format,      &tri__libsvm_format, &tri__csv_format,
};

enum { FORMATS = sizeof formats / sizeof *formats, LONGEST_LIST = 512 };

static const char *list_formats(char text[LONGEST_LIST])
{
    tri__text list;
    tri__text_init(&list, text, LONGEST_LIST);
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->description)
            tri__text_add(&list, "%s%s", list.used ? "; " : "", formats[i]->description);
    return text;
}

typedef struct {
    const char *path;
    tri_part part, folder_part; /* the part by its name and folders; the part by its folders alone */
    const tri__file_format *format;
    bool named; /* the user named it; otherwise it was found in a folder */
    bool aside; /* its format is not data beside files of other formats */
} found_file;

/* Things found in a folder that are not read: how many, and the first of them. */
typedef struct {
    int64_t count;
    const char *first; /* a path */
} left_out;

typedef struct {
    const char *spec;
    tri__arena *arena; /* owns all paths */
    found_file *files; /* [count] */
    int count;
    int64_t room;
    const tri__file_format *format;        /* of the first file */
    const char *format_seen_in;            /* a path */
    bool mixed;                            /* there are several formats, which may be mixed */
    bool table;                            /* the model was trained on a table: a named file of no known format is taken as one */
    left_out unknown, aside, links, empty; /* files of no known format, files of another format, links that lead nowhere, folders without a
                                            * data file */
} search;

static tri_status no_memory(const search *self)
{
    return tri_fail(TRI_NO_MEMORY, "out of memory while looking for the files of %s", self->spec);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static tri_status add_file(search *self, const char *path, tri_part part, bool named)
{
    TRI_TRY(tri__grow(&self->files, &self->room, self->count + 1, sizeof *self->files, "names of files"));
    tri_part by_name = part == TRI_PART_TRAIN ? tri__file_part(last_name(path)) : part;
    self->files[self->count++] = (found_file){.path = path, .part = by_name, .folder_part = part, .named = named};
    return NULL;
}

static void leave_out(left_out *what, const char *path)
{
    if (what->count++ == 0)
        what->first = path;
}

/* Hidden files, marks such as _SUCCESS, and files that are still being written. */
static bool is_passed_over(const char *name)
{
    return name[0] == '.' || name[0] == '_' || strstr(name, ".tmp-");
}

static tri_status add_folder(search *self, const char *path, tri_part part, int depth);

static tri_status add_entry(search *self, const char *folder, const char *name, tri_part part, int depth)
{
    const char *entry = tri__arena_format(self->arena, "%s/%s", folder, name);
    if (!entry)
        return no_memory(self);
    if (tri__file_exists(entry)) /* most entries are files */
        return add_file(self, entry, part, false);
    if (!tri__folder_exists(entry)) {
        leave_out(&self->links, entry);
        return NULL;
    }
    tri_part own = tri__folder_part(name);
    return add_folder(self, entry, own != TRI_PART_TRAIN ? own : part, depth + 1);
}

static tri_status add_folder(search *self, const char *path, tri_part part, int depth)
{
    if (depth > DEEPEST)
        return tri_fail(TRI_BAD_DATA, "%s: folders are nested more than %d deep (a link that leads in circles?)", path, DEEPEST);
    char **names;
    size_t count, seen = 0;
    TRI_TRY(tri__folder_list(path, &names, &count));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++) {
        if (is_passed_over(names[i]))
            continue;
        status = add_entry(self, path, names[i], part, depth);
        seen++;
    }
    tri__folder_free(names, count);
    if (seen == 0)
        leave_out(&self->empty, path);
    return status;
}

static bool is_glob(const char *spec)
{
    return strpbrk(spec, "*?[{");
}

/* The part of a file that a glob found, by the folders that the glob did not spell out: photos/t* also finds photos/test. */
static tri_part part_of_match(const char *spec, const char *path)
{
    size_t literal = strcspn(spec, "*?[{"), length;
    while (literal > 0 && spec[literal - 1] != '/')
        literal--;
    bool is_folder = tri__folder_exists(path);
    for (const char *at = path + literal; *at; at += length + (at[length] == '/')) {
        char name[NAME_MAX + 1];
        length = strcspn(at, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if ((at[length] || is_folder) && tri__folder_part(name) != TRI_PART_TRAIN)
            return tri__folder_part(name);
    }
    return TRI_PART_TRAIN;
}

static tri_status add_path(search *self, const char *path, tri_part part)
{
    return tri__folder_exists(path) ? add_folder(self, path, part, 0) : add_file(self, path, part, true);
}

static tri_status add_matches(search *self)
{
    glob_t matches = {0};
    int result = glob(self->spec, GLOB_BRACE, NULL, &matches);
    tri_status status = NULL;
    if (result == GLOB_NOMATCH)
        status = tri_fail(TRI_NOT_FOUND, "%s: no file matches (check the path, and put it in quotes for the shell)", self->spec);
    else if (result)
        status = tri_fail(TRI_IO, "%s: cannot look for files that match (a folder that may not be read?)", self->spec);
    for (size_t i = 0; i < matches.gl_pathc && !status; i++) {
        const char *path = tri__arena_copy(self->arena, matches.gl_pathv[i]);
        status = path ? add_path(self, path, part_of_match(self->spec, path)) : no_memory(self);
    }
    globfree(&matches);
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const found_file *)a)->path, ((const found_file *)b)->path);
}

/* If there is no test part, the validation part becomes the test part. */
static void settle_tests(search *self)
{
    bool any_test = false;
    for (int i = 0; i < self->count; i++)
        any_test |= self->files[i].part == TRI_PART_TEST;
    for (int i = 0; i < self->count && !any_test; i++)
        if (self->files[i].part == TRI_PART_VALIDATION)
            self->files[i].part = TRI_PART_TEST;
}

/* If the user named all files and none is of the train part, they are the train part: --test 'val-*' means exactly these files. */
static void settle_parts(search *self)
{
    bool all_named = true, any_train = false;
    for (int i = 0; i < self->count; i++) {
        if (self->format->by_folder)
            self->files[i].part = self->files[i].folder_part;
        all_named &= self->files[i].named;
        any_train |= self->files[i].part == TRI_PART_TRAIN;
    }
    for (int i = 0; i < self->count && all_named && !any_train; i++)
        self->files[i].part = TRI_PART_TRAIN;
    settle_tests(self);
}

static tri_status find_files(search *self)
{
    bool exists = tri__file_exists(self->spec) || tri__folder_exists(self->spec);
    TRI_TRY(!exists && is_glob(self->spec) ? add_matches(self) : add_path(self, self->spec, TRI_PART_TRAIN));
    if (self->count > 0)
        qsort(self->files, (size_t)self->count, sizeof *self->files, by_path);
    return NULL;
}

static const tri__file_format *format_of_bytes(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->is(head, size))
            return formats[i];
    return NULL;
}

static const tri__file_format *format_by_content(const tri__mapping *file)
{
    const tri__file_format *plain = format_of_bytes(file->data, file->size);
    if (plain || !(tri__gzip_is(file->data, file->size) || tri__zlib_is(file->data, file->size)))
        return plain;
    uint8_t head[HEAD_BYTES];
    return format_of_bytes(head, tri__gzip_peek(file->data, file->size, head, sizeof head));
}

static const tri__file_format *format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        for (const char *const *mark = formats[i]->marks; *mark; mark++)
            if (strcasestr(name, *mark))
                return formats[i];
    return NULL;
}

/* A format that the first bytes alone identify; such formats come first in the table. */
static const tri__file_format *format_by_head(const uint8_t *head, size_t size)
{
    const tri__file_format *format = format_of_bytes(head, size);
    return format && format->by_head ? format : NULL;
}

/* A folder of photos has many files, so a file is mapped only if its first bytes do not identify its format. */
static tri_status recognise(const char *path, const tri__file_format **out)
{
    uint8_t head[TRI_FILE_HEAD];
    size_t size;
    TRI_TRY(tri__file_peek(path, head, sizeof head, &size));
    if ((*out = format_by_head(head, size)))
        return NULL;
    tri__mapping file;
    TRI_TRY(tri__file_map(path, &file));
    *out = format_by_content(&file);
    tri__file_unmap(&file);
    if (!*out)
        *out = format_by_name(last_name(path));
    return NULL;
}

/* Find the format of each file, NULL if unknown. Formats that are not data beside others, such as tables, are marked `aside`. */
static tri_status recognise_each(search *self)
{
    bool others = false;
    for (int i = 0; i < self->count; i++) {
        TRI_TRY(recognise(self->files[i].path, &self->files[i].format));
        if (!self->files[i].format && self->table && self->files[i].named)
            self->files[i].format = &tri__csv_format; /* it has one column, or is damaged: reading it reports what is wrong */
        others |= self->files[i].format && !self->files[i].format->aside;
    }
    for (int i = 0; i < self->count && others; i++)
        if (self->files[i].format && self->files[i].format->aside && !self->files[i].named) {
            self->files[i].format = NULL;
            self->files[i].aside = true;
        }
    return NULL;
}

/* Find the one format of all files. Files of no known format are removed from the list. */
static tri_status recognise_all(search *self)
{
    int kept = 0;
    char known[LONGEST_LIST];
    TRI_TRY(recognise_each(self));
    for (int i = 0; i < self->count; i++) {
        const tri__file_format *format = self->files[i].format;
        if (!format && self->files[i].named)
            return tri_fail(TRI_BAD_DATA, "%s: not a file of a known format (%s)", self->files[i].path, list_formats(known));
        if (!format) {
            leave_out(self->files[i].aside ? &self->aside : &self->unknown, self->files[i].path);
            continue;
        }
        if (self->format && format != self->format && (!format->open || format->open != self->format->open))
            return tri_fail(TRI_BAD_DATA,
                            "%s: files of two formats: %s is %s, %s is %s (name those that are meant, with a glob such as '%s/*')",
                            self->spec, self->format_seen_in, self->format->name, self->files[i].path, format->name, self->spec);
        self->mixed |= self->format && format != self->format;
        self->format = self->format ? self->format : format;
        self->format_seen_in = self->files[i].path;
        self->files[kept++] = self->files[i];
    }
    self->count = kept;
    if (kept == 0)
        return tri_fail(TRI_BAD_DATA, "%s: no data files of a known format in this folder (%s)", self->spec, list_formats(known));
    return NULL;
}

static tri_status list_part(const search *self, tri_part part, tri__file_list *out)
{
    const char **paths = tri__arena_alloc(self->arena, (size_t)self->count * sizeof *paths);
    if (!paths)
        return no_memory(self);
    *out = (tri__file_list){.paths = paths};
    for (int i = 0; i < self->count; i++)
        if (self->files[i].part == part)
            paths[out->count++] = self->files[i].path;
    return NULL;
}

/* Whether any file may belong to the part, before formats are known. settle_parts may later move files to the train part, to the part of
 * their folder, or from the validation part to the test part. A single file may hold several parts. */
static bool may_have(const search *self, tri_part part)
{
    for (int i = 0; i < self->count; i++) {
        const found_file *file = &self->files[i];
        if (file->part == part || file->folder_part == part || (part == TRI_PART_TEST && file->part == TRI_PART_VALIDATION))
            return true;
    }
    return self->count < 2 || part == TRI_PART_TRAIN;
}

static tri_status no_such_part(const search *self, tri_part part)
{
    if (self->count == 1 && self->files[0].named)
        return tri_fail(TRI_NOT_FOUND, "%s: one file has no test part", self->spec);
    static const char *const names[] = {[TRI_PART_TRAIN] = "train", [TRI_PART_TEST] = "test", [TRI_PART_VALIDATION] = "validation"};
    return tri_fail(TRI_NOT_FOUND, "%s: has no %s part", self->spec, names[part]);
}

/* Append "3 files of no known format (the first is photos/a.gif)", after a comma if text is not empty. */
static void tell_left_out(tri__text *text, const left_out *what, const char *one, const char *many)
{
    if (what->count > 0)
        tri__text_add(text, "%s%" PRId64 " %s (%s%s)", text->used ? ", " : "", what->count, what->count == 1 ? one : many,
                      what->count == 1 ? "" : "the first is ", what->first);
}

/* Write into the source's note what was found and left out. */
static tri_status add_note(const search *self, tri_source *source)
{
    char all[1024];
    tri__text text;
    tri__text_init(&text, all, sizeof all);
    tell_left_out(&text, &self->unknown, "file of no known format", "files of no known format");
    tell_left_out(&text, &self->aside, "file of another format", "files of another format");
    tell_left_out(&text, &self->links, "link that leads nowhere", "links that lead nowhere");
    tell_left_out(&text, &self->empty, "empty folder", "empty folders");
    const char *own = source->info.note; /* the note of the format */
    char *note = NULL;
    if (!text.used)
        return NULL;
    if (asprintf(&note, "%s%s%s: left out: %s", own ? own : "", own ? "; " : "", self->spec, all) < 0)
        return no_memory(self);
    free((char *)own);
    source->info.note = note;
    return NULL;
}

static tri_status open_found(search *self, tri_part part, int64_t classes, const tri_source_options *options, tri_source **out)
{
    TRI_TRY(find_files(self));
    if (!may_have(self, part))
        return no_such_part(self, part); /* without opening every file */
    TRI_TRY(recognise_all(self));
    settle_parts(self);
    tri__file_set set = {.spec = self->spec, .classes = classes, .format = self->mixed ? NULL : self->format};
    for (int i = 0; i < TRI_PARTS; i++)
        TRI_TRY(list_part(self, (tri_part)i, &set.part[i]));
    if (set.part[part].count == 0 && self->format->parts_inside && !self->mixed)
        set.part[part] = set.part[TRI_PART_TRAIN];
    if (set.part[part].count == 0)
        return no_such_part(self, part);
    TRI_TRY(self->format->open ? self->format->open(&set, part, options, out)
                               : tri__file_source_open(self->format->records, &set, part, options, out));
    tri_status status = add_note(self, *out);
    if (status)
        tri_source_destroy(*out);
    return status;
}

tri_status tri__files_open(const char *spec, tri_part part, int64_t classes, const tri_source_options *options, tri_source **out)
{
    search self = {.spec = spec, .table = options->columns};
    TRI_TRY(tri__arena_create(&self.arena));
    tri_status status = open_found(&self, part, classes, options, out);
    free(self.files);
    tri__arena_destroy(self.arena);
    return status;
}

bool tri__files_are(const char *spec)
{
    return tri__file_exists(spec) || tri__folder_exists(spec) || is_glob(spec);
}
