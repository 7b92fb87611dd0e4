/* virtual_cluster.h: hosts that are not there: a cluster for studies and tests on one machine.
 *
 * A host is a network namespace with one link to a common switch, of the rate that was asked for in both directions, and a control group
 * that limits its CPUs and memory and counts what it uses. It has an address and a name of its own, and shares all files with the machine.
 * The switch is a bridge in a namespace of its own, so the machine's own network is never touched, and two clusters may have the same
 * addresses.
 *
 * What is up is known by the names of the namespaces and by one file, `description`, under TRI_CLUSTER_FOLDER: down needs only the names,
 * so it removes a cluster whose `up` was killed, too. All of this needs root. */
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
    double cpus;                    /* that it may use; 0: all */
    int64_t memory_mb;              /* 0: all */
} tri__virtual_host;

typedef struct {
    char name[TRI_CLUSTER_NAME];
    tri__virtual_host host[TRI_MOST_HOSTS];
    int hosts;
} tri__virtual_cluster;

/* "1.8gbit", "100mbit" as Mbit/s. TRI_BAD_CALL says what a rate looks like. */
TRI_MUST_CHECK tri_status tri__rate_parse(const char *text, double *mbit);

/* Hosts host1, host2, … that are all alike. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_alike(const char *name, int hosts, const tri__virtual_host *like, tri__virtual_cluster *out);

/* From YAML, a document or a file: `hosts`, a number of hosts alike, or a list of names or of mappings with name, rate, cpus, memory; rate,
 * cpus and memory beside it are for all that say nothing else. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_describe(const json_t *document, const char *name, tri__virtual_cluster *out);
TRI_MUST_CHECK tri_status tri__virtual_cluster_read(const char *path, const char *name, tri__virtual_cluster *out);

/* As kept while it is up, and back. */
json_t *tri__virtual_cluster_json(const tri__virtual_cluster *cluster); /* NULL when memory is short */
TRI_MUST_CHECK tri_status tri__virtual_cluster_parse(const json_t *value, const char *name, tri__virtual_cluster *out);

const tri__virtual_host *tri__virtual_cluster_find(const tri__virtual_cluster *cluster, const char *host); /* by name or address; or NULL */

#endif
