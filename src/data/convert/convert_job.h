/* convert_job.h: the job file of a conversion, so that two conversions are not mixed in one folder.
 *
 * It holds all that decides what the files of a conversion hold. The first process writes it, atomically. A later process must have the
 * same job; then it shares the work. */
#ifndef TRI_DATA_CONVERT_CONVERT_JOB_H
#define TRI_DATA_CONVERT_CONVERT_JOB_H

#include "data/convert/convert.h"

#define TRI_CONVERT_FOLDER ".convert" /* in the output folder */

/* All of it borrowed. */
typedef struct {
    const tri__convert_request *request;
    tri_source *const *source; /* [TRI_PARTS] by part; NULL: there is none */
    const char *folder;        /* the conversion's own: out/.convert */
    const char *own;           /* a name that no other process has, for drafts */
} tri__convert_job;

/* TRI_BAD_CALL where the output folder has something in it and no job: it is somebody else's. */
TRI_MUST_CHECK tri_status tri__convert_job_refuse_foreign(const tri__convert_job *job);

/* TRI_BAD_CALL where the folder holds a conversion of another source, or with other options. */
TRI_MUST_CHECK tri_status tri__convert_job_settle(const tri__convert_job *job);

#endif
