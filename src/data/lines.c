/* lines.c: text files whose records are lines. */
#include "data/lines.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

static tri_status add_file(tri__lines *lines, const char *path, const tri__index_format *format, const char *cache_folder)
{
    tri__lines_file *file = &lines->files[lines->count++];
    file->path = strdup(path);
    if (!file->path)
        return tri_fail(TRI_NO_MEMORY, "out of memory for the name of %s", path);
    TRI_TRY(tri__content_open(path, cache_folder, &file->content));
    TRI_TRY(tri__index_open(path, &file->content, format, cache_folder, &file->index));
    file->first = lines->records;
    lines->records += file->index.records;
    lines->bytes += file->content.disk_bytes;
    return NULL;
}

tri_status tri__lines_open(const char *const *paths, size_t count, const tri__index_format *format, const char *cache_folder,
                           tri__lines *out)
{
    *out = (tri__lines){0};
    TRI_TRY(tri__allocate(count, sizeof *out->files, "a list of files", &out->files));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(out, paths[i], format, cache_folder);
    if (status)
        tri__lines_fini(out);
    return status;
}

void tri__lines_fini(tri__lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->files[i].path);
        tri__index_fini(&lines->files[i].index);
        tri__content_fini(&lines->files[i].content);
    }
    free(lines->files);
    *lines = (tri__lines){0};
}

/* The last file that begins at or before the record. */
static const tri__lines_file *file_of(const tri__lines *lines, int64_t record)
{
    size_t low = 0, high = lines->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->files[middle].first <= record)
            low = middle;
        else
            high = middle;
    }
    return &lines->files[low];
}

tri__line tri__lines_find(const tri__lines *lines, int64_t record)
{
    const tri__lines_file *file = file_of(lines, record);
    const char *data = (const char *)file->content.data;
    int64_t number = record - file->first;
    return (tri__line){.file = file, .record = number, .at = data + file->index.offsets[number], .end = data + file->content.size};
}

const char *tri__lines_path(const tri__lines *lines, int64_t record)
{
    return file_of(lines, record)->path;
}

tri_status tri__line_damaged(const tri__line *line, const char *at, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %" PRId64 ": %s (mend the line, or --skip-bad skips it)",
                    line->file->path, line->record, (int64_t)(at - (const char *)line->file->content.data), what);
}
