/* slurm.h: a cluster from the variables that Slurm sets. */
#ifndef TRI_TRAIN_CLUSTER_SLURM_H
#define TRI_TRAIN_CLUSTER_SLURM_H

#include "train/cluster/cluster.h"

/* Slurm's variables of a job step; NULL where one is not set. */
typedef struct {
    const char *procid, *ntasks; /* SLURM_PROCID, SLURM_STEP_NUM_TASKS: this rank, and how many there are */
    const char *nodelist;        /* SLURM_STEP_NODELIST: "node[01-03,07]" */
    const char *tasks_per_node;  /* SLURM_STEP_TASKS_PER_NODE: "2(x3),1" */
    const char *distribution;    /* SLURM_DISTRIBUTION: "block" or "cyclic"; NULL: block */
    const char *job_id;          /* SLURM_JOB_ID */
} tri__slurm;

/* The first `servers` ranks are servers, the rest are workers. port: the first port on each host; 0: derived from the job's number. */
TRI_MUST_CHECK tri_status tri__cluster_from_slurm(const tri__slurm *slurm, int servers, int port, tri__cluster *out, tri__task *task);

#endif
