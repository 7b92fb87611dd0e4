/* server_task.c: the servers of a job. ps:0 owns the run (run_owner.c). The other servers only hold their stretch of the parameters. */
#include "train/ps/task/server_task.h"

#include <stdlib.h>

#include "store/ps/coordinator/coordinator_role.h"
#include "store/ps/stretch/stretch.h"
#include "train/ps/task/run_owner.h"
#include "train/ps/task/second_server.h"

static tri_status listen_here(const tri__run *run, const tri__task_setup *setup, int *fd)
{
    const tri__address *address = &setup->cluster->server[setup->task.index];
    uint16_t port;
    *fd = setup->listen_fd;
    if (*fd >= 0)
        return NULL;
    TRI_TRY(tri_wrap(tri__address_listen(address, fd, &port), "ps:%d", setup->task.index));
    tri__log_line(run->journal.log, TRI_LOG_INFO, "ps:%d listens on %s:%u", setup->task.index, address->host, port);
    return NULL;
}

/* "1,3" are the workers 1 and 3. */
static tri_status read_ended(const char *text, bool ended[TRI_MOST_TASKS])
{
    const char *at = text;
    while (at && *at) {
        char *end;
        long task = strtol(at, &end, 10);
        if (end == at || task < 0 || task >= TRI_MOST_TASKS || (*end && *end != ','))
            return tri_fail(TRI_BAD_CALL, "--ended %s: numbers of workers, as 1,3", text);
        ended[task] = true;
        at = *end ? end + 1 : end;
    }
    return NULL;
}

/* owner: only ps:0 has one; NULL elsewhere. */
static tri_status run_server(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps, tri__run_owner *owner,
                             tri__ps_status *status)
{
    bool ended[TRI_MOST_TASKS] = {false};
    tri__server_options options = {
        .index = setup->task.index,
        .settings = *ps,
        .tls = setup->tls,
        .servers = setup->cluster->server,
        .recovers = setup->recover,
        .ended = ended,
        .coordinator = owner ? NULL : &setup->cluster->server[0],
        .role = owner ? &tri__coordinator_role : NULL,
        .owner = owner ? &tri__run_owner_calls : NULL,
        .context = owner,
        .log = run->journal.log,
        .trace = run->journal.trace,
        .traffic = &run->journal.work.traffic,
        .stop = run->request->stop,
        .unevaluated = setup->unevaluated,
    };
    TRI_TRY(read_ended(setup->ended, ended));
    TRI_TRY(listen_here(run, setup, &options.listen_fd));
    if (owner)
        tri__run_owner_look_at_data(owner);
    tri__second_servers second;
    TRI_TRY(tri__second_servers_start(&second, setup, ps, &options));
    tri_status failed = tri__server_run(&options, status);
    tri__second_servers_end(&second);
    return failed;
}

tri_status tri__server_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps, tri__run_result *out)
{
    if (setup->task.index != 0)
        return run_server(run, setup, ps, NULL, NULL);
    tri__run_owner owner;
    tri__ps_status status = {.reports = NULL};
    tri__run_owner_init(&owner, run, setup, ps, out);
    tri_status failed = run_server(run, setup, ps, &owner, &status);
    failed = tri__run_owner_end(&owner, failed, &status);
    json_decref(status.reports);
    tri__run_owner_fini(&owner);
    return failed;
}
