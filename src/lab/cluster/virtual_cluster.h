/* virtual_cluster.h: a cluster of virtual hosts on one machine, for studies and tests.
 *
 * A host is a network namespace and a control group. The namespace has one link to a common switch, of the rate that was asked for in both
 * directions. The control group limits the host's CPUs and memory and counts what it uses. A host has its own address and name, and shares
 * all files with the machine. The switch is a bridge in a namespace of its own, so the machine's own network is never touched, and two
 * clusters may have the same addresses.
 *
 * The names of the namespaces and one file, `description`, under TRI_CLUSTER_FOLDER say what is up. `down` needs only the names, so it also
 * removes a cluster whose `up` was killed. All of this needs root. */
#ifndef TRI_LAB_CLUSTER_VIRTUAL_CLUSTER_H
#define TRI_LAB_CLUSTER_VIRTUAL_CLUSTER_H

#include <stdint.h>

#include "base/file/json.h"

#define TRI_CLUSTER_FOLDER "/run/trireme/cluster"

enum { TRI_MOST_HOSTS = 200, TRI_HOST_NAME = 32, TRI_CLUSTER_NAME = 24, TRI_HOST_ADDRESS = 24 };

typedef struct {
    char name[TRI_HOST_NAME];
    char address[TRI_HOST_ADDRESS]; /* "10.77.0.1" */
    double rate_mbit;               /* of its link, in each direction; 0: as fast as the machine is */
    double cpus;                    /* how many it may use; 0: all */
    int64_t memory_mb;              /* 0: all */
} tri__virtual_host;

typedef struct {
    char name[TRI_CLUSTER_NAME];
    tri__virtual_host host[TRI_MOST_HOSTS];
    int hosts;
} tri__virtual_cluster;

/* "1.8gbit", "100mbit" as Mbit/s. TRI_BAD_CALL says what a rate looks like. */
TRI_MUST_CHECK tri_status tri__rate_parse(const char *text, double *mbit);

/* "2gb", "512mb" and "512" in MB. TRI_BAD_CALL says what an amount of memory looks like. */
TRI_MUST_CHECK tri_status tri__memory_parse(const char *text, int64_t *mb);

/* Hosts host1, host2, …, all like `like`. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_alike(const char *name, int hosts, const tri__virtual_host *like, tri__virtual_cluster *out);

/* Read a description in YAML, from a document or from a file. `hosts` is a number of equal hosts, or a list of names or of mappings with
 * name, rate, cpus, memory. rate, cpus and memory beside `hosts` are the defaults of all hosts. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_describe(const json_t *document, const char *name, tri__virtual_cluster *out);
TRI_MUST_CHECK tri_status tri__virtual_cluster_read(const char *path, const char *name, tri__virtual_cluster *out);

/* json: the description as it is kept while the cluster is up; parse: reads it back. */
json_t *tri__virtual_cluster_json(const tri__virtual_cluster *cluster); /* NULL when memory is short */
TRI_MUST_CHECK tri_status tri__virtual_cluster_parse(const json_t *value, const char *name, tri__virtual_cluster *out);

const tri__virtual_host *tri__virtual_cluster_find(const tri__virtual_cluster *cluster, const char *host); /* by name or address; or NULL */

#endif
