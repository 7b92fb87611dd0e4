/* mpirun.h: how we start mpirun, and what its lines mean. */
#ifndef TRI_TRAIN_RANKS_MPIRUN_H
#define TRI_TRAIN_RANKS_MPIRUN_H

#include <stdbool.h>

#include "base/report/log.h"
#include "train/job/job_hosts.h"

/* Its name, as the first word of line, and how it reaches the hosts of a job. */
void tri__mpirun_begin(tri__command_line *line, const tri__job_hosts *job_hosts);

/* Its command line up to the program that the ranks run. hosts: the file of hosts to take; NULL: mpirun's own. as_root: the user is root,
 * which mpirun accepts only with an option. */
void tri__mpirun_add(tri__command_line *line, const tri__job_hosts *job_hosts, int ranks, const char *hosts, bool as_root);

/* Writes the file of hosts of a job, as mpirun reads it: one a line, with a slot for each of its workers. */
TRI_MUST_CHECK tri_status tri__mpirun_write_hosts(const tri__job_hosts *job_hosts, const char *path);

/* Starts mpirun as process, with all words of line: on this machine or, with virtual hosts, on that of worker 0. */
TRI_MUST_CHECK tri_status tri__mpirun_start(tri__process *process, const tri__job_hosts *job_hosts, tri__command_line *line);

/* When a rank or a host is lost, mpirun writes a notice to standard error, between two dashed lines. */
typedef enum {
    TRI_MPIRUN_DASHES,  /* a notice begins or ends */
    TRI_MPIRUN_NOTICE,  /* a line of a notice */
    TRI_MPIRUN_CHATTER, /* other words of mpirun and its libraries, which give no reason for anything */
    TRI_MPIRUN_RANK,    /* a line of a rank */
} tri__mpirun_speaker;

typedef struct {
    tri__mpirun_speaker speaker;
    tri__log_level level; /* that it has in a log */
    const char *text;     /* for the log, within the line */
} tri__mpirun_line;

/* What a line on the process's output is. *in_notice is kept between lines; false at first. error: it came on standard error. */
tri__mpirun_line tri__mpirun_line_read(bool *in_notice, bool error, const char *line);

#endif
