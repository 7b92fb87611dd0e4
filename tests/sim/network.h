/* network.h: sockets and the links between tasks.
 *
 * A link joins two places. It has a delay, a jitter and a bandwidth each way, shared by all connections between the two. Bytes of one
 * connection stay in order; bytes of two connections may overtake each other. As in a real kernel, what a task has written travels on when
 * the task is stopped or killed. Bytes that nobody reads fill the buffers, and then the writer has to wait. */
#ifndef TESTS_SIM_NETWORK_H
#define TESTS_SIM_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/world.h"

typedef struct {
    int64_t delay, jitter; /* nanoseconds */
    int64_t bytes_per_second;
    int64_t room; /* bytes that a connection holds between its writer and its reader */
    int piece;    /* the most bytes that arrive at once */
} sim_link;

void sim_network_begin(void);
void sim_network_end(void);

void sim_link_set(int from, int to, const sim_link *link);
void sim_link_stall(int a, int b, int64_t until);                          /* nothing moves between the two until then */
void sim_link_slow(int a, int b, int64_t bytes_per_second, int64_t until); /* little moves until then */
int sim_link_cut(int a, int b, int64_t later); /* breaks all connections: a knows at once, b later. Returns how many there were */

/* A process listens at a place. kept: a supervisor keeps the socket, so a task that connects while no process lives there waits for the
 * next process. */
int sim_listen(int place, bool kept);
void sim_network_killed(sim_process *process); /* closes its sockets */

/* For uv.c: what can be done with a socket now, and a call for when that changes. */
enum { SIM_READABLE = 1, SIM_WRITABLE = 2, SIM_BROKEN = 4 };
int sim_socket_events(int fd);
uint64_t sim_socket_since(int fd);                                            /* a socket that became ready later has a larger number */
void sim_socket_watch(int fd, void (*changed)(void *context), void *context); /* changed NULL: no call */

uint64_t sim_sent_bytes(void);

#endif
