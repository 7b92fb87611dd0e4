/* hosts_test.c: hosts that answer, one that cannot be there, and what is read of their lines. */
#include "train/ranks/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static const char *without_files_of_mpirun(const char *folder)
{
    static const char script[] = "cd \"$0\" && ls -d ompi.* 2>/dev/null";
    test_result result = test_run(NULL, (const char *[]){"sh", "-c", script, folder, NULL});
    const char *left = *result.out ? "a folder of mpirun is left" : NULL;
    test_result_fini(&result);
    return left;
}

/* ssh hangs, as it does when the host drops packets; here until the test removes its folder. */
static void the_probe_of_a_silent_host_leaves_nothing_behind(void **state)
{
    const char *folder = *state;
    char *agent = test_path(folder, "silent"), *path = test_path(folder, "hosts");
    static const char script[] = "#!/bin/sh\nwhile [ -e \"$0\" ]; do sleep 0.1; done\n", line[] = "no-host.invalid slots=4\n";
    test_write(agent, script, strlen(script));
    test_write(path, line, strlen(line));
    assert_int_equal(chmod(agent, 0700), 0);
    setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
    setenv("TMPDIR", folder, 1);
    tri__hosts hosts;
    tri_status status =
        tri__hosts_probe(&(tri__hosts_request){.file = path, .timeout = INT64_C(3000000000), .as_root = geteuid() == 0}, &hosts);
    unsetenv("OMPI_MCA_plm_rsh_agent");
    unsetenv("TMPDIR");
    assert_ok(status);
    assert_string_equal(hosts.gone, "no-host.invalid");
    assert_null(without_files_of_mpirun(folder));
    tri__hosts_fini(&hosts);
    free(agent);
    free(path);
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
        cmocka_unit_test(a_host_that_does_not_answer_is_gone),      cmocka_unit_test(slots_are_unknown_if_a_line_does_not_give_them),
        cmocka_unit_test(no_host_is_gone_if_the_probe_was_stopped), FOLDER_TEST(the_probe_of_a_silent_host_leaves_nothing_behind),
        cmocka_unit_test(a_missing_hosts_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
