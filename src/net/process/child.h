/* child.h: child processes on a loop: started, as a rule with their own process group, read line by line, reaped. */
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
    bool attached; /* its standard input has what is written to it, and ends with this process, however that ends; otherwise it has none */
    bool in_group; /* it stays in this process's group: the terminal's Ctrl-C reaches it, too, and signals reach it alone */
    void (*line)(void *context, tri__child *child, bool error, const char *line); /* of standard output, or of standard error */
    /* It has ended and both its outputs are read: its exit status, or the signal that ended it. Free it with destroy. */
    void (*ended)(void *context, tri__child *child, int status, int signal);
    void *context;
} tri__child_options;

TRI_MUST_CHECK tri_status tri__child_start(tri__loop *loop, const tri__child_options *options, tri__child **out);
void tri__child_signal(tri__child *child, int signal);                    /* to it and, unless it is in our group, what it started */
void tri__child_write(tri__child *child, const char *bytes, size_t size); /* to its standard input; drops what it does not take at once */
void tri__child_destroy(tri__child *child); /* kills it (SIGKILL) where it still runs, and waits; accepts NULL */

/* How a child ended. */
typedef struct {
    bool in_time;       /* false: it did not end in time, and was killed */
    int status, signal; /* its exit status, or the signal that ended it */
} tri__child_end;

/* Run a child to its end on a loop of its own, for at most patience nanoseconds. options: without `ended`. */
TRI_MUST_CHECK tri_status tri__child_run(const tri__child_options *options, int64_t patience, tri__child_end *out);

#endif
