/* peers.h: what a task exchanged with each of its peers, beside its samples.
 *
 * RUN/peers/TASK.csv has a line for each sample and each peer with which the task exchanged bytes since the sample before:
 * epoch,peer,sent,received. Its first line has these names. A task without peers has no file. */
#ifndef TRI_WATCH_SAMPLE_PEERS_H
#define TRI_WATCH_SAMPLE_PEERS_H

#include "net/loop/loop.h"

/* ---- writing ---- */

typedef struct tri__peers_file tri__peers_file;

/* Lines are appended to the file at path, which is made, with its folder, for the first line. */
TRI_MUST_CHECK tri_status tri__peers_create(const char *path, tri__peers_file **out);
void tri__peers_destroy(tri__peers_file *file); /* accepts NULL */

/* Write what was exchanged since the last call. A line that cannot be written is left out. Does nothing where file is NULL. */
void tri__peers_take(tri__peers_file *file, double wall, const tri__traffic *traffic);

/* ---- reading ---- */

typedef struct {
    char name[TRI_TRAFFIC_NAME];
    double sent, received; /* bytes */
} tri__peer_sum;

/* Add up the lines of the file that came after `since`, by peer; the caller frees *out. Without a file there are none. Lines that are not
 * whole are skipped. */
TRI_MUST_CHECK tri_status tri__peers_read(const char *path, double since, tri__peer_sum **out, int *count);

/* The same for the end of the file only: as many bytes as two samples of a task with TRI_TRAFFIC_PEERS peers take. So a file of hours is
 * read as fast as one of minutes. */
TRI_MUST_CHECK tri_status tri__peers_read_end(const char *path, double since, tri__peer_sum **out, int *count);

#endif
