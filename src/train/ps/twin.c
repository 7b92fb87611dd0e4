/* twin.c: a server in a thread. It shares nothing with the server of its process but the log. */
#include "train/ps/twin.h"

#include <unistd.h>

static void *serve(void *context)
{
    tri__twin *twin = context;
    tri_status status = tri__server_run(&twin->options, NULL);
    if (status)
        tri__log_line(twin->options.log, TRI_LOG_WARNING, "the twin of ps:%d, on ps:%d, has ended: %s", twin->options.index, twin->host,
                      tri_status_message(status));
    tri_status_free(status);
    return NULL;
}

/* The server whose twin this process runs; 0: none. */
static int find_server(const tri__ps_settings *ps, int host)
{
    for (int i = 1; i < ps->servers; i++)
        if (tri__ps_is_replicated(ps, i) && tri__ps_twin_host(ps, i) == host)
            return i;
    return 0;
}

tri_status tri__twin_start(tri__twin *twin, const tri__task_setup *setup, const tri__ps_settings *ps, tri__log *log)
{
    const tri__address *server = setup->cluster->server;
    int host = setup->task.index, index = find_server(ps, host);
    *twin = (tri__twin){.host = host};
    if (!index)
        return NULL;
    twin->address.host = server[host].host;
    twin->options = (tri__server_options){
        .index = index,
        .twin = &twin->address,
        .settings = *ps,
        .tls = setup->tls,
        .servers = server,
        .coordinator = &server[0],
        .log = log,
        .abandoned = &twin->abandoned,
    };
    const tri__address any = {.host = server[host].host};
    TRI_TRY(tri_wrap(tri__address_listen(&any, &twin->options.listen_fd, &twin->address.port), "the twin of ps:%d, on ps:%d", index, host));
    tri__log_line(log, TRI_LOG_INFO, "ps:%d runs the twin of ps:%d, at %s:%u", host, index, twin->address.host, twin->address.port);
    twin->runs = pthread_create(&twin->thread, NULL, serve, twin) == 0;
    if (twin->runs)
        return NULL;
    close(twin->options.listen_fd);
    return tri_fail(TRI_NO_MEMORY, "no thread for the twin of ps:%d", index);
}

void tri__twin_end(tri__twin *twin)
{
    if (!twin->runs)
        return;
    __atomic_store_n(&twin->abandoned, true, __ATOMIC_RELEASE);
    pthread_join(twin->thread, NULL);
    twin->runs = false;
}
