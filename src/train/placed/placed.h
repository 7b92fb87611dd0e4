/* placed.h: runs a graph file, alone or as one of several tasks (graph/placed), and reports what each task did.
 *
 * Tasks are ranks of MPI. All of them read the same file; task 0 gets the values that were asked for. */
#ifndef TRI_TRAIN_PLACED_PLACED_H
#define TRI_TRAIN_PLACED_PLACED_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/tensor.h"

typedef struct {
    const char *name, *path; /* a variable of the graph, and the safetensors file that has the tensor of that name */
} tri__feed;

typedef struct {
    const char *graph;        /* path of the file */
    const char *const *fetch; /* names of lines whose values are wanted; NULL: the lines that no other line reads */
    int fetches;
    const char *const *target; /* names of lines that are computed, but whose values are not wanted */
    int targets;
    const tri__feed *feed;
    int feeds;
    uint64_t seed;
    int threads;                /* of each task; 0: the tasks of a host share its CPUs */
    int runs;                   /* how often the graph is run; the result has the values of the last run and the time of all runs */
    unsigned without;           /* TRI_PLAN_* */
    const char *dot;            /* a file for Graphviz with the graph and its places; NULL: none */
    const char *events;         /* a folder for TensorBoard's event file with the graph and its places; NULL: none */
    int ranks;                  /* how many mpirun or srun started; 0: none, and this process computes every line, whatever its place */
    size_t window;              /* bytes: tri_exchange_options */
    int64_t timeout;            /* nanoseconds without a message from another task; then give_up is called, and ends the process */
    void (*met)(void *context); /* task 0: all tasks are there; NULL: nobody wants to know */
    void (*give_up)(void *context, const char *why);
    void (*slow)(void *context, const char *why); /* tri_exchange_options */
    void *context;
} tri__placed_request;

/* What one task did, in all runs. */
typedef struct {
    double seconds;
    int64_t bytes_sent;
    double flops; /* of matrix products and convolutions */
    int64_t buffer_bytes;
    double peak_rss_mb;
    int32_t calls; /* of one run */
} tri__placed_task;

typedef struct {
    const char *name;
    tri_tensor tensor;
} tri__placed_value;

typedef struct {
    int task, tasks;
    tri__placed_task *each;   /* [tasks]; only task 0 has them */
    tri__placed_value *value; /* [values]; only task 0 has them */
    int values;
    bool told; /* task 0 reports the failure that is returned */
} tri__placed_result;

/* Call fini after a failure, too. */
TRI_MUST_CHECK tri_status tri__placed_run(const tri__placed_request *request, tri__placed_result *out);
void tri__placed_result_fini(tri__placed_result *result);

#endif
