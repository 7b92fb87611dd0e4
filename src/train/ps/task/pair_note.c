/* pair_note.c: keeps the number of a pair in a file. */
#include "train/ps/task/pair_note.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file/file.h"
#include "base/file/folder.h"

static tri_status take_back(const char *folder, const char *path)
{
    if (remove(path) && errno != ENOENT)
        return tri__path_failure(path, "remove it", errno);
    return tri__folder_sync(folder);
}

tri_status tri__pair_note_write(const char *folder, uint32_t pair)
{
    char *path = tri__path_join(folder, "standby"), text[16];
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for a path in %s", folder);
    int size = snprintf(text, sizeof text, "%u\n", pair);
    tri_status status = pair ? tri__file_replace(path, text, (size_t)size) : take_back(folder, path);
    free(path);
    return status;
}

uint32_t tri__pair_note_read(const char *folder)
{
    char *path = tri__path_join(folder, "standby"), *text = NULL;
    size_t size;
    tri_status status = path ? tri__file_read(path, 16, &text, &size) : NULL;
    uint32_t pair = path && !status ? (uint32_t)strtoul(text, NULL, 10) : 0;
    if (!status)
        free(text);
    tri_status_free(status);
    free(path);
    return pair;
}
