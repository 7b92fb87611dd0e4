/* network.h: sockets and the links between tasks.
 *
 * A link joins two places, and has a delay, its jitter and a bandwidth each way, shared by all connections between the two. Bytes of one
 * connection stay in order; those of two connections may overtake each other. What a task has written is in the kernel's hands and
 * travels on when the task is stopped or killed; what nobody reads fills the buffers, and then the writer has to wait. */
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
void sim_link_stall(int a, int b, int64_t until);                          /* nothing moves between the two */
void sim_link_slow(int a, int b, int64_t bytes_per_second, int64_t until); /* little does */
int sim_link_cut(int a, int b, int64_t later); /* all connections break: a knows at once, b later. How many there were */

/* Somebody listens at a place. Where it is kept, who connects while nobody lives there waits for the next one. */
int sim_listen(int place, bool kept);
void sim_network_killed(sim_process *process); /* what it had open is closed */

/* For uv.c: what can be done with a socket now, and who is to be told when that changes. */
enum { SIM_READABLE = 1, SIM_WRITABLE = 2, SIM_BROKEN = 4 };
int sim_socket_events(int fd);
uint64_t sim_socket_since(int fd);                                            /* rises with what became ready later */
void sim_socket_watch(int fd, void (*changed)(void *context), void *context); /* NULL: nobody */

uint64_t sim_sent_bytes(void);

#endif
