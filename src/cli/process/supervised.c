/* companion.c: a thread waits for the process, and starts it again where it died. */
#define _GNU_SOURCE
#include "cli/process/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/condition.h"
#include "base/memory.h"

#define SECOND   INT64_C(1000000000)
#define PATIENCE (3 * SECOND)  /* for it to end, each time that it is given another reason to */
#define WINDOW   (60 * SECOND) /* who has lived for that long may die again */

enum { MOST_RESTARTS = 3 }; /* one soon after the other */

struct tri__companion {
    const char *name;
    char *program, **argv;
    int farewell;
    tri__log *log;
    int life[2]; /* a pipe that nobody writes to */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pid_t pid;           /* under the lock, as all that follows; 0: it has ended, and is not started again */
    int64_t started;     /* when */
    int restarts;        /* since it last lived for long */
    bool ending, closed; /* it is to end; life's writing end is closed */
};

/* In a process group of its own, so that Ctrl-C is for us alone to hear. */
static tri_status spawn(tri__companion *self)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, self->life[0], TRI_COMPANION_FD);
    int error = posix_spawn(&self->pid, self->program, &files, &attributes, self->argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    self->started = tri__clock_now();
    if (!error)
        return NULL;
    self->pid = 0;
    return tri_fail(TRI_IO, "%s cannot be started: %s", self->name, strerror(error));
}

/* It has died: start it again, unless it would only die again. */
static void revive(tri__companion *self, int status)
{
    char how[64];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "failed with exit status %d", WEXITSTATUS(status));
    self->restarts = tri__clock_now() - self->started > WINDOW ? 1 : self->restarts + 1;
    self->pid = 0;
    if (self->restarts > MOST_RESTARTS) {
        tri__log_line(self->log, TRI_LOG_WARNING, "%s %s, and is not started a %dth time", self->name, how, MOST_RESTARTS + 2);
        return;
    }
    tri__log_line(self->log, TRI_LOG_WARNING, "%s %s; it is started again", self->name, how);
    tri_status failure = spawn(self);
    if (failure)
        tri__log_line(self->log, TRI_LOG_WARNING, "%s", tri_status_message(failure));
    tri_status_free(failure);
}

static void *watch(void *context)
{
    tri__companion *self = context;
    pthread_mutex_lock(&self->lock);
    while (self->pid) {
        pid_t pid = self->pid;
        siginfo_t info;
        int status = 0;
        pthread_mutex_unlock(&self->lock);
        while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
            continue;
        pthread_mutex_lock(&self->lock); /* until it is reaped under the lock, its number is nobody else's */
        waitpid(pid, &status, 0);
        if (self->ending || status == 0)
            self->pid = 0;
        else
            revive(self, status);
        if (!self->pid && status)
            kill(getpid(), self->farewell);
        pthread_cond_signal(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void clear(tri__companion *self)
{
    for (char **word = self->argv; word && *word; word++)
        free(*word);
    free(self->argv);
    free(self->program);
    close(self->life[0]);
    if (!self->closed)
        close(self->life[1]);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static tri_status copy_words(tri__companion *self, const char *program, const char *const *argv)
{
    size_t count = 0;
    while (argv[count])
        count++;
    TRI_TRY(tri__allocate(count + 1, sizeof *self->argv, "a command line", &self->argv));
    bool fine = (self->program = strdup(program)) != NULL;
    for (size_t i = 0; i < count && fine; i++)
        fine = (self->argv[i] = strdup(argv[i])) != NULL;
    return fine ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a command line");
}

tri_status tri__companion_start(const char *name, const char *program, const char *const *argv, int farewell, tri__log *log,
                                tri__companion **out)
{
    int life[2];
    tri__companion *self = NULL;
    *out = NULL;
    if (pipe2(life, O_CLOEXEC))
        return tri_fail(TRI_IO, "no pipe to %s: %s", name, strerror(errno));
    tri_status status = tri__allocate(1, sizeof *self, "a companion", &self);
    if (status) {
        close(life[0]);
        close(life[1]);
        return status;
    }
    *self = (tri__companion){.name = name, .farewell = farewell, .log = log, .life = {life[0], life[1]}};
    pthread_mutex_init(&self->lock, NULL);
    tri__condition_init(&self->changed);
    status = copy_words(self, program, argv);
    if (!status)
        status = spawn(self);
    if (!status && pthread_create(&self->thread, NULL, watch, self)) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, NULL, 0);
        status = tri_fail(TRI_IO, "no thread to watch %s", name);
    }
    if (status)
        clear(self);
    else
        *out = self;
    return status;
}

/* The lock is held. Whether it ends soon. */
static bool ends_soon(tri__companion *self)
{
    int64_t deadline = tri__clock_now() + PATIENCE;
    while (self->pid && tri__clock_now() < deadline)
        tri__condition_wait(&self->changed, &self->lock, deadline);
    return self->pid == 0;
}

void tri__companion_end(tri__companion *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->ending = true;
    bool ended = ends_soon(self);
    self->closed = true;
    close(self->life[1]);
    if (!ended && !ends_soon(self))
        kill(self->pid, SIGKILL);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    clear(self);
}
