/* supply.c: where the files of a data set are taken from: a folder, or a tar archive that is inflated as a whole. */
#include "data/fetch/supply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/file/tar.h"

struct tri__supply {
    char *path;
    bool folder;
    tri__content archive; /* where it is none */
};

tri_status tri__supply_open(const char *path, tri__supply **out)
{
    tri__supply *supply;
    TRI_TRY(tri__allocate(1, sizeof *supply, "a supply of files", &supply));
    supply->path = strdup(path);
    supply->folder = tri__folder_exists(path);
    tri_status status = supply->path ? NULL : tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", path);
    if (!status && !supply->folder)
        status = tri__content_open(path, NULL, &supply->archive);
    if (status) {
        tri__supply_destroy(supply);
        return status;
    }
    *out = supply;
    return NULL;
}

void tri__supply_destroy(tri__supply *supply)
{
    if (!supply)
        return;
    tri__content_fini(&supply->archive);
    free(supply->path);
    free(supply);
}

static tri_status find_in_archive(tri__supply *supply, const char *name, tri__content *out)
{
    tri__tar tar = {.name = supply->path, .data = supply->archive.data, .size = supply->archive.size};
    tri__tar_file file;
    do
        TRI_TRY(tri__tar_next(&tar, &file));
    while (file.name[0] && strcmp(file.name, name) != 0);
    if (!file.name[0])
        return tri_fail(TRI_NOT_FOUND, "%s: there is no %s in it", supply->path, name);
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

static tri_status find_in_folder(tri__supply *supply, const char *name, tri__content *out)
{
    char dotted[128];
    snprintf(dotted, sizeof dotted, "%s", name);
    char *dash = strstr(dotted, "-idx");
    if (dash)
        *dash = '.';
    bool found = false;
    for (int i = 0; i < 4 && !found; i++)
        TRI_TRY(try_name(supply->path, i < 2 ? name : dotted, i % 2 ? ".gz" : "", out, &found));
    return found ? NULL : tri_fail(TRI_NOT_FOUND, "%s: there is no %s in it", supply->path, name);
}

tri_status tri__supply_find(tri__supply *supply, const char *name, tri__content *out)
{
    *out = (tri__content){0};
    return supply->folder ? find_in_folder(supply, name, out) : find_in_archive(supply, name, out);
}
