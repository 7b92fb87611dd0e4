/* child.h: child processes on a loop. They are started, as a rule each in its own process group, read line by line, and reaped. */
#ifndef TRI_NET_PROCESS_CHILD_H
#define TRI_NET_PROCESS_CHILD_H

#include <stddef.h>

#include "net/loop/loop.h"

typedef struct tri__child tri__child;

typedef struct {
    const char *path;
    const char *const *argv; /* ends with NULL */
    const char *const *env;  /* "NAME=value" that replace those of this process; ends with NULL; NULL: none */
    const int *fds;          /* descriptors that the child gets as 3, 4, … */
    int fd_count;
    const char *folder; /* where it runs; NULL: where this process does */
    bool attached; /* tri__child_write writes to its standard input, which ends when this process ends, in any way; false: it has none */
    bool in_group; /* it stays in this process's group: Ctrl-C of the terminal reaches it; tri__child_signal reaches only the child */
    void (*line)(void *context, tri__child *child, bool error, const char *line); /* error: of standard error, else standard output */
    /* The child has ended, and both its outputs are read: its exit status, or the signal that ended it. Free it with destroy. */
    void (*ended)(void *context, tri__child *child, int status, int signal);
    void *context;
} tri__child_options;

TRI_MUST_CHECK tri_status tri__child_start(tri__loop *loop, const tri__child_options *options, tri__child **out);
void tri__child_signal(tri__child *child, int signal); /* to the child and, where it has its own group, what it started */
void tri__child_write(tri__child *child, const char *bytes, size_t size); /* to its standard input; what it does not take at once is lost */
void tri__child_destroy(tri__child *child); /* kills it (SIGKILL) where it still runs, and waits; accepts NULL */

/* How a child ended. */
typedef struct {
    bool in_time;       /* false: it did not end in time, and was killed */
    int status, signal; /* its exit status, or the signal that ended it */
} tri__child_end;

/* Run a child to its end on a loop of its own, for at most `patience` nanoseconds. options must leave out `ended`. */
TRI_MUST_CHECK tri_status tri__child_run(const tri__child_options *options, int64_t patience, tri__child_end *out);

#endif
