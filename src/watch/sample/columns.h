/* columns.h: the names of those columns in a file of samples that sample.c writes and other files read. */
#ifndef TRI_WATCH_SAMPLE_COLUMNS_H
#define TRI_WATCH_SAMPLE_COLUMNS_H

#include <stdio.h>

/* Columns of the host. If two columns have the same name, as in dstat's files, the first one is meant. */
#define TRI_COLUMN_EPOCH    "epoch"
#define TRI_COLUMN_USER     "usr"
#define TRI_COLUMN_SYSTEM   "sys"
#define TRI_COLUMN_STOLEN   "stl"
#define TRI_COLUMN_USED     "used"
#define TRI_COLUMN_READ     "read"
#define TRI_COLUMN_WRITTEN  "writ"
#define TRI_COLUMN_RECEIVED "recv"
#define TRI_COLUMN_SENT     "send"
#define TRI_COLUMN_SECONDS  "seconds"

/* Columns of the task. The name of a phase's column is "phase:" and the phase's name. */
#define TRI_COLUMN_OWN_CPU      "process:cpu"
#define TRI_COLUMN_OWN_USED     "process:used"
#define TRI_COLUMN_OWN_READ     "process:read"
#define TRI_COLUMN_OWN_WRITTEN  "process:writ"
#define TRI_COLUMN_STEP         "training:step"
#define TRI_COLUMN_EXAMPLES     "training:examples"
#define TRI_COLUMN_SPEED        "training:examples/s"
#define TRI_COLUMN_LOSS         "training:loss"
#define TRI_COLUMN_OWN_SENT     "training:send"
#define TRI_COLUMN_OWN_RECEIVED "training:recv"

#define TRI_LATEST_WALL 1e11 /* seconds since 1970: a larger number in a file, or one below 0, is not a time */

/* Columns of an interface: bytes a second that it received and sent, and the most that it can carry. */
typedef enum { TRI_LINK_RECEIVED, TRI_LINK_SENT, TRI_LINK_MOST } tri__link_part;

enum { TRI_LINK_PARTS = TRI_LINK_MOST + 1, TRI_LINK_COLUMN = 32 };

static inline const char *tri__link_column(const char *link, tri__link_part part, char name[TRI_LINK_COLUMN])
{
    static const char *const parts[TRI_LINK_PARTS] = {"recv", "send", "most"};
    snprintf(name, TRI_LINK_COLUMN, "net/%.15s:%s", link, parts[part]);
    return name;
}

#endif
