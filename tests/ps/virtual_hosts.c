/* virtual_hosts.c: tests/link.sh, called. */
#define _GNU_SOURCE
#include "ps/virtual_hosts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINK TEST_SOURCE "/tests/link.sh"

static bool link_run(const char *verb, const char *first, const char *second)
{
    const char *const words[] = {"sh", LINK, verb, first, second, NULL};
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
    snprintf(first, sizeof first, "%d", one);
    snprintf(second, sizeof second, "%d", other);
    assert_true(link_run(verb, first, other ? second : NULL));
}

int virtual_hosts_name(void **state)
{
    char name[32];
    (void)state;
    snprintf(name, sizeof name, "cut%d", (int)getpid());
    return setenv("LINK_NAME", name, 1);
}

void virtual_hosts_need(int count)
{
    char hosts[16];
    snprintf(hosts, sizeof hosts, "%d", count);
    if (geteuid() != 0) {
        print_message("skipped: network namespaces need root\n");
        skip();
    }
    if (!link_run("up", hosts, "1gbit")) {
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
    snprintf(before, sizeof before, "sh " LINK " exec %d", host);
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
    change("part", one, other);
}

void virtual_hosts_join(int one, int other)
{
    change("join", one, other);
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
    link_run("down", NULL, NULL);
    return process_tear_down(state);
}
