/* training.h: what the examples that train have in common: the objects of a training, and its end. */
#ifndef EXAMPLES_TRAINING_H
#define EXAMPLES_TRAINING_H

#include <stdio.h>
#include <stdlib.h>
#include <trireme/trireme.h>

/* In the order in which they are made. Each needs some of those above it. */
typedef struct {
    tri_source *source;
    tri_dataset *dataset;
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    tri_trained *trained; /* NULL where nobody predicts */
} training;

/* Destroys all objects, the last one first, says what failed, and returns what main returns. */
static inline int training_end(training *job, const char *program, tri_status status)
{
    if (status)
        fprintf(stderr, "%s: %s\n", program, tri_status_message(status));
    int result = status ? EXIT_FAILURE : EXIT_SUCCESS;
    tri_status_free(status);
    tri_trained_destroy(job->trained);
    tri_plan_destroy(job->plan);
    tri_store_destroy(job->store);
    tri_graph_destroy(job->graph);
    tri_model_destroy(job->model);
    tri_dataset_destroy(job->dataset);
    tri_source_destroy(job->source);
    return result;
}

#endif
