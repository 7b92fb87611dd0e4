/* lifecycle.c: bringing up succeeds as a whole, or leaves nothing behind. Taking down needs only names, so it also removes what a crash has
 * left. */
#define _GNU_SOURCE /* setns, unshare */
#include "lab/cluster/lifecycle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/text.h"
#include "lab/cluster/limits.h"
#include "lab/cluster/network.h"

enum { PATH_SIZE = 256, HOSTS_SIZE = 16384 };

static void path_of(const char *name, const char *ending, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, TRI_CLUSTER_FOLDER "/%s.%s", name, ending);
}

/* Write the file that the hosts see as /etc/hosts: the names of the hosts, and loopback. */
static tri_status write_hosts(const tri__virtual_cluster *cluster)
{
    char path[PATH_SIZE], text[HOSTS_SIZE];
    size_t size = (size_t)snprintf(text, sizeof text, "127.0.0.1 localhost\n::1 localhost\n");
    for (int i = 0; i < cluster->hosts; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s %s\n", cluster->host[i].address, cluster->host[i].name);
    path_of(cluster->name, "hosts", path);
    return tri__file_replace(path, text, size);
}

static tri_status write_description(const tri__virtual_cluster *cluster)
{
    char path[PATH_SIZE];
    json_t *value = tri__virtual_cluster_json(cluster);
    path_of(cluster->name, "json", path);
    tri_status status = value ? tri__json_write(path, value) : tri_fail(TRI_NO_MEMORY, "no memory for the description of a cluster");
    json_decref(value);
    return status;
}

static tri_status build(const tri__virtual_cluster *cluster)
{
    TRI_TRY(tri__folder_create(TRI_CLUSTER_FOLDER));
    TRI_TRY(write_hosts(cluster));
    TRI_TRY(tri__network_up(cluster));
    for (int i = 0; i < cluster->hosts; i++)
        TRI_TRY(tri__limits_up(cluster->name, &cluster->host[i]));
    return write_description(cluster);
}

static tri_status clear(const char *name)
{
    char path[PATH_SIZE];
    tri_status status = tri__network_down(name);
    tri__limits_down(name);
    path_of(name, "json", path);
    unlink(path);
    path_of(name, "hosts", path);
    unlink(path);
    return status;
}

tri_status tri__virtual_cluster_up(const tri__virtual_cluster *cluster)
{
    bool up;
    TRI_TRY(tri__network_check());
    TRI_TRY(tri__network_is_up(cluster->name, &up));
    if (up)
        return tri_fail(TRI_BAD_CALL, "cluster %s is up already: `trireme cluster down %s` first, or give another name", cluster->name,
                        cluster->name);
    tri_status status = build(cluster);
    if (status)
        tri_status_free(clear(cluster->name)); /* a cluster that is half up must not stay */
    return tri_wrap(status, "bringing up cluster %s", cluster->name);
}

/* " (these are up: a, b)", or what to do where no cluster is up. */
static void list_those_up(char *text, size_t size)
{
    char **names;
    size_t count;
    tri__text list;
    tri__text_init(&list, text, size);
    tri_status status = tri__folder_list(TRI_CLUSTER_FOLDER, &names, &count);
    for (size_t i = 0; i < count && !status; i++) {
        char *ending = strstr(names[i], ".json");
        if (ending)
            tri__text_add(&list, "%s%.*s", list.used ? ", " : "; these are up: ", (int)(ending - names[i]), names[i]);
    }
    if (!list.used)
        tri__text_add(&list, "; `trireme cluster up NAME --hosts N` makes one");
    if (status)
        tri_status_free(status);
    else
        tri__folder_free(names, count);
}

static tri_status not_there(const char *name)
{
    char others[256];
    bool begun = false;
    tri_status_free(tri__network_is_up(name, &begun));
    if (begun)
        return tri_fail(TRI_NOT_FOUND, "cluster %s was not brought up to its end: `trireme cluster down %s` removes what is there", name,
                        name);
    list_those_up(others, sizeof others);
    return tri_fail(TRI_NOT_FOUND, "no virtual cluster is called %s%s", name, others);
}

tri_status tri__virtual_cluster_load(const char *name, tri__virtual_cluster *out)
{
    char path[PATH_SIZE];
    path_of(name, "json", path);
    if (strchr(name, '/') || !tri__file_exists(path))
        return not_there(name);
    json_t *value;
    TRI_TRY(tri__json_read(path, &value));
    tri_status status = tri__virtual_cluster_parse(value, name, out);
    json_decref(value);
    return tri_wrap(status, "%s", path);
}

tri_status tri__virtual_cluster_down(const char *name)
{
    char path[PATH_SIZE];
    bool up;
    TRI_TRY(tri__network_check());
    path_of(name, "json", path);
    TRI_TRY(tri__network_is_up(name, &up));
    if (!up && !tri__file_exists(path))
        return not_there(name);
    return clear(name);
}

static tri_status find_host(const char *name, const char *host, tri__virtual_cluster *cluster, const tri__virtual_host **out)
{
    TRI_TRY(tri__virtual_cluster_load(name, cluster));
    *out = tri__virtual_cluster_find(cluster, host);
    if (*out)
        return NULL;
    return tri_fail(TRI_NOT_FOUND, "cluster %s has no host %s: `trireme cluster status %s` lists them", name, host, name);
}

tri_status tri__virtual_cluster_cut(const char *name, const char *host, const char *from, bool cut)
{
    tri__virtual_cluster cluster;
    const tri__virtual_host *found, *other;
    TRI_TRY(tri__network_check());
    TRI_TRY(find_host(name, host, &cluster, &found));
    if (!from)
        return cut ? tri__network_cut(&cluster, found, true) : tri__network_mend(&cluster, found);
    TRI_TRY(find_host(name, from, &cluster, &other));
    if (found == other)
        return tri_fail(TRI_BAD_CALL, "%s from %s: give two different hosts", host, from);
    return tri__network_part(&cluster, found, other, cut);
}

static tri_status system_failed(const char *doing)
{
    return tri_fail(TRI_IO, "%s: %s", doing, strerror(errno));
}

tri_status tri__virtual_cluster_enter_network(const char *cluster, const char *host)
{
    char space[TRI_NAMESPACE_NAME], path[PATH_SIZE];
    tri__namespace_name(cluster, host, space);
    snprintf(path, sizeof path, "/run/netns/%s", space);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return system_failed(path);
    int entered = setns(fd, CLONE_NEWNET);
    tri_status status = entered ? system_failed(path) : NULL;
    close(fd);
    return status;
}

typedef struct {
    const char *cluster, *host;
    const tri__address *address;
    int *fd;
    uint16_t *port;
    tri_status status;
} listening;

static void *listen_there(void *context)
{
    listening *there = context;
    there->status = tri__virtual_cluster_enter_network(there->cluster, there->host);
    if (!there->status)
        there->status = tri__address_listen(there->address, there->fd, there->port);
    return NULL;
}

/* Only a thread of its own enters the network of `there`. The socket stays in that network. */
static tri_status listen_in(listening *there)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, listen_there, there);
    if (error)
        return tri_fail(TRI_NO_MEMORY, "no thread to enter the network of %s: %s", there->host, strerror(error));
    pthread_join(thread, NULL);
    return there->status;
}

tri_status tri__virtual_cluster_listen(const char *name, const tri__address *address, int *fd, uint16_t *port)
{
    tri__virtual_cluster cluster;
    const tri__virtual_host *found;
    TRI_TRY(find_host(name, address->host, &cluster, &found));
    char literal[TRI_HOST_ADDRESS]; /* this machine does not know the names of its virtual hosts */
    memcpy(literal, found->address, sizeof literal);
    listening there = {
        .cluster = name, .host = found->name, .address = &(tri__address){.host = literal, .port = address->port}, .fd = fd, .port = port};
    return tri_wrap(listen_in(&there), "on host %s of cluster %s", found->name, name);
}

tri_status tri__virtual_cluster_listen_at_switch(const char *name, int *fd, uint16_t *port)
{
    char literal[] = TRI_SWITCH_ADDRESS;
    listening there = {.cluster = name, .host = TRI_SWITCH, .address = &(tri__address){.host = literal}, .fd = fd, .port = port};
    return tri_wrap(listen_in(&there), "at the switch of cluster %s", name);
}

/* Give this process the host's name and its /etc/hosts. Each host needs its own name: MPI assumes that processes with the same host name
 * share memory. */
static tri_status take_name(const char *cluster, const char *host)
{
    char hosts[PATH_SIZE];
    path_of(cluster, "hosts", hosts);
    if (unshare(CLONE_NEWUTS | CLONE_NEWNS))
        return system_failed("a host's own name");
    if (sethostname(host, strlen(host)))
        return system_failed("the name of a host");
    if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) || mount(hosts, "/etc/hosts", NULL, MS_BIND, NULL))
        return system_failed("a host's own /etc/hosts");
    return NULL;
}

tri_status tri__virtual_cluster_enter(const char *name, const char *host)
{
    tri__virtual_cluster cluster;
    const tri__virtual_host *found;
    TRI_TRY(tri__network_check());
    TRI_TRY(find_host(name, host, &cluster, &found));
    TRI_TRY(tri__limits_enter(name, found->name));
    TRI_TRY(tri__virtual_cluster_enter_network(name, found->name));
    return take_name(name, found->name);
}
