/* folder.h: the folder that a run leaves behind: where things are in it, and its log. */
#ifndef TRI_TRAIN_RUN_FOLDER_H
#define TRI_TRAIN_RUN_FOLDER_H

#include "base/log.h"
#include "trireme/status.h"

typedef struct {
    char *path;
    char *checkpoints; /* path/checkpoint */
    char *events;      /* path/events/TASK, such as worker-0 */
    char *log;         /* path/log/TASK.txt */
    char *summary;     /* path/summary.json */
    char *command;     /* path/command */
} tri__run_folder;

/* TRI_BAD_CALL where path exists: a new run takes a new folder. */
TRI_MUST_CHECK tri_status tri__run_folder_check(const char *path);

/* Make a new folder with its parts: path, or where that is NULL the first free runs/<model>-<date>-<n>. */
TRI_MUST_CHECK tri_status tri__run_folder_create(const char *path, const char *model, const char *task, tri__run_folder *out);

/* The folder of a run to go on with. */
TRI_MUST_CHECK tri_status tri__run_folder_open(const char *path, const char *task, tri__run_folder *out);
void tri__run_folder_fini(tri__run_folder *folder);

/* Add one line to the file `command`. */
TRI_MUST_CHECK tri_status tri__run_folder_note(const tri__run_folder *folder, const char *command);

/* A log that adds lines with the time to a file, and hands those of level info and above on to another. */
typedef struct tri__log_file tri__log_file;
TRI_MUST_CHECK tri_status tri__log_file_create(const char *path, tri__log *next, tri__log_file **out);
void tri__log_file_destroy(tri__log_file *file); /* accepts NULL */
tri__log *tri__log_file_sink(tri__log_file *file);
void tri__log_file_note(tri__log_file *file, tri__log_level level, const char *line); /* into the file only */

#endif
