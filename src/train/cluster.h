/* cluster.h: who takes part in a job, and where. However a cluster was described (options, a file, TF_CONFIG, Slurm), it ends as one of these. */
#ifndef TRI_TRAIN_CLUSTER_H
#define TRI_TRAIN_CLUSTER_H

#include "net/address.h"

typedef enum { TRI_ROLE_SERVER, TRI_ROLE_WORKER, TRI_ROLE_EVALUATOR } tri__role;

typedef struct {
    tri__role role;
    int index;
} tri__task; /* "ps:0", "worker:1", "evaluator:0" */

enum { TRI_TASK_SIZE = 24 };
const char *tri__task_name(tri__task task, char name[TRI_TASK_SIZE]);
TRI_MUST_CHECK tri_status tri__task_parse(const char *text, tri__task *out); /* chief:0 is worker:0, master too */

typedef struct {
    tri__address *server; /* servers of them: workers connect to these, in this order */
    int servers, workers;
    bool evaluator; /* has a task of its own somewhere; otherwise ps:0 starts one beside itself */
    bool loopback;  /* all of them are on this machine's loopback */
} tri__cluster;

TRI_MUST_CHECK tri_status tri__cluster_read(const char *path, tri__cluster *out);                            /* a cluster file */
TRI_MUST_CHECK tri_status tri__cluster_from_tf_config(const char *json, tri__cluster *out, tri__task *task); /* the variable's text */
void tri__cluster_fini(tri__cluster *cluster);

#endif
