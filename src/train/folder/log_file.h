/* log_file.h: the log of a run: a file of lines with their times. */
#ifndef TRI_TRAIN_FOLDER_LOG_FILE_H
#define TRI_TRAIN_FOLDER_LOG_FILE_H

#include "base/report/log.h"
#include "trireme/status.h"

/* A log that adds lines with the time to a file, and hands lines of level info and above on to another log, `next`. */
typedef struct tri__log_file tri__log_file;
TRI_MUST_CHECK tri_status tri__log_file_create(const char *path, tri__log *next, tri__log_file **out);
void tri__log_file_destroy(tri__log_file *file); /* accepts NULL */
tri__log *tri__log_file_sink(tri__log_file *file);
void tri__log_file_note(tri__log_file *file, tri__log_level level, const char *line); /* into the file only */

#endif
