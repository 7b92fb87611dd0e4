/* cluster_fuzz.c: cluster files, TF_CONFIG and lists of Slurm's nodes, out of any bytes. A cluster that was read has a server, a worker and
 * a task of its own; what is refused leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "train/cluster/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(tri_status status, tri__cluster *cluster, tri__task task)
{
    require(status ? !cluster->server : cluster->servers > 0 && cluster->workers > 0);
    if (!status) {
        tri_status member = tri__cluster_check(cluster, task);
        require(!member);
        tri_status_free(member);
    }
    tri_status_free(status);
    tri__cluster_fini(cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__cluster cluster;
    tri__task task = {TRI_ROLE_SERVER, 0};
    check(tri__cluster_parse("file", (const char *)data, size, &cluster), &cluster, task);
    char *text = calloc(size + 1, 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    tri_status read = tri__cluster_from_tf_config(text, &cluster, &task);
    check(read, &cluster, task);
    const tri__slurm slurm = {.procid = "1", .ntasks = "2", .nodelist = text, .tasks_per_node = "1(x9)", .job_id = "1"};
    read = tri__cluster_from_slurm(&slurm, 1, 0, &cluster, &task);
    check(read, &cluster, task);
    free(text);
    return 0;
}
