/* join.c: asks ps:0 to join a job, and checks the answer. */
#include "train/ps/task/join.h"

#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/worker/join.h"

static tri_status read_servers(const json_t *list, tri__cluster *out)
{
    size_t index;
    const json_t *item;
    if (!json_is_array(list) || json_array_size(list) < 1)
        return tri_fail(TRI_BAD_DATA, "ps:0 does not say where the servers are");
    TRI_TRY(tri__allocate(json_array_size(list), sizeof *out->server, "the addresses of servers", &out->server));
    json_array_foreach(list, index, item)
    {
        const char *text = json_string_value(item);
        TRI_TRY(tri__address_parse(text ? text : "", &out->server[index]));
        out->servers++;
    }
    return NULL;
}

static tri_status read_mode(const char *name, tri__ps_mode *out)
{
    for (tri__ps_mode mode = TRI_PS_ASYNC; mode <= TRI_PS_STALENESS; mode++)
        if (name && !strcmp(name, tri__ps_mode_name(mode))) {
            *out = mode;
            return NULL;
        }
    return tri_fail(TRI_BAD_DATA, "ps:0 does not say in which mode the job runs");
}

static tri_status read_answer(const json_t *answer, tri__cluster *cluster, tri__task_setup *joined, tri__ps_settings *job)
{
    const json_t *task = json_object_get(answer, "task"), *workers = json_object_get(answer, "workers");
    if (!json_is_integer(task) || json_integer_value(task) < 0 || json_integer_value(task) > INT16_MAX || !json_is_integer(workers))
        return tri_fail(TRI_BAD_DATA, "ps:0 does not give this worker a number");
    joined->task.index = (int)json_integer_value(task);
    cluster->workers = (int)json_integer_value(workers);
    TRI_TRY(read_mode(json_string_value(json_object_get(answer, "mode")), &job->mode));
    TRI_TRY(read_servers(json_object_get(answer, "servers"), cluster));
    job->workers = cluster->workers;
    job->servers = cluster->servers;
    job->staleness = (int)json_integer_value(json_object_get(answer, "staleness"));
    job->backup = (int)json_integer_value(json_object_get(answer, "backup"));
    job->replicas = (int)json_integer_value(json_object_get(answer, "replicas"));
    job->sum = json_is_true(json_object_get(answer, "sum"));
    job->fixed_parts = json_is_true(json_object_get(answer, "static"));
    job->half_rows = json_is_true(json_object_get(answer, "fp16"));
    job->dense_rows = json_is_true(json_object_get(answer, "dense"));
    return NULL;
}

tri_status tri__join(const tri__task_setup *setup, int64_t timeout, tri__cluster *cluster, tri__task_setup *joined, tri__ps_settings *job)
{
    json_t *answer = NULL;
    const tri__ps_join_options options = {.coordinator = &setup->cluster->server[0], .timeout = timeout, .tls = setup->tls};
    *cluster = (tri__cluster){0};
    *joined = *setup;
    joined->cluster = cluster;
    TRI_TRY(tri__ps_join(&options, &answer));
    tri_status status = read_answer(answer, cluster, joined, job);
    json_decref(answer);
    if (status)
        tri__cluster_fini(cluster);
    return status;
}
