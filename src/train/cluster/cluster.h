/* cluster.h: which tasks a job has, and at which addresses. Options, a file, TF_CONFIG and Slurm's variables all become a tri__cluster.
 *
 * Tasks connect to servers only, so only servers have addresses. The process that starts the tasks must also know the hosts of workers and
 * evaluator. */
#ifndef TRI_TRAIN_CLUSTER_CLUSTER_H
#define TRI_TRAIN_CLUSTER_CLUSTER_H

#include "base/text/task.h"
#include "net/address/address.h"

TRI_MUST_CHECK tri_status tri__task_parse(const char *text, tri__task *out); /* chief:0 is worker:0, master too */

typedef struct {
    tri__address *server; /* [servers] workers connect to these, in this order */
    int servers, workers; /* workers 0: only ps:0 knows how many there are */
    bool evaluator;       /* the cluster lists an evaluator; otherwise ps:0 starts one on its own machine */
    char **worker_host;   /* where each worker runs; NULL: not known */
    char *evaluator_host; /* NULL: not known */
} tri__cluster;

void tri__cluster_fini(tri__cluster *cluster);

/* True where all servers are on this machine's loopback, so that no other machine can reach them. It may ask the resolver, and so may
 * wait. */
bool tri__cluster_is_loopback(const tri__cluster *cluster);

/* Distribute tasks over hosts: server i and worker i are on host i, and after the last host comes the first again. The evaluator is beside
 * ps:0. Servers have port 0: the process that starts them finds free ports. */
TRI_MUST_CHECK tri_status tri__cluster_spread(const char *const *hosts, int count, int servers, int workers, tri__cluster *out);

TRI_MUST_CHECK tri_status tri__cluster_copy(const tri__cluster *cluster, tri__cluster *out);
const char *tri__cluster_host_of(const tri__cluster *cluster, tri__task task); /* NULL: not known */

/* TRI_BAD_CALL where the cluster has no such task. A worker that joins always passes. */
TRI_MUST_CHECK tri_status tri__cluster_check(const tri__cluster *cluster, tri__task task);

/* A cluster file: YAML with "ps", "worker" and perhaps "evaluator", each a list of "host:port"; a worker may leave out its port. */
TRI_MUST_CHECK tri_status tri__cluster_read(const char *path, tri__cluster *out);
TRI_MUST_CHECK tri_status tri__cluster_read_ranks(const char *path, tri__cluster *out); /* for ranks: the file has "worker" alone */
TRI_MUST_CHECK tri_status tri__cluster_parse(const char *name, const char *text, size_t size, tri__cluster *out);
TRI_MUST_CHECK tri_status tri__cluster_write(const char *path, const tri__cluster *cluster);

/* The text of TF_CONFIG. The chief (or master) is worker 0, and the workers follow it. */
TRI_MUST_CHECK tri_status tri__cluster_from_tf_config(const char *json, tri__cluster *out, tri__task *task);

/* How many tasks TF_CONFIG lists, of any kind; 0 where it has no cluster. */
TRI_MUST_CHECK tri_status tri__cluster_count_tf_config(const char *json, int64_t *out);

/* The cluster of a worker that joins a running job: it knows only the address of ps:0. */
TRI_MUST_CHECK tri_status tri__cluster_from_join(const char *address, tri__cluster *out, tri__task *task);

#endif
