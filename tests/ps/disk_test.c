/* disk_test.c: the disk of ps:0 is full when a checkpoint is due. As in a local run, a warning names the file, the earlier checkpoint
 * stays, and training continues: there may be space again for the next one. The job fails only if its last checkpoint cannot be written.
 *
 * The disk is a small file system in memory, mounted where only this process and its children see it. That needs root. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ps/process.h"

#define TRAIN "train " SOFTMAX "--sync --workers 2 --servers 2 --checkpoint-every 50steps --json "

/* A disk of a megabyte, as the folder `disk`; `run` leads to the run's folder there. */
static void mount_disk(const char *folder)
{
    char *disk = test_path(folder, "disk"), *run = test_path(folder, "run");
    bool mounted = !mkdir(disk, 0700) && !symlink("disk/run", run) && !unshare(CLONE_NEWNS) &&
                   !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("trireme-test", disk, "tmpfs", 0, "size=1m");
    int error = errno;
    free(disk);
    free(run);
    if (!mounted) {
        print_message("skipped: no file system can be mounted here: %s\n", strerror(error));
        skip();
    }
}

static int tear_down(void **state)
{
    char *disk = test_path(*state, "disk");
    umount2(disk, MNT_DETACH);
    free(disk);
    return process_tear_down(state);
}

static void fill_disk(const char *folder)
{
    static const char block[4096];
    char *path = test_path(folder, "disk/filler");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (size_t size = sizeof block; size; size /= 2)
        while (write(fd, block, size) == (ssize_t)size)
            ;
    assert_int_equal(errno, ENOSPC);
    close(fd);
    free(path);
}

static void free_disk(const char *folder)
{
    char *path = test_path(folder, "disk/filler");
    assert_false(unlink(path));
    free(path);
}

/* Only whole checkpoints are there, at least one, and the newest can be used. */
static void expect_checkpoints(const char *folder)
{
    char *path = test_path(folder, "run/checkpoint");
    DIR *all = opendir(path);
    int count = 0;
    assert_non_null(all);
    for (const struct dirent *entry; (entry = readdir(all));) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        process check = process_start(folder, "check", "eval run/checkpoint/%s --data digits:1000 --json", entry->d_name);
        json_t *result = process_end(&check, 0);
        assert_true(number_of(result, "test_accuracy") > 0.5);
        json_decref(result);
    }
    assert_true(count > 0);
    closedir(all);
    free(path);
}

/* A job whose disk is full, and which has said so. */
static process start_and_fill(const char *folder)
{
    mount_disk(folder);
    process job = process_start(folder, "job", TRAIN ENDLESS "--eval-every 100 --out disk/run");
    process_await_step(&job, STRIKE);
    fill_disk(folder);
    process_await(&job, "ps:0: no checkpoint at step ");
    process_await(&job, "disk full");
    assert_true(file_says(job.err, "disk/run/checkpoint/step-"));
    return job;
}

/* There is space again: the job goes on until there is a newer checkpoint, and ends with one. */
static json_t *free_and_finish(const char *folder, process *job)
{
    int64_t before = await_checkpoint(folder, -1);
    free_disk(folder);
    await_checkpoint(folder, before);
    kill(job->pid, SIGINT);
    json_t *summary = process_end(job, 130);
    char last[64];
    snprintf(last, sizeof last, "step-%08d", (int)integer_of(summary, "steps"));
    assert_non_null(strstr(json_string_value(json_object_get(summary, "checkpoint")), last));
    expect_checkpoints(folder);
    return summary;
}

static void training_continues_on_a_full_disk_and_the_next_checkpoint_is_written(void **state)
{
    process job = start_and_fill(*state);
    json_decref(free_and_finish(*state, &job));
}

static void a_job_whose_last_checkpoint_cannot_be_written_fails(void **state)
{
    process job = start_and_fill(*state);
    kill(job.pid, SIGINT);
    process_await(&job, "the last checkpoint, at step ");
    json_decref(process_end(&job, 1));
    expect_checkpoints(*state);
}

/* More is lost than an interval then, and the summary says how much. */
static void a_server_that_dies_after_a_failed_checkpoint_restarts_from_the_earlier_one(void **state)
{
    process job = start_and_fill(*state);
    kill(process_task(&job, "ps:1", 0), SIGKILL);
    process_await(&job, "a server was lost: all go back to step ");
    json_t *summary = free_and_finish(*state, &job);
    assert_true(integer_of(summary, "lost_updates") > 0);
    json_decref(summary);
}

/* A file size limit of the system is reported like a full disk; it does not kill the process. */
static void a_checkpoint_beyond_the_file_size_limit_is_reported_and_training_continues(void **state)
{
    process job = process_start_under(*state, "job", "prlimit --fsize=20000", TRAIN "--steps 200 --eval-every 100 --out run");
    process_await(&job, "ps:0: no checkpoint at step 50: run/checkpoint/step-00000050.safetensors: cannot write");
    process_await(&job, "ulimit -f");
    process_await(&job, "the last checkpoint, at step 200: run/checkpoint/step-00000200.safetensors: cannot write");
    json_decref(process_end(&job, 1));
}

#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, process_set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISK_TEST(training_continues_on_a_full_disk_and_the_next_checkpoint_is_written),
        DISK_TEST(a_job_whose_last_checkpoint_cannot_be_written_fails),
        DISK_TEST(a_server_that_dies_after_a_failed_checkpoint_restarts_from_the_earlier_one),
        DISK_TEST(a_checkpoint_beyond_the_file_size_limit_is_reported_and_training_continues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
