/* run_list.h: the runs that lie in a folder, side by side. */
#ifndef TRI_TRAIN_FOLDER_RUN_LIST_H
#define TRI_TRAIN_FOLDER_RUN_LIST_H

#include "base/file/json.h"

typedef enum {
    TRI_RUN_LISTED_ENDED,   /* it has a summary */
    TRI_RUN_LISTED_RUNNING, /* a job has its folder now */
    TRI_RUN_LISTED_BROKEN,  /* neither: it was killed, or its summary cannot be read; but it can be resumed */
    TRI_RUN_LISTED_LOST,    /* … and it has no checkpoint to go on from */
} tri__listed_state;

typedef struct {
    char *path;      /* folder/name */
    char *command;   /* what repeats it; "" where that is not known */
    json_t *summary; /* of the last time that it ended; NULL: it never did */
    tri__listed_state state;
} tri__listed_run;

typedef struct {
    tri__listed_run *run;
    size_t count;
} tri__run_list;

/* The runs in a folder, by name; the folder itself where it is a run. TRI_NOT_FOUND where it does not exist. */
TRI_MUST_CHECK tri_status tri__run_list_read(const char *folder, tri__run_list *out);
void tri__run_list_fini(tri__run_list *list);

/* Sort by a key of the summaries, numbers by size and words by letter; runs that do not have it come last. TRI_BAD_CALL where none has. */
TRI_MUST_CHECK tri_status tri__run_list_sort(tri__run_list *list, const char *key, bool falling);

#endif
