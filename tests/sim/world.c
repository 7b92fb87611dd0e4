/* world.c: switches coroutines, orders events, and notes what happened. */
#define _GNU_SOURCE
#include "sim/world.h"

#include <assert.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK = 256 << 10, NOTES = 4096, NOTE_SIZE = 200, MOST_STACKS = 256 };

/* A note of what happened: text, or numbers that become text when the note is printed. */
typedef struct {
    int64_t time;
    char who[16];
    void (*write)(const uint64_t numbers[SIM_NUMBERS], char *text, size_t size);
    uint64_t numbers[SIM_NUMBERS];
    char text[NOTE_SIZE];
} note;

struct sim_coroutine {
    ucontext_t context; /* for its first switch; later switches are jumps, which need no system call as swapcontext does */
    jmp_buf place;
    bool begun;
    void *stack;
    void (*body)(void *context);
    void *argument;
    sim_process *process;
    sim_coroutine *next;
    uint64_t ticket; /* rises with every switch, so that a wake-up for an earlier wait is ignored */
    bool waiting, woken, ended;
    int64_t until;
    const char *why;
    sim_coroutine *joined_by;
};

typedef struct {
    int64_t time;
    uint64_t order;
    void (*call)(void *context, int64_t number);
    void *context;
    int64_t number;
} event;

static struct {
    int64_t now;
    uint64_t random, orders;
    event *heap;
    size_t count, capacity;
    sim_coroutine *coroutines, *current;
    sim_process *processes, *at[SIM_PLACES];
    int numbers;
    ucontext_t scheduler;
    jmp_buf scheduler_place;
    bool traces;
    note *notes;
    int noted;
    void *stacks[MOST_STACKS];
    int spare_stacks;
#if defined(__SANITIZE_ADDRESS__)
    const void *scheduler_stack;
    size_t scheduler_size;
#endif
} world;

/* ---- time and chance ---- */

int64_t sim_now(void)
{
    return world.now;
}

void sim_pass(int64_t nanoseconds)
{
    world.now += nanoseconds;
}

uint64_t sim_draw(uint64_t below)
{
    uint64_t z = (world.random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return below ? z % below : 0;
}

int64_t sim_span(int64_t least, int64_t most)
{
    return least + (int64_t)sim_draw((uint64_t)(most - least + 1));
}

/* ---- what is to happen ---- */

static bool is_before(const event *a, const event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void sim_at(int64_t time, void (*call)(void *context, int64_t number), void *context, int64_t number)
{
    if (world.count == world.capacity) {
        world.capacity = world.capacity ? 2 * world.capacity : 1024;
        world.heap = realloc(world.heap, world.capacity * sizeof *world.heap);
    }
    const event one = {time > world.now ? time : world.now, world.orders++, call, context, number};
    size_t at = world.count++;
    for (; at > 0 && is_before(&one, &world.heap[(at - 1) / 2]); at = (at - 1) / 2)
        world.heap[at] = world.heap[(at - 1) / 2];
    world.heap[at] = one;
}

static event pop(void)
{
    event first = world.heap[0], last = world.heap[--world.count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < world.count && is_before(&world.heap[child + 1], &world.heap[child]))
            child++;
        if (child >= world.count || !is_before(&world.heap[child], &last))
            break;
        world.heap[at] = world.heap[child];
        at = child;
    }
    world.heap[at] = last;
    return first;
}

/* ---- coroutines ---- */

sim_process *sim_self(void)
{
    return world.current ? world.current->process : NULL;
}

sim_coroutine *sim_current(void)
{
    return world.current;
}

bool sim_ended(const sim_coroutine *coroutine)
{
    return coroutine->ended;
}

static void leave_to_scheduler(sim_coroutine *from, bool for_ever)
{
    (void)for_ever;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    __sanitizer_start_switch_fiber(for_ever ? NULL : &fake, world.scheduler_stack, world.scheduler_size);
#endif
#if defined(__SANITIZE_ADDRESS__)
    swapcontext(&from->context, &world.scheduler);
    __sanitizer_finish_switch_fiber(fake, &world.scheduler_stack, &world.scheduler_size);
#else
    if (!_setjmp(from->place))
        _longjmp(world.scheduler_place, 1);
#endif
}

static void enter(void)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &world.scheduler_stack, &world.scheduler_size);
#endif
    sim_coroutine *self = world.current;
    self->body(self->argument);
    self->ended = true;
    self->process->live--;
    if (self->joined_by)
        sim_wake(self->joined_by);
    leave_to_scheduler(self, true);
}

static void switch_to(sim_coroutine *coroutine)
{
    coroutine->waiting = false;
    coroutine->ticket++;
    world.current = coroutine;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = NULL;
    __sanitizer_start_switch_fiber(&fake, coroutine->stack, STACK);
#endif
#if defined(__SANITIZE_ADDRESS__)
    swapcontext(&world.scheduler, &coroutine->context);
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#else
    bool begun = coroutine->begun;
    coroutine->begun = true;
    if (!_setjmp(world.scheduler_place)) {
        if (begun)
            _longjmp(coroutine->place, 1);
        setcontext(&coroutine->context);
    }
#endif
    world.current = NULL;
}

static void resume(void *context, int64_t ticket)
{
    sim_coroutine *coroutine = context;
    const sim_process *process = coroutine->process;
    if (!process->alive || coroutine->ended || coroutine->ticket != (uint64_t)ticket)
        return;
    if (process->frozen_until > world.now)
        sim_at(process->frozen_until, resume, coroutine, ticket);
    else
        switch_to(coroutine);
}

static void *take_stack(void)
{
    if (world.spare_stacks > 0)
        return world.stacks[--world.spare_stacks];
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(stack != MAP_FAILED);
    return stack;
}

static sim_coroutine *make(sim_process *process, void (*body)(void *context), void *argument)
{
    sim_coroutine *coroutine = calloc(1, sizeof *coroutine);
    assert(coroutine);
    coroutine->stack = take_stack();
    coroutine->body = body;
    coroutine->argument = argument;
    coroutine->process = process;
    coroutine->why = "its beginning";
    coroutine->next = world.coroutines;
    world.coroutines = coroutine;
    process->live++;
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = coroutine->stack;
    coroutine->context.uc_stack.ss_size = STACK;
    makecontext(&coroutine->context, enter, 0);
    sim_at(world.now + sim_span(1000, 50000), resume, coroutine, 0);
    return coroutine;
}

sim_process *sim_start(int place, const char *name, void (*body)(void *context), void *context)
{
    sim_process *process = calloc(1, sizeof *process);
    assert(process && !world.at[place]);
    snprintf(process->name, sizeof process->name, "%s", name);
    process->place = place;
    process->number = ++world.numbers;
    process->alive = true;
    process->next = world.processes;
    world.processes = world.at[place] = process;
    make(process, body, context);
    return process;
}

sim_coroutine *sim_fork(void (*body)(void *context), void *context)
{
    return make(sim_self(), body, context);
}

void sim_kill(sim_process *process)
{
    process->alive = false;
    if (world.at[process->place] == process)
        world.at[process->place] = NULL;
}

void sim_freeze(sim_process *process, int64_t until)
{
    process->frozen_until = until > process->frozen_until ? until : process->frozen_until;
}

sim_process *sim_process_at(int place)
{
    return world.at[place];
}

bool sim_wait(int64_t until, const char *why)
{
    sim_coroutine *self = world.current;
    self->waiting = true;
    self->woken = false;
    self->why = why;
    self->until = until;
    if (until < SIM_FOREVER)
        sim_at(until, resume, self, (int64_t)self->ticket);
    leave_to_scheduler(self, false);
    return self->woken;
}

void sim_wake(sim_coroutine *coroutine)
{
    if (!coroutine->waiting || coroutine->woken || coroutine->ended)
        return;
    coroutine->woken = true;
    sim_at(world.now + sim_span(500, 30000), resume, coroutine, (int64_t)coroutine->ticket);
}

void sim_join(sim_coroutine *coroutine)
{
    coroutine->joined_by = world.current;
    while (!coroutine->ended)
        sim_wait(SIM_FOREVER, "the end of a thread");
}

bool sim_run(int64_t bound, bool (*over)(void))
{
    while (!over()) {
        if (world.count == 0 || world.heap[0].time > bound)
            return false;
        event next = pop();
        if (next.time > world.now)
            world.now = next.time;
        next.call(next.context, next.number);
    }
    return true;
}

/* ---- from history to history ---- */

void sim_begin(uint64_t seed, bool traces)
{
    world.now = INT64_C(1000000000000);
    world.random = seed * UINT64_C(0xd1342543de82ef95) + 1;
    world.orders = 0;
    world.numbers = 0;
    world.traces = traces;
    world.noted = 0;
    if (!world.notes)
        world.notes = calloc(NOTES, sizeof *world.notes);
}

void sim_end(void)
{
    while (world.coroutines) {
        sim_coroutine *coroutine = world.coroutines;
        world.coroutines = coroutine->next;
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(coroutine->stack, STACK);
#endif
        if (world.spare_stacks < MOST_STACKS)
            world.stacks[world.spare_stacks++] = coroutine->stack;
        else
            munmap(coroutine->stack, STACK);
        free(coroutine);
    }
    while (world.processes) {
        sim_process *process = world.processes;
        world.processes = process->next;
        free(process);
    }
    memset(world.at, 0, sizeof world.at);
    world.count = 0;
}

/* ---- for people ---- */

static void print(const note *one, const char *margin)
{
    char text[NOTE_SIZE];
    int64_t past = one->time - INT64_C(1000000000000);
    if (one->write)
        one->write(one->numbers, text, sizeof text);
    printf("%s%6" PRId64 ".%03" PRId64 " ms  %-12s %s\n", margin, past / SIM_MS, past / 1000 % 1000, one->who,
           one->write ? text : one->text);
}

static note *begin_note(void)
{
    note *one = &world.notes[world.noted++ % NOTES];
    const sim_process *self = sim_self();
    one->time = world.now;
    one->write = NULL;
    memcpy(one->who, self ? self->name : "\0", self ? sizeof one->who : 1);
    return one;
}

void sim_note(const char *format, ...)
{
    note *one = begin_note();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(one->text, sizeof one->text, format, arguments);
    va_end(arguments);
    if (world.traces)
        print(one, "");
}

void sim_note_numbers(void (*write)(const uint64_t numbers[SIM_NUMBERS], char *text, size_t size), const uint64_t numbers[SIM_NUMBERS])
{
    note *one = begin_note();
    one->write = write;
    memcpy(one->numbers, numbers, sizeof one->numbers);
    if (world.traces)
        print(one, "");
}

void sim_print_notes(int most)
{
    int count = world.noted < NOTES ? world.noted : NOTES;
    count = count < most ? count : most;
    for (int i = world.noted - count; i < world.noted; i++)
        print(&world.notes[i % NOTES], "  ");
}

void sim_print_waiting(void)
{
    for (const sim_coroutine *one = world.coroutines; one; one = one->next)
        if (one->process->alive && !one->ended)
            printf("  %s waits for %s%s\n", one->process->name, one->why, one->until == SIM_FOREVER ? ", without a deadline" : "");
}
