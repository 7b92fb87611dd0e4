/* run_folder_test.c: run folders are claimed by making them, and their log has a time on every line. */
#include "train/folder/run_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "support.h"
#include "train/folder/log_file.h"

/* Run folders without a name of their own are made where the process is. */
static int enter(void **state)
{
    *state = test_folder_create();
    return chdir(*state);
}

static int leave(void **state)
{
    int left = chdir("/");
    test_folder_remove(*state);
    return left;
}

static void run_folders_are_numbered_and_never_shared(void **state)
{
    (void)state;
    tri__run_folder first, second;
    assert_ok(tri__run_folder_create(NULL, "lenet", "worker-0", &first));
    assert_ok(tri__run_folder_create(NULL, "lenet", "worker-0", &second));
    assert_memory_equal(first.path, "runs/lenet-", 11);
    assert_string_equal(first.path + strlen(first.path) - 2, "-1");
    assert_string_equal(second.path + strlen(second.path) - 2, "-2");
    assert_true(tri__folder_exists(first.checkpoints));
    assert_fails(tri__run_folder_check(first.path), TRI_BAD_CALL, "a new run needs a new folder");
    tri__run_folder_fini(&first);
    tri__run_folder_fini(&second);
}

static void a_folder_is_opened_by_one_run_at_a_time_and_entered_by_its_tasks(void **state)
{
    (void)state;
    tri__run_folder first, task, again, none;
    assert_ok(tri__run_folder_create("here", "lenet", "supervisor", &first));
    assert_ok(tri__run_folder_enter("here", "ps-0", &task));
    assert_string_equal(task.summary, first.summary);
    assert_fails(tri__run_folder_open("here", "worker-0", &again), TRI_BAD_CALL, "--resume: here: the run is still going on");
    tri__run_folder_fini(&task);
    tri__run_folder_fini(&first);
    assert_ok(tri__run_folder_open("here", "worker-0", &again));
    tri__run_folder_fini(&again);
    assert_fails(tri__run_folder_open("nowhere", "worker-0", &none), TRI_NOT_FOUND, "nowhere");
    assert_fails(tri__run_folder_open("here/checkpoint", "worker-0", &none), TRI_BAD_CALL, "give the run's own folder");
}

static void commands_are_appended_to_the_command_file(void **state)
{
    (void)state;
    tri__run_folder folder;
    assert_ok(tri__run_folder_create("here/", "lenet", "worker-0", &folder));
    assert_string_equal(folder.path, "here");
    assert_ok(tri__run_folder_note(&folder, "one"));
    assert_ok(tri__run_folder_note(&folder, "two"));
    char *text = test_read(folder.command, NULL);
    assert_string_equal(text, "one\ntwo\n");
    free(text);
    const tri__run_folder full = {.command = (char[]){"/dev/full"}};
    assert_fails(tri__run_folder_note(&full, "three"), TRI_IO,
                 "/dev/full: cannot write: No space left on device (disk full: free some space");
    tri__run_folder_fini(&folder);
}

typedef struct {
    tri__log log;
    int lines;
} counter;

static void count_line(tri__log *log, tri__log_level level, const char *line)
{
    (void)level, (void)line;
    ((counter *)log)->lines++;
}

static void a_log_file_keeps_all_lines_and_hands_on_those_of_level_info_and_above(void **state)
{
    (void)state;
    counter next = {.log = {.write = count_line, .least = TRI_LOG_INFO}};
    tri__log_file *file;
    assert_ok(tri__log_file_create("log.txt", &next.log, &file));
    tri__log_line(tri__log_file_sink(file), TRI_LOG_DEBUG, "quiet");
    tri__log_line(tri__log_file_sink(file), TRI_LOG_WARNING, "loud");
    tri__log_file_note(file, TRI_LOG_ERROR, "between us");
    tri__log_file_destroy(file);
    assert_int_equal(next.lines, 1);
    char *text = test_read("log.txt", NULL);
    assert_non_null(strstr(text, "  quiet\n"));
    assert_non_null(strstr(text, "  warning: loud\n"));
    assert_non_null(strstr(text, "  error: between us\n"));
    free(text);
    assert_fails(tri__log_file_create("no/such/folder.txt", NULL, &file), TRI_NOT_FOUND, "no/such/folder.txt");
    assert_fails(tri__log_file_create("/", NULL, &file), TRI_IO, "/: cannot write: Is a directory (it is a folder)");
}

static void a_folder_is_told_from_another_one_under_the_same_path(void **state)
{
    (void)state;
    tri__folder_identity identity, none;
    tri__run_folder folder;
    assert_ok(tri__run_folder_create("a", "lenet", "worker-0", &folder));
    tri__run_folder_identify("a", &none); /* it has no file `command` yet */
    assert_false(*none.path || tri__run_folder_is(&none));
    assert_ok(tri__run_folder_note(&folder, "trireme train lenet"));
    tri__run_folder_identify("a", &identity);
    assert_true(identity.path[0] == '/' && tri__run_folder_is(&identity));
    assert_int_equal(rename("a", "b"), 0);
    assert_false(tri__run_folder_is(&identity));
    tri__run_folder_fini(&folder);
    assert_ok(tri__run_folder_create("a", "lenet", "worker-0", &folder));
    assert_ok(tri__run_folder_note(&folder, "trireme train lenet"));
    assert_false(tri__run_folder_is(&identity));
    tri__run_folder_fini(&folder);
}

#define INSIDE_TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INSIDE_TEST(a_folder_is_told_from_another_one_under_the_same_path),
        INSIDE_TEST(run_folders_are_numbered_and_never_shared),
        INSIDE_TEST(a_folder_is_opened_by_one_run_at_a_time_and_entered_by_its_tasks),
        INSIDE_TEST(commands_are_appended_to_the_command_file),
        INSIDE_TEST(a_log_file_keeps_all_lines_and_hands_on_those_of_level_info_and_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
