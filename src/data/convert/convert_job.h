/* convert_job.h: the job file of a conversion, which keeps two conversions from mixing in one folder.
 *
 * It describes everything that decides what the files of a conversion hold. The first process writes it, atomically. A later process must
 * have the same job; then it shares the work. */
#ifndef TRI_DATA_CONVERT_CONVERT_JOB_H
#define TRI_DATA_CONVERT_CONVERT_JOB_H

#include "data/convert/convert.h"

#define TRI_CONVERT_FOLDER ".convert" /* in the output folder */

/* All pointers are borrowed. */
typedef struct {
    const tri__convert_request *request;
    tri_source *const *source; /* [TRI_PARTS] by part; NULL: there is none */
    const char *folder;        /* out/.convert */
    const char *own;           /* a name that no other process has, for drafts */
} tri__convert_job;

/* TRI_BAD_CALL if the output folder is not empty and has no job file: then no conversion made it. */
TRI_MUST_CHECK tri_status tri__convert_job_refuse_foreign(const tri__convert_job *job);

/* Write the job file, or compare with the one that is there. TRI_BAD_CALL if that is of another source, or has other options. */
TRI_MUST_CHECK tri_status tri__convert_job_settle(const tri__convert_job *job);

#endif
