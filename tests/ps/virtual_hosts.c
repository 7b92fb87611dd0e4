/* virtual_hosts.c: `trireme cluster`, called. */
#define _GNU_SOURCE
#include "ps/virtual_hosts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char cluster_name[32];
static bool up;

static bool call(const char *verb, const char *first, const char *second, const char *third)
{
    const char *const words[] = {TEST_BINARY, "cluster", verb, cluster_name, first, second, third, NULL};
    test_result result = test_run(NULL, words);
    bool done = result.status == 0;
    if (!done)
        print_message("%s", result.err);
    test_result_fini(&result);
    return done;
}

/* one, other: hosts; 0: none. */
static void change(const char *verb, int one, int other)
{
    char first[16], second[16];
    snprintf(first, sizeof first, "host%d", one);
    snprintf(second, sizeof second, "host%d", other);
    assert_true(call(verb, first, other ? "--from" : NULL, second));
}

const char *virtual_hosts_cluster(void)
{
    return cluster_name;
}

int virtual_hosts_name(void **state)
{
    (void)state;
    snprintf(cluster_name, sizeof cluster_name, "test%d", (int)getpid());
    return 0;
}

void virtual_hosts_need(int count)
{
    char hosts[16];
    snprintf(hosts, sizeof hosts, "%d", count);
    if (geteuid() != 0) {
        print_message("skipped: network namespaces need root\n");
        skip();
    }
    up = call("up", "--rate=1gbit", "--hosts", hosts);
    if (!up) {
        print_message("skipped: this machine allows no network namespaces\n");
        skip();
    }
}

process virtual_host_start(const char *folder, int host, const char *name, const char *words, ...)
{
    char before[512], text[1024];
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(text, sizeof text, words, arguments);
    va_end(arguments);
    snprintf(before, sizeof before, TEST_BINARY " cluster exec %s host%d", cluster_name, host);
    return process_start_under(folder, name, before, "%s", text);
}

void virtual_host_cut(int host)
{
    change("cut", host, 0);
}

void virtual_host_mend(int host)
{
    change("mend", host, 0);
}

void virtual_hosts_part(int one, int other)
{
    change("cut", one, other);
}

void virtual_hosts_join(int one, int other)
{
    change("mend", one, other);
}

/* A network for each test: the switch of the last one may still know the cut. */
int virtual_hosts_set_up(void **state)
{
    process_set_up(state);
    process keygen = process_start(*state, "keygen", "keygen cluster.key");
    json_decref(process_end(&keygen, 0));
    return 0;
}

int virtual_hosts_tear_down(void **state)
{
    if (up)
        call("down", NULL, NULL, NULL);
    up = false;
    return process_tear_down(state);
}
