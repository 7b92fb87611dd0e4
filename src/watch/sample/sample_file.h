/* sample_file.h: a task's file of samples in a run folder (sample.h), which goes on when the task is started again. */
#ifndef TRI_WATCH_SAMPLE_SAMPLE_FILE_H
#define TRI_WATCH_SAMPLE_SAMPLE_FILE_H

#include <stdbool.h>

#include "trireme/status.h"

/* Make way for samples of this host with these columns (names: the last line of the header). If the file is of another host, or has other
 * columns, it is renamed to path.1, path.2 … */
TRI_MUST_CHECK tri_status tri__sample_file_prepare(const char *path, const char *host, const char *names);

/* Add samples that came from another machine: text is a whole file, header and lines. Samples that are not newer than those of the file are
 * left out, since a report may come twice. TRI_BAD_DATA where text is no file of samples. */
TRI_MUST_CHECK tri_status tri__sample_file_add(const char *path, const char *text);

#endif
