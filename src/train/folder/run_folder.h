/* run_folder.h: the folder that a run leaves behind, and the paths in it. */
#ifndef TRI_TRAIN_FOLDER_RUN_FOLDER_H
#define TRI_TRAIN_FOLDER_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "train/folder/folder_lock.h"

typedef struct {
    char *path;
    char *checkpoints; /* path/checkpoint */
    char *events;      /* path/events/TASK, such as worker-0 */
    char *log;         /* path/log/TASK.txt */
    char *samples;     /* path/samples/TASK.csv */
    char *peers;       /* path/peers/TASK.csv */
    char *trace;       /* path/trace/TASK.part */
    char *marks;       /* path/marks.csv */
    char *summary;     /* path/summary.json */
    char *command;     /* path/command */
    tri__folder_lock *lock;
} tri__run_folder;

/* TRI_BAD_CALL where path exists: a new run needs a new folder. */
TRI_MUST_CHECK tri_status tri__run_folder_check(const char *path);

bool tri__run_folder_is_one(const char *path); /* whether path is the folder of a run, ended or not */

/* Make a new folder with its parts, and lock it: path, or where that is NULL the first free runs/<model>-<date>-<n>. */
TRI_MUST_CHECK tri_status tri__run_folder_create(const char *path, const char *model, const char *task, tri__run_folder *out);

/* Open the folder of a run to resume, and lock it. TRI_BAD_CALL where that run is still running (folder_lock.h). */
TRI_MUST_CHECK tri_status tri__run_folder_open(const char *path, const char *task, tri__run_folder *out);

/* For a task: open the folder of the launcher or supervisor that started it. */
TRI_MUST_CHECK tri_status tri__run_folder_enter(const char *path, const char *task, tri__run_folder *out);
void tri__run_folder_fini(tri__run_folder *folder);

/* By what another process can tell whether it sees the same folder under this path, on a disk that several hosts share. */
typedef struct {
    char path[512];    /* from the root; "": none */
    int64_t number[3]; /* of its files, on their disk */
} tri__folder_identity;

void tri__run_folder_identify(const char *path, tri__folder_identity *out); /* path "" where it cannot be told */
bool tri__run_folder_is(const tri__folder_identity *identity);              /* this process sees that folder */

/* Make the subfolder `name`, where it does not exist yet. */
TRI_MUST_CHECK tri_status tri__run_folder_add(const tri__run_folder *folder, const char *name);

/* Add one line to the file `command`. */
TRI_MUST_CHECK tri_status tri__run_folder_note(const tri__run_folder *folder, const char *command);

#endif
