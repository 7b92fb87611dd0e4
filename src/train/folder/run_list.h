/* run_list.h: the runs that lie in a folder, side by side. */
#ifndef TRI_TRAIN_FOLDER_RUN_LIST_H
#define TRI_TRAIN_FOLDER_RUN_LIST_H

#include "base/file/json.h"

typedef enum {
    TRI_RUN_LISTED_ENDED,   /* the run has a summary */
    TRI_RUN_LISTED_RUNNING, /* a job holds the lock of its folder */
    TRI_RUN_LISTED_BROKEN,  /* neither: it was killed, or its summary cannot be read; it has a checkpoint and can be resumed */
    TRI_RUN_LISTED_LOST,    /* like BROKEN, but without a checkpoint: it cannot be resumed */
} tri__listed_state;

typedef struct {
    char *path;      /* folder/name */
    char *command;   /* the command line that repeats the run; "" where it is not known */
    json_t *summary; /* written when the run last ended; NULL: it never ended */
    tri__listed_state state;
} tri__listed_run;

typedef struct {
    tri__listed_run *run;
    size_t count;
} tri__run_list;

/* The runs in a folder, sorted by name. Where the folder is itself a run, the list has only that. TRI_NOT_FOUND where the folder does not
 * exist. */
TRI_MUST_CHECK tri_status tri__run_list_read(const char *folder, tri__run_list *out);
void tri__run_list_fini(tri__run_list *list);

/* What the summary has under this key, or else the value of the option of that name, where it was given; NULL: neither. */
const json_t *tri__listed_value(const tri__listed_run *run, const char *key);

/* Sort by a key of the summaries or by an option, numbers by size and words by letter. Runs without the key come last. TRI_BAD_CALL where
 * no run has it. */
TRI_MUST_CHECK tri_status tri__run_list_sort(tri__run_list *list, const char *key, bool falling);

#endif
