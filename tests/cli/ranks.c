/* ranks.c: runs in the background, found by their folder. */
#define _GNU_SOURCE
#include "cli/ranks.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch/sample/consumption.h"

enum { POLLS = 6000 }; /* a minute's, however long this process is stopped meanwhile */

static bool has_mpirun(void)
{
    test_result result = test_run(NULL, (const char *[]){"sh", "-c", "command -v mpirun", NULL});
    bool there = result.status == 0;
    test_result_fini(&result);
    return there;
}

tri__checkpoint *ranks_newest(const char *here, const char *name)
{
    char *folder = test_path(here, name);
    tri__checkpoint *checkpoint;
    assert_ok(tri__checkpoint_open(folder, NULL, &checkpoint));
    free(folder);
    return checkpoint;
}

double ranks_distance(const char *here, const char *a, const char *b)
{
    tri__checkpoint *one = ranks_newest(here, a), *other = ranks_newest(here, b);
    assert_int_equal(one->state.position, other->state.position);
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
    return ranks_distance_of_steps(here, a, b);
}

double ranks_distance_of_steps(const char *here, const char *a, const char *b)
{
    tri__checkpoint *one = ranks_newest(here, a), *other = ranks_newest(here, b);
    double apart = 0, size = 0;
    assert_int_equal(one->state.step, other->state.step);
    for (size_t i = 0; i < tri__safetensors_count(one->file); i++) {
        const tri__named_tensor *x = tri__safetensors_at(one->file, i), *y = tri__safetensors_at(other->file, i);
        const float *p = x->tensor.data, *q = y->tensor.data;
        for (int64_t k = 0; k < tri_shape_count(x->tensor.shape); k++) {
            apart += (double)(p[k] - q[k]) * (p[k] - q[k]);
            size += (double)p[k] * p[k];
        }
    }
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
    return sqrt(apart / size);
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

pid_t ranks_start(const char *here, const char *const *arguments)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    if (chdir(here) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
        _exit(127);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

int64_t ranks_await_checkpoint(const char *here, const char *name, int64_t after)
{
    char *folder = test_path(here, name), *checkpoints = test_path(folder, "checkpoint");
    int64_t step = tri__checkpoint_newest(checkpoints);
    for (int i = 0; i < POLLS && step <= after; i++) {
        pause_briefly();
        step = tri__checkpoint_newest(checkpoints);
    }
    assert_true(step > after);
    free(checkpoints);
    free(folder);
    return step;
}

static bool is_rank(const char *pid, const char *here)
{
    char path[300], line[4096] = "", place[300];
    snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%.20s/cwd", pid);
    ssize_t length = readlink(path, place, sizeof place - 1);
    place[length > 0 ? length : 0] = 0;
    return got && !strcmp(place, here) && memmem(line, got, "--spawned", 10) && !strcmp(line, TEST_BINARY);
}

/* The last of them; all get the signal; 0: none. */
static pid_t find(const char *here, int signal)
{
    DIR *all = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && is_rank(entry->d_name, here)) {
            found = (pid_t)atoi(entry->d_name);
            kill(found, signal);
        }
    closedir(all);
    return found;
}

pid_t ranks_find(const char *here)
{
    return find(here, 0);
}

void ranks_await_none(const char *here)
{
    for (int i = 0; i < POLLS && ranks_find(here); i++)
        pause_briefly();
    assert_int_equal(ranks_find(here), 0);
}

pid_t ranks_mpirun(const char *here)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)ranks_find(here));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t got = fread(line, 1, sizeof line - 1, file);
    assert_true(got > 0);
    fclose(file);
    int parent = 0;
    assert_int_equal(sscanf(strrchr(line, ')'), ") %*c %d", &parent), 1);
    return parent;
}

void ranks_signal(const char *here, int signal)
{
    assert_true(find(here, signal) > 0);
}

int ranks_end(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *said_by(const char *here)
{
    char *path = test_path(here, "err"), *said = test_read(path, NULL);
    free(path);
    return said;
}

void ranks_assert_said(const char *here, const char *text)
{
    char *said = said_by(here);
    if (!strstr(said, text))
        fail_msg("said:\n%s", said);
    free(said);
}

void ranks_await_said(const char *here, const char *text)
{
    char *said = said_by(here);
    for (int i = 0; i < POLLS && !strstr(said, text); i++) {
        pause_briefly();
        free(said);
        said = said_by(here);
    }
    free(said);
    ranks_assert_said(here, text);
}

bool ranks_can_run(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    setenv("TSAN_OPTIONS", "suppressions=" TEST_SOURCE "/tests/openmpi.supp", 1);
    if (has_mpirun())
        return true;
    print_message("mpirun is not installed (Debian: apt install openmpi-bin): nothing is tested\n");
    return false;
}

static const tri__peer_sum *peer_of(const tri__consumption *all, const char *task, const char *peer)
{
    for (int i = 0; i < all->tasks; i++)
        for (int j = 0; !strcmp(all->task[i].name, task) && j < all->task[i].peers; j++)
            if (!strcmp(all->task[i].peer[j].name, peer))
                return &all->task[i].peer[j];
    fail_msg("%s counted nothing of %s", task, peer);
    return NULL;
}

int ranks_pairs(const char *here, const char *run)
{
    char name[64];
    snprintf(name, sizeof name, "%s/samples", run);
    char *samples = test_path(here, name);
    tri__consumption all;
    int pairs = 0;
    assert_ok(tri__consumption_read(samples, 0, &all));
    for (int i = 0; i < all.tasks; i++)
        for (int j = 0; j < all.task[i].peers; j++, pairs++) {
            const tri__peer_sum *mine = &all.task[i].peer[j], *theirs = peer_of(&all, mine->name, all.task[i].name);
            assert_true(mine->sent + mine->received > 0);
            assert_true(mine->sent == theirs->received && mine->received == theirs->sent);
        }
    tri__consumption_fini(&all);
    free(samples);
    return pairs;
}
