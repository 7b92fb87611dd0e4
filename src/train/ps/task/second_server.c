/* second_server.c: servers in threads. Each shares nothing with the server of its process but the log and the count of bytes. */
#include "train/ps/task/second_server.h"

#include <unistd.h>

static void *serve(void *context)
{
    tri__second_server *second = context;
    tri_status status = tri__server_run(&second->options, NULL);
    if (status)
        tri__log_line(second->options.log, TRI_LOG_WARNING, "the second server of ps:%d, on ps:%d, has ended: %s", second->options.index,
                      second->host, tri_status_message(status));
    tri_status_free(status);
    return NULL;
}

static tri_status start(tri__second_server *second, int index, const tri__task_setup *setup, const tri__ps_settings *ps,
                        const tri__server_options *first)
{
    const tri__address *server = setup->cluster->server;
    int host = setup->task.index;
    second->host = host;
    second->address.host = server[host].host;
    second->options = (tri__server_options){
        .index = index,
        .second = &second->address,
        .settings = *ps,
        .tls = setup->tls,
        .servers = server,
        .coordinator = &server[0],
        .log = first->log,
        .traffic = first->traffic,
        .abandoned = &second->abandoned,
    };
    const tri__address any = {.host = server[host].host};
    TRI_TRY(tri_wrap(tri__address_listen(&any, &second->options.listen_fd, &second->address.port), "the second server of ps:%d, on ps:%d",
                     index, host));
    tri__log_line(first->log, TRI_LOG_INFO, "ps:%d runs the second server of ps:%d, at %s:%u", host, index, second->address.host,
                  second->address.port);
    second->runs = pthread_create(&second->thread, NULL, serve, second) == 0;
    if (second->runs)
        return NULL;
    close(second->options.listen_fd);
    return tri_fail(TRI_NO_MEMORY, "no thread for the second server of ps:%d", index);
}

tri_status tri__second_servers_start(tri__second_servers *all, const tri__task_setup *setup, const tri__ps_settings *ps,
                                     const tri__server_options *first)
{
    *all = (tri__second_servers){.count = 0};
    tri_status status = NULL;
    for (int i = 0; !status && i < ps->servers; i++)
        if (tri__ps_is_replicated(ps, i) && tri__ps_second_host(ps, i) == setup->task.index)
            status = start(&all->second[all->count++], i, setup, ps, first);
    if (status)
        tri__second_servers_end(all);
    return status;
}

static void end(tri__second_server *second)
{
    if (!second->runs)
        return;
    __atomic_store_n(&second->abandoned, true, __ATOMIC_RELEASE);
    pthread_join(second->thread, NULL);
    second->runs = false;
}

void tri__second_servers_end(tri__second_servers *all)
{
    for (int i = 0; i < all->count; i++)
        end(&all->second[i]);
}
