/* folder_lock_test.c: one job at a time has a folder, whatever became of those before it. */
#include "train/folder/folder_lock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* A process that takes a lock and keeps it until *release is closed, and then for a while, in which it leaves a file. */
static pid_t start_holder(const char *folder, tri_status (*take)(const char *folder, tri__folder_lock **out), int *release)
{
    int ready[2], ends[2];
    char byte;
    assert_false(pipe(ready) || pipe(ends));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        tri__folder_lock *lock;
        char *path = test_path(folder, "written");
        close(ends[1]);
        if (take(folder, &lock) || write(ready[1], "", 1) != 1)
            _exit(1);
        ssize_t got = read(ends[0], &byte, 1);
        usleep(200000);
        test_write(path, "late", 4);
        _exit(got != 0);
    }
    close(ready[1]);
    close(ends[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *release = ends[1];
    return pid;
}

static void a_second_job_is_refused_with_the_name_of_the_process_that_has_the_folder(void **state)
{
    const char *folder = *state;
    tri__folder_lock *lock, *second;
    char host[256] = "", holder[320];
    int release;
    pid_t pid = start_holder(folder, tri__folder_lock_job, &release);
    gethostname(host, sizeof host - 1);
    snprintf(holder, sizeof holder, "process %ld on %s has its folder", (long)pid, host);
    assert_fails(tri__folder_lock_job(folder, &lock), TRI_BAD_CALL, holder);
    assert_fails(tri__folder_lock_job(folder, &lock), TRI_BAD_CALL, holder); /* asking again does not help */
    assert_null(lock);
    assert_false(kill(pid, SIGKILL));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_ok(tri__folder_lock_job(folder, &lock)); /* the lock of one that was killed is gone */
    assert_fails(tri__folder_lock_job(folder, &second), TRI_BAD_CALL, "the run is still going on"); /* within one process, too */
    tri__folder_lock_release(lock);
    assert_ok(tri__folder_lock_job(folder, &lock));
    tri__folder_lock_release(lock);
    close(release);
}

static void tasks_share_the_folder_of_their_supervisor(void **state)
{
    const char *folder = *state;
    tri__folder_lock *job, *first, *second;
    assert_ok(tri__folder_lock_job(folder, &job));
    assert_ok(tri__folder_lock_task(folder, &first));
    assert_ok(tri__folder_lock_task(folder, &second));
    tri__folder_lock_release(first);
    tri__folder_lock_release(second);
    tri__folder_lock_release(job);
    tri__folder_lock_release(NULL);
}

/* The supervisor was killed, and its task has not ended yet. */
static void a_new_job_waits_for_the_tasks_of_an_earlier_job(void **state)
{
    const char *folder = *state;
    tri__folder_lock *lock;
    int release, status;
    pid_t pid = start_holder(folder, tri__folder_lock_task, &release);
    close(release); /* it writes something yet, and ends */
    assert_ok(tri__folder_lock_job(folder, &lock));
    char *path = test_path(folder, "written");
    struct stat there;
    assert_false(stat(path, &there));
    free(path);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    tri__folder_lock_release(lock);
}

static void a_folder_that_does_not_exist_cannot_be_locked(void **state)
{
    (void)state;
    tri__folder_lock *lock;
    assert_fails(tri__folder_lock_job("no/such/folder", &lock), TRI_NOT_FOUND, "no/such/folder/lock: cannot write: No such file");
}

static void a_full_disk_is_told_with_advice(void **state)
{
    tri__folder_lock *lock;
    test_limit_files(0);
    tri_status failure = tri__folder_lock_job(*state, &lock);
    test_limit_files(-1);
    assert_fails(failure, TRI_IO, "/lock: cannot write: File too large (the system limits the size of files");
}

#define TEST(name) FOLDER_TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_second_job_is_refused_with_the_name_of_the_process_that_has_the_folder),
        TEST(tasks_share_the_folder_of_their_supervisor),
        TEST(a_new_job_waits_for_the_tasks_of_an_earlier_job),
        TEST(a_folder_that_does_not_exist_cannot_be_locked),
        TEST(a_full_disk_is_told_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
