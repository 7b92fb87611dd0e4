/* world.h: a world in one thread: a clock that only world.c moves, processes that are coroutines, and a queue of future events. A seed
 * determines the whole history, to the last switch.
 *
 * The code under test calls the C library (readv, pthread_cond_timedwait, …), which has no place for a context, so there is one world at
 * a time and it is global. */
#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_FOREVER INT64_MAX
#define SIM_MS      INT64_C(1000000)

enum {
    SIM_PLACES = 16, /* each task has a place, where one process at a time lives */
    SIM_NUMBERS = 6,
};

typedef struct sim_coroutine sim_coroutine;

typedef struct sim_process {
    char name[16];
    int place, number; /* number: differs for each process of a place, as a process id does */
    bool alive;
    int64_t frozen_until;
    int live; /* how many of its coroutines have not ended */
    struct sim_process *next;
} sim_process;

void sim_begin(uint64_t seed, bool traces); /* traces: print everything as it happens */
void sim_end(void);

int64_t sim_now(void);
void sim_pass(int64_t nanoseconds);
uint64_t sim_draw(uint64_t below); /* a random number, for delays and orders */
int64_t sim_span(int64_t least, int64_t most);

/* Calls `call` at that time, in the scheduler; it must not wait. */
void sim_at(int64_t time, void (*call)(void *context, int64_t number), void *context, int64_t number);

sim_process *sim_start(int place, const char *name, void (*body)(void *context), void *context);
sim_coroutine *sim_fork(void (*body)(void *context), void *context); /* one more thread of the running process */
void sim_kill(sim_process *process);                                 /* it never runs again */
void sim_freeze(sim_process *process, int64_t until);
sim_process *sim_process_at(int place); /* the process that lives there; NULL: none */
sim_process *sim_self(void);            /* the running process; NULL in the scheduler */
sim_coroutine *sim_current(void);
bool sim_ended(const sim_coroutine *coroutine);

/* The running coroutine waits until that time, or until it is woken; true: it was woken. why: for people. */
bool sim_wait(int64_t until, const char *why);
void sim_wake(sim_coroutine *coroutine);
void sim_join(sim_coroutine *coroutine);

/* Runs the world until over returns true, or until the time `bound`. Returns what over returned last. */
bool sim_run(int64_t bound, bool (*over)(void));

/* Notes of what happened last, for people. */
void sim_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sim_note_numbers(void (*write)(const uint64_t numbers[SIM_NUMBERS], char *text, size_t size), const uint64_t numbers[SIM_NUMBERS]);
void sim_print_notes(int most);
void sim_print_waiting(void); /* which coroutine waits for what */

#endif
