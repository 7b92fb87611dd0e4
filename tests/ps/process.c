/* process.c: processes of a job, by fork-free spawning, /proc and files. */
#define _GNU_SOURCE
#include "ps/process.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "train/checkpoint/checkpoint_read.h"

extern char **environ;

enum { DEADLINE = 600, MOST_WORDS = 64, MOST_RUNNING = 64, MOST_TASKS = 64, TEXT = 4096 };

static pid_t running[MOST_RUNNING];

static void remember(pid_t pid, pid_t instead)
{
    for (int i = 0; i < MOST_RUNNING; i++)
        if (running[i] == instead) {
            running[i] = pid;
            return;
        }
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A generous time to wait for something. What passes while this process does not run itself counts for a second at most: whatever is waited
 * for may have been stopped as well, with all of the machine. */
typedef struct {
    double left, looked;
} patience;

static patience patience_begin(void)
{
    return (patience){.left = DEADLINE, .looked = seconds_now()};
}

/* Wait a little before the next look; false: for long enough. */
static bool patience_lasts(patience *self)
{
    pause_briefly();
    double now = seconds_now(), passed = now - self->looked;
    self->left -= passed < 1 ? passed : 1;
    self->looked = now;
    return self->left > 0;
}

static int split(char *text, const char **words)
{
    int count = 0;
    char *save = NULL;
    for (char *word = strtok_r(text, " ", &save); word && count < MOST_WORDS - 1; word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static char *path_of(const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s.%s", folder, name, ending) < 0)
        fail_msg("out of memory");
    return path;
}

/* A process that ignores SIGHUP would go on ignoring it, as trireme does under nohup. The tests themselves may run under nohup. */
static void hang_up_by_default(posix_spawnattr_t *attributes)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigdefault(attributes, &signals);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* text: the words of the command, in a buffer of its own. */
static process launch(const char *folder, const char *name, char *text)
{
    const char *arguments[MOST_WORDS];
    split(text, arguments);
    process started = {
        .out = path_of(folder, name, "out"), .err = path_of(folder, name, "err"), .log = test_path(folder, "run/log/ps-0.txt")};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, started.out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, started.err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawnattr_t attributes;
    hang_up_by_default(&attributes);
    int error = posix_spawnp(&started.pid, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        fail_msg("%s: %s", arguments[0], strerror(error));
    remember(started.pid, 0);
    return started;
}

process process_start(const char *folder, const char *name, const char *words, ...)
{
    char text[TEXT] = TEST_BINARY " ";
    size_t used = strlen(text);
    va_list list;
    va_start(list, words);
    vsnprintf(text + used, sizeof text - used, words, list);
    va_end(list);
    return launch(folder, name, text);
}

process process_start_under(const char *folder, const char *name, const char *before, const char *words, ...)
{
    char text[TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s " TEST_BINARY " ", before);
    va_list list;
    va_start(list, words);
    vsnprintf(text + used, sizeof text - used, words, list);
    va_end(list);
    return launch(folder, name, text);
}

/* ---- what was said ---- */

static char *read_if_there(const char *path)
{
    return !path || access(path, R_OK) ? NULL : test_read(path, NULL);
}

bool file_says(const char *path, const char *text)
{
    char *all = read_if_there(path);
    bool found = all && strstr(all, text);
    free(all);
    return found;
}

static void tell(const char *path)
{
    char *all = read_if_there(path);
    fprintf(stderr, "%s:\n%s\n", path, all ? all : "(is not there)"); /* print_error cuts long texts short */
    free(all);
}

void await_text(const char *path, const char *text)
{
    patience waiting = patience_begin();
    while (!file_says(path, text))
        if (!patience_lasts(&waiting)) {
            tell(path);
            fail_msg("%s: waited in vain for: %s", path, text);
        }
}

int file_says_times(const char *path, const char *text)
{
    if (!file_says(path, text))
        return 0;
    int times = 0;
    char *said = test_read(path, NULL);
    for (const char *at = said; (at = strstr(at, text)); at += strlen(text))
        times++;
    free(said);
    return times;
}

void await_times(const char *path, const char *text, int times)
{
    patience waiting = patience_begin();
    while (file_says_times(path, text) < times)
        if (!patience_lasts(&waiting)) {
            tell(path);
            fail_msg("%s: waited in vain for %d times: %s", path, times, text);
        }
}

bool process_has_ended(const process *self)
{
    siginfo_t info = {0};
    return !waitid(P_PID, (id_t)self->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == self->pid;
}

/* Once more after its end: what it said last counts. */
static void vain(const process *self, const char *what)
{
    tell(self->out);
    tell(self->err);
    fail_msg("waited in vain for: %s", what);
}

void process_await(const process *self, const char *text)
{
    patience waiting = patience_begin();
    for (bool ended = false; !file_says(self->err, text); ended = process_has_ended(self))
        if (ended || !patience_lasts(&waiting))
            vain(self, text);
}

/* Steps are told with commas: "step 1,500   loss …". */
static int64_t read_step(const char *text)
{
    int64_t step = 0;
    for (; isdigit((unsigned char)*text) || *text == ','; text++)
        step = *text == ',' ? step : step * 10 + (*text - '0');
    return step;
}

/* The end of a file, which may be a long one. */
static void read_end(const char *path, char text[TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    ssize_t got = fd < 0 ? 0 : pread(fd, text, TEXT - 1, size < TEXT ? 0 : size - (TEXT - 1));
    text[got > 0 ? got : 0] = 0;
    if (fd >= 0)
        close(fd);
}

int64_t process_step(const process *self)
{
    char text[TEXT];
    int64_t last = -1;
    read_end(self->log, text);
    for (const char *at = text; (at = strstr(at, "step ")); at += 5)
        if (isdigit((unsigned char)at[5]) && strstr(at, "test loss"))
            last = read_step(at + 5);
    return last;
}

void process_await_step(const process *self, int64_t step)
{
    patience waiting = patience_begin();
    for (bool ended = false; process_step(self) < step; ended = process_has_ended(self))
        if (ended || !patience_lasts(&waiting))
            vain(self, "a step");
}

int64_t await_checkpoint(const char *folder, int64_t after)
{
    char *path = test_path(folder, "run/checkpoint");
    patience waiting = patience_begin();
    int64_t newest;
    while ((newest = tri__checkpoint_newest(path)) <= after)
        if (!patience_lasts(&waiting))
            fail_msg("%s: no checkpoint after step %d", path, (int)after);
    free(path);
    return newest;
}

void await_member(const char *folder, const char *task)
{
    char *log = test_path(folder, "run/log/ps-0.txt"), text[64];
    snprintf(text, sizeof text, "%s takes part", task);
    await_text(log, text);
    free(log);
}

/* ---- tasks ---- */

bool process_has_task(pid_t pid, const char *task)
{
    char path[64], words[TEXT];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, words, sizeof words - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    words[size] = 0;
    for (const char *word = words; word < words + size; word += strlen(word) + 1)
        if (!strcmp(word, task))
            return true;
    return false;
}

/* From /proc/PID/stat: "pid (name) state parent …". */
static char state_of(pid_t pid, pid_t *parent)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC), number = 0;
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return 0;
    text[size] = 0;
    char state = 0, *end = strrchr(text, ')');
    if (!end || sscanf(end + 1, " %c %d", &state, &number) != 2)
        return 0;
    *parent = number;
    return state;
}

static int children_of(pid_t parent, pid_t *pids, int most)
{
    DIR *folder = opendir("/proc");
    int count = 0;
    for (const struct dirent *entry; folder && count < most && (entry = readdir(folder));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10), self = 0;
        char state = pid > 0 ? state_of(pid, &self) : 0;
        if (state && state != 'Z' && self == parent)
            pids[count++] = pid;
    }
    if (folder)
        closedir(folder);
    return count;
}

int process_tasks(const process *self, pid_t *pids, int most)
{
    return children_of(self->pid, pids, most);
}

pid_t process_task(const process *self, const char *task, pid_t but)
{
    patience waiting = patience_begin();
    for (;;) {
        pid_t pids[MOST_TASKS];
        int count = process_tasks(self, pids, MOST_TASKS);
        for (int i = 0; i < count; i++)
            if (pids[i] != but && process_has_task(pids[i], task))
                return pids[i];
        if (!patience_lasts(&waiting)) {
            tell(self->err);
            fail_msg("there is no %s", task);
        }
    }
}

bool process_lives(pid_t pid)
{
    pid_t parent;
    char state = state_of(pid, &parent);
    return state && state != 'Z';
}

void await_death(pid_t pid)
{
    patience waiting = patience_begin();
    while (process_lives(pid))
        if (!patience_lasts(&waiting))
            fail_msg("process %d is still there", (int)pid);
}

/* ---- the end ---- */

static int wait_for(const process *self)
{
    patience waiting = patience_begin();
    int status;
    while (waitpid(self->pid, &status, WNOHANG) == 0)
        if (!patience_lasts(&waiting)) {
            tell(self->err);
            fail_msg("process %d does not end", (int)self->pid);
        }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static json_t *last_object(const char *path)
{
    char *all = read_if_there(path);
    size_t length = all ? strlen(all) : 0;
    while (length && all[length - 1] == '\n')
        all[--length] = 0;
    char *line = all ? strrchr(all, '\n') : NULL;
    json_t *object = all ? json_loads(line ? line + 1 : all, 0, NULL) : NULL;
    free(all);
    return object;
}

static void forget(process *self)
{
    free(self->out);
    free(self->err);
    free(self->log);
    *self = (process){0};
}

json_t *process_end(process *self, int status)
{
    int ended = wait_for(self);
    remember(0, self->pid);
    if (ended != status) {
        tell(self->out);
        tell(self->err);
        fail_msg("it ended with %d instead of %d", ended, status);
    }
    json_t *object = last_object(self->out);
    forget(self);
    return object;
}

json_t *process_finish(process *job)
{
    process_await_step(job, process_step(job) + 1000);
    kill(job->pid, SIGINT);
    json_t *summary = process_end(job, 130);
    assert_true(number_of(summary, "test_accuracy") > ACCURATE);
    return summary;
}

static void kill_with_children(pid_t pid)
{
    pid_t pids[MOST_TASKS];
    int count = children_of(pid, pids, MOST_TASKS);
    kill(pid, SIGKILL);
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGKILL);
    waitpid(pid, NULL, 0);
}

void process_kill(process *self)
{
    kill(self->pid, SIGKILL);
    wait_for(self);
    remember(0, self->pid);
    forget(self);
}

int process_set_up(void **state)
{
    return test_folder_set_up(state);
}

int process_tear_down(void **state)
{
    for (int i = 0; i < MOST_RUNNING; i++)
        if (running[i]) {
            kill_with_children(running[i]);
            running[i] = 0;
        }
    return test_folder_tear_down(state);
}

/* ---- small things ---- */

int64_t integer_of(const json_t *summary, const char *key)
{
    const json_t *value = json_object_get(summary, key);
    if (!json_is_integer(value))
        fail_msg("the summary has no whole number %s", key);
    return json_integer_value(value);
}

double number_of(const json_t *summary, const char *key)
{
    const json_t *value = json_object_get(summary, key);
    if (!json_is_number(value))
        fail_msg("the summary has no number %s", key);
    return json_number_value(value);
}

void expect_books(const json_t *summary, const json_t *before)
{
    int64_t since = before ? integer_of(before, "steps") : 0, all = integer_of(summary, "steps") - since, steps = 0;
    int64_t examples = integer_of(summary, "examples_before");
    assert_int_equal(examples, before ? integer_of(before, "examples") : 0);
    const json_t *rows = json_object_get(summary, "worker_stats");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        int64_t own = integer_of(json_array_get(rows, i), "steps");
        assert_true(own <= all);
        assert_int_equal(integer_of(json_array_get(rows, i), "since_step"), since);
        steps += own;
        examples += integer_of(json_array_get(rows, i), "examples");
    }
    assert_int_equal(examples, integer_of(summary, "examples"));
    if (strcmp(json_string_value(json_object_get(summary, "mode")), "sync") != 0)
        assert_int_equal(steps, all);
    else
        assert_true(steps >= all);
    assert_true(number_of(summary, "total_seconds") >= number_of(summary, "seconds"));
}

int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || getsockname(fd, (struct sockaddr *)&address, &size))
        fail_msg("no free port: %s", strerror(errno));
    close(fd);
    return ntohs(address.sin_port);
}

char *job_address(const char *folder)
{
    char *path = test_path(folder, "run/cluster.yaml");
    await_text(path, "worker");
    char *text = test_read(path, NULL), *at = strstr(text, "127.0.0.1:");
    assert_non_null(at);
    char *address = strndup(at, strspn(at, "0123456789.:"));
    free(text);
    free(path);
    return address;
}

bool can_connect(const char *host, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && inet_pton(AF_INET, host, &address.sin_addr) == 1);
    bool connected = !connect(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
    return connected;
}
