/* archive.c: where the files of a data set are taken from: a folder, or a tar archive that is inflated as a whole. */
#include "data/fetch/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "data/file/tar.h"

struct tri__archive {
    char *path;
    bool folder;
    tri__content content; /* of a tar archive */
};

tri_status tri__archive_open(const char *path, tri__archive **out)
{
    tri__archive *archive;
    TRI_TRY(tri__allocate(1, sizeof *archive, "an archive", &archive));
    archive->path = strdup(path);
    archive->folder = tri__folder_exists(path);
    tri_status status = archive->path ? NULL : tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", path);
    if (!status && !archive->folder)
        status = tri__content_open(path, NULL, &archive->content);
    if (status) {
        tri__archive_destroy(archive);
        return status;
    }
    *out = archive;
    return NULL;
}

void tri__archive_destroy(tri__archive *archive)
{
    if (!archive)
        return;
    tri__content_fini(&archive->content);
    free(archive->path);
    free(archive);
}

static tri_status find_in_archive(tri__archive *archive, const char *name, tri__content *out)
{
    tri__tar tar = {.name = archive->path, .data = archive->content.data, .size = archive->content.size};
    tri__tar_file file;
    do
        TRI_TRY(tri__tar_next(&tar, &file));
    while (file.name[0] && strcmp(file.name, name) != 0);
    if (!file.name[0])
        return tri_fail(TRI_NOT_FOUND, "%s: there is no %s in it", archive->path, name);
    *out = (tri__content){.data = file.data, .size = file.size, .disk_bytes = (int64_t)file.size};
    return NULL;
}

/* Open folder/name+ending where it is there. */
static tri_status try_name(const char *folder, const char *name, const char *ending, tri__content *out, bool *found)
{
    char file[128];
    if (snprintf(file, sizeof file, "%s%s", name, ending) >= (int)sizeof file)
        return NULL;
    char *path = tri__path_join(folder, file);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "out of memory while looking for %s", name);
    *found = tri__file_exists(path);
    tri_status status = *found ? tri__content_open(path, NULL, out) : NULL;
    free(path);
    return status;
}

static tri_status find_in_folder(tri__archive *archive, const char *name, tri__content *out)
{
    char dotted[128];
    snprintf(dotted, sizeof dotted, "%s", name);
    char *dash = strstr(dotted, "-idx");
    if (dash)
        *dash = '.';
    bool found = false;
    for (int i = 0; i < 4 && !found; i++)
        TRI_TRY(try_name(archive->path, i < 2 ? name : dotted, i % 2 ? ".gz" : "", out, &found));
    return found ? NULL : tri_fail(TRI_NOT_FOUND, "%s: there is no %s in it", archive->path, name);
}

tri_status tri__archive_find(tri__archive *archive, const char *name, tri__content *out)
{
    *out = (tri__content){0};
    return archive->folder ? find_in_folder(archive, name, out) : find_in_archive(archive, name, out);
}
