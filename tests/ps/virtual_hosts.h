/* virtual_hosts.h: tasks on hosts of their own, those of `trireme cluster`, so that a test can cut the network between them.
 * Host N is at 10.77.0.N, and `cluster.key` is in the test's folder. It needs root; a test that finds none is skipped. */
#ifndef TESTS_PS_VIRTUAL_HOSTS_H
#define TESTS_PS_VIRTUAL_HOSTS_H

#include "ps/process.h"

int virtual_hosts_name(void **state);    /* for cmocka's groups: a network of this process's own */
void virtual_hosts_need(int count);      /* make so many, or skip the test */
const char *virtual_hosts_cluster(void); /* its name */

process virtual_host_start(const char *folder, int host, const char *name, const char *words, ...) __attribute__((format(printf, 4, 5)));

/* Nothing passes, and nobody is told: from and to a host, or between two that all others reach. */
void virtual_host_cut(int host);
void virtual_host_mend(int host);
void virtual_hosts_part(int one, int other);
void virtual_hosts_join(int one, int other);

/* For cmocka's tables, as PROCESS_TEST. */
int virtual_hosts_set_up(void **state);
int virtual_hosts_tear_down(void **state);
#define VIRTUAL_HOSTS_TEST(name) cmocka_unit_test_setup_teardown(name, virtual_hosts_set_up, virtual_hosts_tear_down)

#endif
