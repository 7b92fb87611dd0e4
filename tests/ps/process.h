/* process.h: trireme's processes as tests of jobs start, watch, kill and wait for them.
 *
 * Nothing here sleeps to be right: a test waits for what a process says, for a task to be there or for an end, and fails with all that
 * was said when that does not come within a generous time. What a test leaves running is ended by its tear_down. */
#ifndef TESTS_PS_PROCESS_H
#define TESTS_PS_PROCESS_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "support.h"

/* What most jobs train: convex, so that it ends at the same accuracy however it went, and with batches so large that a step takes as long
 * in every build: there is time to disturb it. */
#define SOFTMAX     "softmax --data digits:4000 --batch 400 --rule sgd --rate 0.5 --schedule cosine --strategy ps "
#define ENDLESS     "--steps 100000000 " /* a job that ends when it is asked to: there is time for whatever is to happen to it */
#define SYNC_STEPS  600                  /* a second or two */
#define ASYNC_STEPS 2400
#define STRIKE      100  /* the step from which on jobs are disturbed: the first evaluation, with --eval-every 100 */
#define ACCURATE    0.87 /* less than it reaches */

typedef struct {
    pid_t pid;       /* 0: it has ended */
    char *out, *err; /* the files of what it says */
    char *log;       /* that of ps:0, of a job with --out run */
} process;

/* Start "trireme WORDS…" in the test's folder; words are separated by blanks. What it says goes to NAME.out and NAME.err there. */
process process_start(const char *folder, const char *name, const char *words, ...) __attribute__((format(printf, 3, 4)));

/* The same by way of another program that becomes it: "trireme cluster exec study host2". */
process process_start_under(const char *folder, const char *name, const char *before, const char *words, ...)
    __attribute__((format(printf, 4, 5)));

/* Wait until a file holds a text, read as often as needed. */
void await_text(const char *path, const char *text);
void await_times(const char *path, const char *text, int times); /* … so often */
int file_says_times(const char *path, const char *text);
bool file_says(const char *path, const char *text);        /* now; false where there is no file either */
void process_await(const process *self, const char *text); /* on standard error */

/* The step of the last evaluation in the log of ps:0, −1: none; --out run. And wait until that is at least step. */
int64_t process_step(const process *self);
void process_await_step(const process *self, int64_t step);

/* The step of the newest checkpoint, waited for until it is after another one; −1: any. */
int64_t await_checkpoint(const char *folder, int64_t after);

/* Wait until the worker takes part in the job whose folder is `run` in folder. */
void await_member(const char *folder, const char *task);

/* The child of a supervisor that has this task ("worker:1"), waited for; another one than `but`. */
pid_t process_task(const process *self, const char *task, pid_t but);
int process_tasks(const process *self, pid_t *pids, int most); /* all of them, now */
bool process_has_task(pid_t pid, const char *task);
bool process_lives(pid_t pid); /* a dead one whose parent has not asked does not */
void await_death(pid_t pid);

bool process_has_ended(const process *self);

/* Wait for its end; it must have exited with this status. The object that it printed last, where there is one: the caller's. */
json_t *process_end(process *self, int status);
/* Let an endless job go on for a while, and ask it to end: it does, and has learnt. Its summary, the caller's. */
json_t *process_finish(process *job);
void process_kill(process *self); /* at once, and forget it */

/* The figures of a summary add up: what workers brought is what is in the model, and all of it was done in the time that passed. before: of
 * the run that was resumed; NULL: it was not. */
void expect_books(const json_t *summary, const json_t *before);

int64_t integer_of(const json_t *summary, const char *key);
double number_of(const json_t *summary, const char *key);

/* A free port of 127.0.0.1, by the kernel's choice. */
int free_port(void);
/* "127.0.0.1:4000" of ps:0, from the cluster file of a supervised job whose folder is `run` in folder; the caller's. */
char *job_address(const char *folder);
bool can_connect(const char *host, int port);

/* For cmocka's tables: a folder as the state, and no process left behind. */
int process_set_up(void **state);
int process_tear_down(void **state);
#define PROCESS_TEST(name) cmocka_unit_test_setup_teardown(name, process_set_up, process_tear_down)

#endif
