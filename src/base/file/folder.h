/* folder.h: folders, and the paths of what is in them. */
#ifndef TRI_BASE_FILE_FOLDER_H
#define TRI_BASE_FILE_FOLDER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "trireme/status.h"

#define TRI_TEMPORARY_MARK ".tmp-" /* in names of files that are being written: "….tmp-<process>-<time>" */

/* "folder/name", or the folder that holds path, in fresh memory; free() it. NULL when memory is short. */
char *tri__path_join(const char *folder, const char *name);
char *tri__path_parent(const char *path);

/* What to do about an error of the system: " (check the name)"; "" where nothing is known. */
const char *tri__path_advice(int error);

/* The failure of doing something to path, with the system's reason and what to do about it: "photos: cannot open: …". Inline, so that
 * people and analyzers see that it never returns NULL. */
static inline tri_status tri__path_failure(const char *path, const char *doing, int error)
{
    tri_code code = error == ENOENT ? TRI_NOT_FOUND : error == ENOMEM ? TRI_NO_MEMORY : TRI_IO;
    return tri_fail(code, "%s: cannot %s: %s%s", path, doing, strerror(error), tri__path_advice(error));
}

TRI_MUST_CHECK tri_status tri__folder_create(const char *path);     /* with its parents; no error where it exists */
TRI_MUST_CHECK tri_status tri__folder_create_new(const char *path); /* the last one must be new: TRI_BAD_CALL where it exists */
TRI_MUST_CHECK tri_status tri__folder_sync(const char *path);
TRI_MUST_CHECK tri_status tri__folder_remove(const char *path); /* with all that is in it; no error where there is none */
void tri__folder_sweep(const char *path); /* remove temporary files of writers that were killed; what cannot be removed stays */
bool tri__folder_exists(const char *path);

/* Names in a folder, sorted, without . and ..; free with tri__folder_free. */
TRI_MUST_CHECK tri_status tri__folder_list(const char *path, char ***names, size_t *count);
void tri__folder_free(char **names, size_t count);

#endif
