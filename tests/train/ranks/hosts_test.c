/* hosts_test.c: hosts that answer, one that cannot be there, and what is read of their lines. */
#include "train/ranks/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#define PATIENCE INT64_C(120000000000)

static tri__hosts probe(const char *text, const volatile sig_atomic_t *stop)
{
    char *folder = test_folder_create(), *path = test_path(folder, "hosts");
    const tri__hosts_request request = {.file = path, .timeout = PATIENCE, .as_root = geteuid() == 0, .stop = stop};
    tri__hosts hosts;
    test_write(path, text, strlen(text));
    assert_ok(tri__hosts_probe(&request, &hosts));
    free(path);
    test_folder_remove(folder);
    return hosts;
}

static void a_host_that_does_not_answer_is_gone(void **state)
{
    (void)state;
    tri__hosts hosts = probe("# all\nlocalhost max_slots=9 slots=2\nno-host.invalid slots=4 # here?\n\n127.0.0.1 slots=3", NULL);
    assert_string_equal(hosts.gone, "no-host.invalid");
    assert_string_equal(hosts.lines, "# all\nlocalhost max_slots=9 slots=2\n\n127.0.0.1 slots=3\n");
    assert_int_equal(hosts.left, 2);
    assert_int_equal(hosts.slots, 5);
    tri__hosts_fini(&hosts);
}

static void slots_are_unknown_if_a_line_does_not_give_them(void **state)
{
    (void)state;
    tri__hosts hosts = probe("localhost slots=2\n127.0.0.1 max_slots=3\n", NULL);
    assert_string_equal(hosts.gone, "");
    assert_int_equal(hosts.left, 2);
    assert_int_equal(hosts.slots, 0);
    tri__hosts_fini(&hosts);
}

static void no_host_is_gone_if_the_probe_was_stopped(void **state)
{
    (void)state;
    static const volatile sig_atomic_t stop = 1;
    tri__hosts hosts = probe("no-host.invalid\n", &stop);
    assert_string_equal(hosts.gone, "");
    assert_int_equal(hosts.left, 0);
    tri__hosts_fini(&hosts);
}

static void a_missing_hosts_file_is_refused(void **state)
{
    (void)state;
    tri__hosts hosts;
    assert_fails(tri__hosts_probe(&(tri__hosts_request){.file = "no/such/file"}, &hosts), TRI_NOT_FOUND, "no/such/file");
}

int main(void)
{
    if (system("command -v mpirun > /dev/null") != 0)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_does_not_answer_is_gone),
        cmocka_unit_test(slots_are_unknown_if_a_line_does_not_give_them),
        cmocka_unit_test(no_host_is_gone_if_the_probe_was_stopped),
        cmocka_unit_test(a_missing_hosts_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
