/* support.c: helpers of the tests. Processes are spawned, never forked bare, and write to unlinked files: no pipe to fill up. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *need(void *pointer, const char *what)
{
    if (!pointer)
        fail_msg("%s: %s", what, strerror(errno));
    return pointer;
}

char *test_folder_create(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/trireme-test-XXXXXX", parent && *parent ? parent : "/tmp") < 0)
        fail_msg("out of memory");
    return need(mkdtemp(folder), folder);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

/* TEST_KEEP=1 leaves a test's folder where it is, to be looked at. */
void test_folder_remove(char *folder)
{
    const char *keep = getenv("TEST_KEEP");
    if (folder && keep && *keep)
        print_message("kept: %s\n", folder);
    else if (folder && nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
        print_error("%s: cannot be removed: %s\n", folder, strerror(errno));
    free(folder);
}

int test_folder_set_up(void **state)
{
    *state = test_folder_create();
    return 0;
}

int test_folder_tear_down(void **state)
{
    test_folder_remove(*state);
    return 0;
}

char *test_path(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        fail_msg("out of memory");
    return path;
}

void test_write(const char *path, const void *data, size_t size)
{
    FILE *file = need(fopen(path, "wb"), path);
    size_t written = size ? fwrite(data, 1, size, file) : 0;
    if (fclose(file) || written != size)
        fail_msg("%s: cannot be written: %s", path, strerror(errno));
}

/* From where the file stands to its end; closes it. */
static char *read_all(FILE *file, size_t *size)
{
    size_t used = 0, capacity = 4096;
    char *text = need(malloc(capacity), "reading");
    for (size_t got; (got = fread(text + used, 1, capacity - used - 1, file)) > 0;) {
        used += got;
        if (capacity - used < 2)
            text = need(realloc(text, capacity *= 2), "reading");
    }
    text[used] = 0;
    fclose(file);
    if (size)
        *size = used;
    return text;
}

char *test_read(const char *path, size_t *size)
{
    return read_all(need(fopen(path, "rb"), path), size);
}

void test_limit_files(int64_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, bytes < 0 ? SIG_DFL : SIG_IGN);
}

static pid_t spawn(const char *folder, const char *const *arguments, FILE *out, FILE *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    if (folder)
        posix_spawn_file_actions_addchdir_np(&actions, folder);
    pid_t pid = 0;
    int error = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        fail_msg("%s: cannot be started: %s", arguments[0], strerror(error));
    return pid;
}

test_result test_run(const char *folder, const char *const *arguments)
{
    FILE *out = need(tmpfile(), "tmpfile"), *err = need(tmpfile(), "tmpfile");
    pid_t pid = spawn(folder, arguments, out, err);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            fail_msg("%s: cannot be waited for: %s", arguments[0], strerror(errno));
    rewind(out);
    rewind(err);
    return (test_result){
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = read_all(out, NULL),
        .err = read_all(err, NULL),
    };
}

void test_result_fini(test_result *result)
{
    free(result->out);
    free(result->err);
    *result = (test_result){0};
}

void test_ok(tri_status status, const char *file, int line)
{
    if (!status)
        return;
    print_error("failed with %s: %s\n", tri_code_name(tri_status_code(status)), tri_status_message(status));
    tri_status_free(status);
    _fail(file, line);
}

void test_fails(tri_status status, tri_code code, const char *text, const char *file, int line)
{
    bool right = tri_status_code(status) == code && (!text || strstr(tri_status_message(status), text));
    if (!right)
        print_error("expected %s with \"%s\", got %s: %s\n", tri_code_name(code), text ? text : "", tri_code_name(tri_status_code(status)),
                    tri_status_message(status));
    tri_status_free(status);
    if (!right)
        _fail(file, line);
}
