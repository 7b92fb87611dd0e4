/* ps_workers.h: what the programs share that measure a server's transport: processes that compute for a given time, and clocks. */
#ifndef TRI_BENCH_PS_WORKERS_H
#define TRI_BENCH_PS_WORKERS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FLOATS = 7850 /* softmax on MNIST */, MOST_WORKERS = 64, WARM_UP = 300 /* ms */ };

static inline void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Work, not time: a process that waits for a CPU does not compute meanwhile. */
static inline float burn(int64_t rounds)
{
    volatile float x = 1;
    for (int64_t i = 0; i < rounds; i++)
        x = x * 0.999f + 0.001f;
    return x;
}

/* The rounds of so many µs. The quickest of many tries is the one that nobody disturbed. */
static inline int64_t calibrate(double microseconds)
{
    enum { TRIES = 200, ROUNDS = 10000 };
    double best = 1;
    for (int i = 0; i < TRIES; i++) {
        double start = now();
        burn(ROUNDS);
        double took = now() - start;
        best = took < best ? took : best;
    }
    return (int64_t)(microseconds * 1e-6 / best * ROUNDS);
}

/* 0 in the child, which ends with its parent. */
static inline pid_t split(void)
{
    pid_t parent = getpid(), child = fork();
    check(child >= 0, "fork");
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(1);
    return child;
}

#endif
