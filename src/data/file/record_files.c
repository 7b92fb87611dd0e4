/* record_files.c: files of records, each with its index. */
#include "data/file/record_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

static tri_status add_file(tri__record_files *files, const char *path, const tri__index_format *format, const char *cache_folder)
{
    tri__record_file *file = &files->files[files->count++];
    file->path = strdup(path);
    if (!file->path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of %s", path);
    TRI_TRY(tri__content_open(path, cache_folder, &file->content));
    TRI_TRY(tri__index_open(path, &file->content, format, cache_folder, &file->index));
    file->first = files->records;
    files->records += file->index.records;
    files->bytes += file->content.disk_bytes;
    return NULL;
}

tri_status tri__record_files_open(const char *const *paths, size_t count, const tri__index_format *format, const char *cache_folder,
                                  tri__record_files *out)
{
    *out = (tri__record_files){0};
    TRI_TRY(tri__allocate(count, sizeof *out->files, "a list of files", &out->files));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(out, paths[i], format, cache_folder);
    if (status)
        tri__record_files_fini(out);
    return status;
}

void tri__record_files_fini(tri__record_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->files[i].path);
        tri__index_fini(&files->files[i].index);
        tri__content_fini(&files->files[i].content);
    }
    free(files->files);
    *files = (tri__record_files){0};
}

/* The last file that begins at or before the record. */
const tri__record_file *tri__record_files_find(const tri__record_files *files, int64_t record)
{
    size_t low = 0, high = files->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (files->files[middle].first <= record)
            low = middle;
        else
            high = middle;
    }
    return &files->files[low];
}
