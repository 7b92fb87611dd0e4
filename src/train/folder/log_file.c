/* log_file.c: the log of a run: writes every line with its time to a file, and hands it on to the next log. */
#include "train/folder/log_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"

struct tri__log_file {
    tri__log log; /* first member: a pointer to it is a pointer to the file */
    tri__log *next;
    FILE *file; /* each line is one write: stdio's lock keeps lines whole */
};

static const char *level_name(tri__log_level level)
{
    return level == TRI_LOG_ERROR ? "error: " : level == TRI_LOG_WARNING ? "warning: " : "";
}

void tri__log_file_note(tri__log_file *file, tri__log_level level, const char *line)
{
    time_t now = time(NULL);
    struct tm date;
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &date));
    fprintf(file->file, "%s  %s%s\n", stamp, level_name(level), line);
}

static void write_line(tri__log *log, tri__log_level level, const char *line)
{
    tri__log_file *file = (tri__log_file *)log;
    tri__log_file_note(file, level, line);
    if (file->next && level >= file->next->least)
        file->next->write(file->next, level, line);
}

tri_status tri__log_file_create(const char *path, tri__log *next, tri__log_file **out)
{
    *out = NULL;
    tri__log_file *file;
    TRI_TRY(tri__allocate(1, sizeof *file, "a log", &file));
    *file = (tri__log_file){.log = {.write = write_line, .least = TRI_LOG_DEBUG}, .next = next, .file = fopen(path, "ae")};
    if (!file->file) {
        tri_status status = tri__path_failure(path, "write", errno);
        free(file);
        return status;
    }
    setvbuf(file->file, NULL, _IOLBF, 0);
    *out = file;
    return NULL;
}

void tri__log_file_destroy(tri__log_file *file)
{
    if (!file)
        return;
    fclose(file->file);
    free(file);
}

tri__log *tri__log_file_sink(tri__log_file *file)
{
    return &file->log;
}
