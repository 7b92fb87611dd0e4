/* slurm.c: makes a cluster from Slurm's variables.
 *
 * Every rank sees the same list of nodes and the same count of tasks on each, so every rank derives the same servers by itself:
 * the first ranks are servers, ranks fill the nodes in order (block) or in turns (cyclic),
 * and the servers of one host take ports in a row. */
#include "train/cluster/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

enum { MOST_NODES = 65536, LONGEST_NAME = 256 };

typedef struct {
    char **name;
    int count;
    int64_t room;
} hosts;

static void hosts_fini(hosts *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
}

static tri_status add_host(hosts *list, const char *name)
{
    if (list->count == MOST_NODES)
        return tri_fail(TRI_BAD_DATA, "SLURM_STEP_NODELIST: more than %d nodes", MOST_NODES);
    TRI_TRY(tri__grow(&list->name, &list->room, list->count + 1, sizeof *list->name, "the nodes of the job"));
    list->name[list->count] = strdup(name);
    if (!list->name[list->count])
        return tri_fail(TRI_NO_MEMORY, "no memory for the nodes of the job");
    list->count++;
    return NULL;
}

static tri_status bad_list(const char *text)
{
    return tri_fail(TRI_BAD_DATA, "SLURM_STEP_NODELIST: '%s' cannot be read: expected names such as node[01-03,07],login2", text);
}

static bool read_number(const char **at, long *number)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtol(*at, &end, 10);
    *at = end;
    return !errno && *number <= 999999999;
}

/* made: the first `length` characters of a name. at: the rest of the pattern, up to a comma outside of brackets or the end. */
static tri_status expand(hosts *list, const char *whole, char *made, size_t length, const char *at)
{
    size_t plain = strcspn(at, "[,");
    if (length + plain + 16 > LONGEST_NAME)
        return bad_list(whole);
    memcpy(made + length, at, plain);
    length += plain;
    at += plain;
    if (*at != '[') {
        made[length] = 0;
        return length && !strpbrk(made, "] ") ? add_host(list, made) : bad_list(whole);
    }
    const char *close = strchr(at, ']');
    do {
        const char *first = ++at;
        long from = 0, to = 0;
        if (!close || !read_number(&at, &from))
            return bad_list(whole);
        int width = (int)(at - first);
        to = from;
        if (*at == '-' && (++at, !read_number(&at, &to)))
            return bad_list(whole);
        if ((*at != ',' && *at != ']') || to < from || to - from >= MOST_NODES || width > 9)
            return bad_list(whole);
        for (long number = from; number <= to; number++) {
            int digits = snprintf(made + length, LONGEST_NAME - length, "%0*ld", width, number);
            TRI_TRY(expand(list, whole, made, length + (size_t)digits, close + 1));
        }
    } while (*at == ',');
    return NULL;
}

/* The end of the name at `at`: the comma after it, or the end of the text. */
static const char *name_end(const char *at)
{
    while (*at && *at != ',')
        at += *at == '[' ? strcspn(at, "]") : 1;
    return at;
}

static tri_status expand_nodes(const char *text, hosts *out)
{
    char made[LONGEST_NAME];
    const char *at = text;
    for (;;) {
        TRI_TRY(expand(out, text, made, 0, at));
        at = name_end(at);
        if (!*at)
            return NULL;
        at++;
    }
}

/* "2(x3),1": how many tasks each node has, in order; one each where the variable is not set. */
static tri_status read_counts(const char *text, int nodes, int *counts)
{
    for (int i = 0; i < nodes; i++)
        counts[i] = text ? 0 : 1;
    for (int node = 0; text && *text && node < nodes;) {
        long tasks = 0, times = 1;
        bool good = read_number(&text, &tasks) && tasks <= MOST_NODES;
        if (good && !strncmp(text, "(x", 2)) {
            text += 2;
            good = read_number(&text, &times) && *text++ == ')';
        }
        if (!good || (*text && *text != ','))
            return tri_fail(TRI_BAD_DATA, "SLURM_STEP_TASKS_PER_NODE: expected counts such as 2(x3),1");
        text += *text == ',';
        for (; times > 0 && node < nodes; times--)
            counts[node++] = (int)tasks;
    }
    return NULL;
}

/* The node of the next rank. left: how many tasks each node still has to get. Call it once for each rank, in ascending order. */
static int node_of_next(int nodes, int *left, bool cyclic, int *turn)
{
    for (int tried = 0; tried < nodes; tried++) {
        int node = (*turn + tried) % nodes;
        if (!left[node])
            continue;
        left[node]--;
        *turn = cyclic ? node + 1 : node;
        return node;
    }
    return -1;
}

static tri_status place_servers(const tri__slurm *slurm, const hosts *nodes, int *left, int port, tri__cluster *out)
{
    bool cyclic = slurm->distribution && !strncmp(slurm->distribution, "cyclic", 6);
    int *used = NULL, turn = 0;
    TRI_TRY(tri__allocate((size_t)nodes->count, sizeof *used, "the ports of servers", &used));
    tri_status status = NULL;
    for (int i = 0; i < out->servers && !status; i++) {
        int node = node_of_next(nodes->count, left, cyclic, &turn);
        if (node < 0)
            status = tri_fail(TRI_BAD_DATA, "SLURM_STEP_TASKS_PER_NODE counts fewer tasks than there are servers, %d", out->servers);
        else if (port + used[node] > UINT16_MAX)
            status = tri_fail(TRI_BAD_CALL, "--port %d: too high for all servers of %s", port, nodes->name[node]);
        else {
            out->server[i] = (tri__address){strdup(nodes->name[node]), (uint16_t)(port + used[node]++)};
            if (!out->server[i].host)
                status = tri_fail(TRI_NO_MEMORY, "no memory for the addresses of servers");
        }
    }
    free(used);
    return status;
}

static tri_status find_servers(const tri__slurm *slurm, int port, tri__cluster *out)
{
    hosts nodes = {0};
    int *counts = NULL;
    tri_status status = expand_nodes(slurm->nodelist, &nodes);
    if (!status)
        status = tri__allocate((size_t)nodes.count, sizeof *counts, "the tasks of nodes", &counts);
    if (!status)
        status = read_counts(slurm->tasks_per_node, nodes.count, counts);
    if (!status)
        status = place_servers(slurm, &nodes, counts, port, out);
    free(counts);
    hosts_fini(&nodes);
    return status;
}

static tri_status read_variable(const char *name, const char *text, long *out)
{
    const char *at = text;
    if (text && read_number(&at, out) && !*at)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s is '%s': expected a number (start tasks with srun)", name, text ? text : "not set");
}

/* A port that differs from job to job, and is below the ports that the kernel gives to outgoing connections. */
static int job_port(long job)
{
    return 10000 + (int)(job % 2000) * 10;
}

tri_status tri__cluster_from_slurm(const tri__slurm *slurm, int servers, int port, tri__cluster *out, tri__task *task)
{
    long rank = 0, ranks = 0, job = 0;
    *out = (tri__cluster){0};
    TRI_TRY(read_variable("SLURM_PROCID", slurm->procid, &rank));
    TRI_TRY(read_variable("SLURM_STEP_NUM_TASKS", slurm->ntasks, &ranks));
    if (!port)
        TRI_TRY(read_variable("SLURM_JOB_ID", slurm->job_id, &job));
    if (!slurm->nodelist)
        return tri_fail(TRI_BAD_DATA, "SLURM_STEP_NODELIST is not set (start tasks with srun)");
    if (slurm->distribution && strncmp(slurm->distribution, "block", 5) && strncmp(slurm->distribution, "cyclic", 6))
        return tri_fail(TRI_BAD_CALL,
                        "SLURM_DISTRIBUTION is '%s': only block and cyclic tell on which node a rank runs (or give --cluster FILE)",
                        slurm->distribution);
    if (rank >= ranks)
        return tri_fail(TRI_BAD_DATA,
                        "SLURM_PROCID is %ld, and SLURM_STEP_NUM_TASKS %ld: ranks go from 0 to one less (start tasks with srun)", rank,
                        ranks);
    if (ranks <= servers || ranks > MOST_NODES)
        return tri_fail(TRI_BAD_CALL,
                        "this is rank %ld of %ld tasks, of which --servers %d are servers: at least one more must be a worker", rank, ranks,
                        servers);
    TRI_TRY(tri__allocate((size_t)servers, sizeof *out->server, "the addresses of servers", &out->server));
    out->servers = servers;
    out->workers = (int)ranks - servers;
    *task = rank < servers ? (tri__task){TRI_ROLE_SERVER, (int)rank} : (tri__task){TRI_ROLE_WORKER, (int)rank - servers};
    tri_status status = find_servers(slurm, port ? port : job_port(job), out);
    if (status)
        tri__cluster_fini(out);
    return status;
}
