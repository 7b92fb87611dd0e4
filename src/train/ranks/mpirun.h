/* mpirun.h: how we start mpirun, and what its lines mean. */
#ifndef TRI_TRAIN_RANKS_MPIRUN_H
#define TRI_TRAIN_RANKS_MPIRUN_H

#include <stdbool.h>

#include "base/report/log.h"
#include "train/job/job_hosts.h"

/* Writes the words of a command that reaches a host, such as ssh, as mpirun's plm_rsh_agent wants them. */
void tri__mpirun_agent(const char *const *words, char *text, size_t size);

/* Adds mpirun's name, as the first word of line, and the options that say how it reaches the hosts of a job. */
void tri__mpirun_begin(tri__command_line *line, const tri__job_hosts *job_hosts);

/* Adds all of mpirun's command line, from its name up to the program that the ranks run. hosts: the file of hosts; NULL: mpirun's own.
 * as_root: the user is root, which mpirun accepts only with an option. */
void tri__mpirun_add(tri__command_line *line, const tri__job_hosts *job_hosts, int ranks, const char *hosts, bool as_root);

/* Writes the hosts of a job to a file that mpirun reads: one host on each line, with a slot for each of its workers. */
TRI_MUST_CHECK tri_status tri__mpirun_write_hosts(const tri__job_hosts *job_hosts, const char *path);

/* Starts mpirun as process, with all words of line: on this machine or, with virtual hosts, on the host of worker 0. */
TRI_MUST_CHECK tri_status tri__mpirun_start(tri__process *process, const tri__job_hosts *job_hosts, tri__command_line *line);

/* When a rank or a host is lost, mpirun writes a notice to standard error, between two dashed lines. */
typedef enum {
    TRI_MPIRUN_DASHES,  /* a notice begins or ends */
    TRI_MPIRUN_NOTICE,  /* a line of a notice */
    TRI_MPIRUN_CHATTER, /* other lines of mpirun and its libraries, which do not say why anything failed */
    TRI_MPIRUN_RANK,    /* a line of a rank */
} tri__mpirun_speaker;

typedef struct {
    tri__mpirun_speaker speaker;
    tri__log_level level; /* its level in a log */
    const char *text;     /* for the log, within the line */
} tri__mpirun_line;

/* What kind of line the process has written. *in_notice keeps the state between lines; false at first. error: the line came on standard
 * error. */
tri__mpirun_line tri__mpirun_line_read(bool *in_notice, bool error, const char *line);

#endif
