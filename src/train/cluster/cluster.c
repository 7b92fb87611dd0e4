/* cluster.c: reads a cluster from a file, from TF_CONFIG, or from an address to join; slurm.c reads Slurm's variables. A file and TF_CONFIG
 * both list addresses by role. The same checks apply to both: unknown roles, values that are not lists, addresses that appear twice. */
#define _GNU_SOURCE
#include "train/cluster/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/yaml.h"
#include "base/memory/memory.h"
#include "base/text/nearest.h"

enum { MOST_TASKS = 4096 };

static const struct {
    const char *name;
    tri__role role;
    bool chief;
} roles[] = {
    {TRI_SERVER_ROLE, TRI_ROLE_SERVER, false}, {TRI_WORKER_ROLE, TRI_ROLE_WORKER, false}, {TRI_EVALUATOR_ROLE, TRI_ROLE_EVALUATOR, false},
    {"chief", TRI_ROLE_WORKER, true},          {"master", TRI_ROLE_WORKER, true},
};

enum { ROLES = sizeof roles / sizeof *roles };

static int find_role(const char *name, size_t length)
{
    for (int i = 0; i < ROLES; i++)
        if (strlen(roles[i].name) == length && !strncmp(roles[i].name, name, length))
            return i;
    return -1;
}

tri_status tri__task_parse(const char *text, tri__task *out)
{
    size_t length = strcspn(text, ":");
    int row = find_role(text, length);
    char *end = NULL;
    long index = text[length] ? strtol(text + length + 1, &end, 10) : -1;
    bool number = end && end > text + length + 1 && !*end && text[length + 1] != '+' && index >= 0 && index < MOST_TASKS;
    if (row < 0 || !number)
        return tri_fail(TRI_BAD_CALL, "--task %s: expected a role and a number: ps:0, worker:1, evaluator:0", text);
    if (roles[row].chief && index > 0)
        return tri_fail(TRI_BAD_CALL, "--task %s: there is only one %s, %s:0; it is worker:0", text, roles[row].name, roles[row].name);
    *out = (tri__task){roles[row].role, (int)index};
    return NULL;
}

void tri__cluster_fini(tri__cluster *cluster)
{
    for (int i = 0; i < cluster->servers; i++)
        tri__address_fini(&cluster->server[i]);
    for (int i = 0; i < cluster->workers && cluster->worker_host; i++)
        free(cluster->worker_host[i]);
    free(cluster->server);
    free(cluster->worker_host);
    free(cluster->evaluator_host);
    *cluster = (tri__cluster){0};
}

const char *tri__cluster_host_of(const tri__cluster *cluster, tri__task task)
{
    switch (task.role) {
    case TRI_ROLE_SERVER:
        return cluster->server[task.index].host;
    case TRI_ROLE_WORKER:
        return cluster->worker_host ? cluster->worker_host[task.index] : NULL;
    case TRI_ROLE_EVALUATOR:
        return cluster->evaluator_host;
    }
    return NULL;
}

static tri_status copy_host(const char *name, char **out)
{
    *out = strdup(name);
    return *out ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a host");
}

static tri_status copy(const tri__cluster *cluster, tri__cluster *out)
{
    out->evaluator = cluster->evaluator;
    TRI_TRY(tri__allocate((size_t)cluster->servers, sizeof *out->server, "the addresses of servers", &out->server));
    for (; out->servers < cluster->servers; out->servers++) {
        TRI_TRY(copy_host(cluster->server[out->servers].host, &out->server[out->servers].host));
        out->server[out->servers].port = cluster->server[out->servers].port;
    }
    if (cluster->worker_host)
        TRI_TRY(tri__allocate((size_t)cluster->workers, sizeof *out->worker_host, "the hosts of workers", &out->worker_host));
    for (; out->workers < cluster->workers; out->workers++)
        TRI_TRY(cluster->worker_host ? copy_host(cluster->worker_host[out->workers], &out->worker_host[out->workers]) : NULL);
    return cluster->evaluator_host ? copy_host(cluster->evaluator_host, &out->evaluator_host) : NULL;
}

tri_status tri__cluster_copy(const tri__cluster *cluster, tri__cluster *out)
{
    *out = (tri__cluster){0};
    tri_status status = copy(cluster, out);
    if (status)
        tri__cluster_fini(out);
    return status;
}

static tri_status spread(const char *const *hosts, int count, int servers, int workers, tri__cluster *out)
{
    TRI_TRY(tri__allocate((size_t)servers, sizeof *out->server, "the addresses of servers", &out->server));
    for (; out->servers < servers; out->servers++)
        TRI_TRY(copy_host(hosts[out->servers % count], &out->server[out->servers].host));
    TRI_TRY(tri__allocate((size_t)workers, sizeof *out->worker_host, "the hosts of workers", &out->worker_host));
    for (; out->workers < workers; out->workers++)
        TRI_TRY(copy_host(hosts[out->workers % count], &out->worker_host[out->workers]));
    out->evaluator = true;
    return copy_host(hosts[0], &out->evaluator_host);
}

tri_status tri__cluster_spread(const char *const *hosts, int count, int servers, int workers, tri__cluster *out)
{
    *out = (tri__cluster){0};
    tri_status status = spread(hosts, count, servers, workers, out);
    if (status)
        tri__cluster_fini(out);
    return status;
}

bool tri__cluster_is_loopback(const tri__cluster *cluster)
{
    for (int i = 0; i < cluster->servers; i++)
        if (!tri__address_is_loopback(&cluster->server[i]))
            return false;
    return true;
}

tri_status tri__cluster_check(const tri__cluster *cluster, tri__task task)
{
    int count = task.role == TRI_ROLE_SERVER ? cluster->servers : task.role == TRI_ROLE_WORKER ? cluster->workers : 1;
    if (task.index < count)
        return NULL;
    char name[TRI_TASK_SIZE];
    return tri_fail(TRI_BAD_CALL, "--task %s: the cluster has %d %s, so the last is %s:%d%s", tri__task_name(task, name), count,
                    task.role == TRI_ROLE_SERVER   ? "server(s)"
                    : task.role == TRI_ROLE_WORKER ? "worker(s)"
                                                   : "evaluator",
                    tri__role_name(task.role), count - 1,
                    task.role == TRI_ROLE_WORKER ? " (--join HOST:PORT adds workers to a running job)" : "");
}

/* Check that the addresses of a role are a list of strings. */
static tri_status check_list(const char *name, const char *role, const json_t *list)
{
    if (!json_is_array(list))
        return tri_fail(TRI_BAD_DATA, "%s: '%s' must be a list of addresses: %s: [\"host:port\", …]", name, role, role);
    if (json_array_size(list) > MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "%s: '%s' has %zu entries, and %d is the most", name, role, json_array_size(list), MOST_TASKS);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return tri_fail(TRI_BAD_DATA, "%s: entry %zu of '%s' must be an address such as \"host:port\"", name, i, role);
    return NULL;
}

/* Check that the program knows all roles. chiefs: the description may have a chief. */
static tri_status check_roles(const char *name, const json_t *lists, bool chiefs)
{
    const char *role;
    json_t *list;
    if (!json_is_object(lists))
        return tri_fail(TRI_BAD_DATA, "%s: expected lists of addresses by role: ps: [\"host:port\", …] and worker: [\"host:port\", …]",
                        name);
    json_object_foreach((json_t *)(uintptr_t)lists, role, list)
    {
        int row = find_role(role, strlen(role));
        tri__nearest nearest = tri__nearest_of(role);
        char hint[TRI_NEAREST_HINT];
        for (int i = 0; i < ROLES; i++)
            if (chiefs || !roles[i].chief)
                tri__nearest_offer(&nearest, roles[i].name);
        if (row >= 0 && roles[row].chief && !chiefs)
            return tri_fail(TRI_BAD_DATA, "%s: '%s': in a cluster file no worker is special; list it first under 'worker'", name, role);
        if (row < 0)
            return tri_fail(TRI_BAD_DATA, "%s: there is no role '%s'%s: there are ps, worker and evaluator", name, role,
                            tri__nearest_hint(&nearest, hint));
        TRI_TRY(check_list(name, role, list));
    }
    return NULL;
}

/* Two tasks cannot share a port. A worker's host without a port may appear any number of times. */
static tri_status check_twice(const char *name, const json_t *lists)
{
    json_t *seen = json_object();
    tri_status status = seen ? NULL : tri_fail(TRI_NO_MEMORY, "%s: no memory to check it", name);
    const char *role;
    json_t *list, *entry;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)lists, role, list) json_array_foreach(list, i, entry)
    {
        const char *address = json_string_value(entry), *other = json_string_value(json_object_get(seen, address));
        if (status || !strchr(address, ':'))
            continue;
        if (other)
            status =
                tri_fail(TRI_BAD_DATA, "%s: %s is the address of %s:%zu and also of an earlier task of '%s': each task needs its own port",
                         name, address, role, i, other);
        else if (json_object_set_new(seen, address, json_string(role)))
            status = tri_fail(TRI_NO_MEMORY, "%s: no memory to check it", name);
    }
    json_decref(seen);
    return status;
}

static tri_status read_servers(const char *name, const json_t *list, tri__cluster *out)
{
    size_t count = json_array_size(list);
    if (!count)
        return tri_fail(TRI_BAD_DATA, "%s: no server: give at least one address under 'ps', such as ps: [\"host:2222\"]", name);
    TRI_TRY(tri__allocate(count, sizeof *out->server, "the addresses of servers", &out->server));
    for (size_t i = 0; i < count; i++) {
        TRI_TRY(tri_wrap(tri__address_parse(json_string_value(json_array_get(list, i)), &out->server[i]), "%s: ps:%zu", name, i));
        out->servers++;
        if (!out->server[i].port)
            return tri_fail(TRI_BAD_DATA, "%s: ps:%zu: port 0: a server needs a port that the others know", name, i);
    }
    return NULL;
}

/* The host of a task that no other task connects to: its address may have a port or not. */
static tri_status read_host(const char *name, const char *role, size_t index, const char *text, char **out)
{
    tri__address address = {0};
    if (!*text)
        return tri_fail(TRI_BAD_DATA, "%s: %s:%zu: the address is empty", name, role, index);
    if (*text == '-') /* ssh would take it for an option */
        return tri_fail(TRI_BAD_DATA, "%s: %s:%zu: '%s' is no name of a host", name, role, index, text);
    if (!strchr(text, ':'))
        return copy_host(text, out);
    TRI_TRY(tri_wrap(tri__address_parse(text, &address), "%s: %s:%zu", name, role, index));
    *out = address.host;
    return NULL;
}

/* The chief, where there is one, is worker 0. */
static tri_status read_workers(const char *name, const json_t *lists, tri__cluster *out)
{
    static const char *const order[] = {"chief", "master", TRI_WORKER_ROLE};
    size_t count = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        count += json_array_size(json_object_get(lists, order[i]));
    if (!count)
        return tri_fail(TRI_BAD_DATA, "%s: no worker: give at least one under 'worker', such as worker: [\"host\"]", name);
    TRI_TRY(tri__allocate(count, sizeof *out->worker_host, "the hosts of workers", &out->worker_host));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const json_t *list = json_object_get(lists, order[i]);
        for (size_t j = 0; j < json_array_size(list); j++, out->workers++)
            TRI_TRY(read_host(name, order[i], j, json_string_value(json_array_get(list, j)), &out->worker_host[out->workers]));
    }
    return NULL;
}

static tri_status read_evaluator(const char *name, const json_t *list, tri__cluster *out)
{
    size_t count = json_array_size(list);
    if (count > 1)
        return tri_fail(TRI_BAD_DATA, "%s: %zu evaluators: a job has one at most", name, count);
    out->evaluator = count;
    return count ? read_host(name, TRI_EVALUATOR_ROLE, 0, json_string_value(json_array_get(list, 0)), &out->evaluator_host) : NULL;
}

/* serverless: the workers are ranks, and there are no other tasks. */
static tri_status read_lists(const char *name, const json_t *lists, bool chiefs, bool serverless, tri__cluster *out)
{
    TRI_TRY(check_roles(name, lists, chiefs));
    TRI_TRY(check_twice(name, lists));
    TRI_TRY(read_evaluator(name, json_object_get(lists, TRI_EVALUATOR_ROLE), out));
    if (json_object_get(lists, TRI_SERVER_ROLE) || !serverless)
        TRI_TRY(read_servers(name, json_object_get(lists, TRI_SERVER_ROLE), out));
    if (serverless && out->servers + out->evaluator)
        return tri_fail(TRI_BAD_DATA, "%s: ranks have neither servers nor an evaluator: list only workers", name);
    return read_workers(name, lists, out);
}

static tri_status read_or_clear(const char *name, const json_t *lists, bool serverless, tri__cluster *out)
{
    *out = (tri__cluster){0};
    tri_status status = read_lists(name, lists, false, serverless, out);
    if (status)
        tri__cluster_fini(out);
    return status;
}

tri_status tri__cluster_parse(const char *name, const char *text, size_t size, tri__cluster *out)
{
    json_t *lists = NULL;
    *out = (tri__cluster){0};
    TRI_TRY(tri__yaml_parse(name, text, size, &lists));
    tri_status status = read_or_clear(name, lists, false, out);
    json_decref(lists);
    return status;
}

static tri_status read_file(const char *path, bool serverless, tri__cluster *out)
{
    json_t *lists = NULL;
    *out = (tri__cluster){0};
    TRI_TRY(tri_wrap(tri__yaml_read(path, &lists), "--cluster"));
    tri_status status = tri_wrap(read_or_clear(path, lists, serverless, out), "--cluster");
    json_decref(lists);
    return status;
}

tri_status tri__cluster_read(const char *path, tri__cluster *out)
{
    return read_file(path, false, out);
}

tri_status tri__cluster_read_ranks(const char *path, tri__cluster *out)
{
    return read_file(path, true, out);
}

static void print_addresses(FILE *file, const void *context)
{
    const tri__cluster *cluster = context;
    fprintf(file, TRI_SERVER_ROLE ": [");
    for (int i = 0; i < cluster->servers; i++) {
        const tri__address *at = &cluster->server[i];
        bool v6 = strchr(at->host, ':');
        fprintf(file, "%s\"%s%s%s:%d\"", i ? ", " : "", v6 ? "[" : "", at->host, v6 ? "]" : "", at->port);
    }
    fprintf(file, "]\n" TRI_WORKER_ROLE ": [");
    for (int i = 0; i < cluster->workers; i++)
        fprintf(file, "%s\"%s\"", i ? ", " : "", cluster->worker_host ? cluster->worker_host[i] : "localhost");
    fprintf(file, "]\n");
    if (cluster->evaluator)
        fprintf(file, TRI_EVALUATOR_ROLE ": [\"%s\"]\n", cluster->evaluator_host ? cluster->evaluator_host : "localhost");
}

tri_status tri__cluster_write(const char *path, const tri__cluster *cluster)
{
    return tri__file_print(path, print_addresses, cluster);
}

#define TF_CONFIG "TF_CONFIG"

/* Kubernetes' training operators do not list the evaluator in the cluster of the other tasks. */
static tri_status read_task(const json_t *config, tri__cluster *cluster, tri__task *out)
{
    const json_t *task = json_object_get(config, "task"), *index = json_object_get(task, "index");
    const json_t *lists = json_object_get(config, "cluster");
    const char *type = json_string_value(json_object_get(task, "type"));
    if (!type || !json_is_integer(index))
        return tri_fail(TRI_BAD_DATA, "%s: 'task' must say which task this is: {\"type\": \"worker\", \"index\": 0}", TF_CONFIG);
    int row = find_role(type, strlen(type));
    if (row < 0)
        return tri_fail(TRI_BAD_DATA, "%s: there is no task type '%s': there are chief, master, worker, ps and evaluator", TF_CONFIG, type);
    if (roles[row].role == TRI_ROLE_EVALUATOR)
        cluster->evaluator = true;
    int64_t number = json_integer_value(index);
    int64_t count = roles[row].role == TRI_ROLE_EVALUATOR ? 1 : (int64_t)json_array_size(json_object_get(lists, type));
    if (number < 0 || number >= count)
        return tri_fail(TRI_BAD_DATA, "%s: this is %s %" PRId64 ", and its 'cluster' has %" PRId64 " of them", TF_CONFIG, type, number,
                        count);
    bool chief = json_array_size(json_object_get(lists, "chief")) || json_array_size(json_object_get(lists, "master"));
    bool follows = chief && roles[row].role == TRI_ROLE_WORKER && !roles[row].chief;
    *out = (tri__task){roles[row].role, (int)number + follows};
    return NULL;
}

static tri_status read_tf_config(const json_t *config, tri__cluster *out, tri__task *task)
{
    const json_t *lists = json_object_get(config, "cluster");
    if (!lists)
        return tri_fail(TRI_BAD_DATA, "%s: it has no 'cluster' (a job of one process needs no --strategy ps)", TF_CONFIG);
    TRI_TRY(read_lists(TF_CONFIG, lists, true, false, out));
    if (json_array_size(json_object_get(lists, "chief")) + json_array_size(json_object_get(lists, "master")) > 1)
        return tri_fail(TRI_BAD_DATA, "%s: a job has one chief or master at most", TF_CONFIG);
    return read_task(config, out, task);
}

tri_status tri__cluster_from_tf_config(const char *json, tri__cluster *out, tri__task *task)
{
    json_t *config = NULL;
    *out = (tri__cluster){0};
    TRI_TRY(tri__json_parse(TF_CONFIG, json, strlen(json), &config));
    tri_status status = read_tf_config(config, out, task);
    json_decref(config);
    if (status)
        tri__cluster_fini(out);
    return status;
}

tri_status tri__cluster_count_tf_config(const char *json, int64_t *out)
{
    json_t *config = NULL;
    const char *role;
    json_t *tasks;
    *out = 0;
    TRI_TRY(tri__json_parse(TF_CONFIG, json, strlen(json), &config));
    json_object_foreach(json_object_get(config, "cluster"), role, tasks) *out += (int64_t)json_array_size(tasks);
    json_decref(config);
    return NULL;
}

tri_status tri__cluster_from_join(const char *address, tri__cluster *out, tri__task *task)
{
    *out = (tri__cluster){0};
    *task = (tri__task){TRI_ROLE_WORKER, -1};
    TRI_TRY(tri__allocate(1, sizeof *out->server, "the address to join", &out->server));
    out->servers = 1;
    tri_status status = tri_wrap(tri__address_parse(address, out->server), "--join %s", address);
    if (!status && !out->server->port)
        status = tri_fail(TRI_BAD_CALL, "--join %s: port 0 is not a port: give the port of ps:0", address);
    if (status)
        tri__cluster_fini(out);
    return status;
}
