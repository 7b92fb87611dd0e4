/* spawned_test.c: a task ends with its supervisor, and reports by lines of JSON. */
#include "cli/process/spawned.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* A process that waits for ever, but for the watcher. */
static pid_t start_task(int fd, int other)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    close(other);
    tri_status_free(tri__spawned_watch(fd));
    for (;;)
        pause();
}

static void a_task_ends_with_its_supervisor(void **state)
{
    (void)state;
    int ends[2], status = 0;
    assert_false(pipe(ends));
    pid_t pid = start_task(ends[0], ends[1]);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    close(ends[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    close(ends[0]);
}

static void reports_are_written_as_json_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    tri__session session = {.out = open_memstream(&text, &size)};
    assert_non_null(session.out);
    tri__spawned_progress(&session, &(tri__progress){.step = 3});
    tri__run_result result = {.summary = json_pack("{s:i}", "steps", 4), .table = "steps 4\n"};
    assert_ok(tri__spawned_result(&session, &result));
    json_decref(result.summary);
    tri_status failure = tri_fail(TRI_IO, "the disk is full");
    tri__spawned_failure(&session, failure);
    tri_status_free(failure);
    assert_true(session.told);
    assert_false(fclose(session.out));
    assert_non_null(strstr(text, "{\"progress\":{\"step\":3"));
    assert_non_null(strstr(text, "\n{\"result\":{\"summary\":{\"steps\":4},\"table\":\"steps 4\\n\",\"exit_status\":0}}\n"));
    assert_non_null(strstr(text, "\n{\"failure\":\"the disk is full\"}\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_task_ends_with_its_supervisor),
                                       cmocka_unit_test(reports_are_written_as_json_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
