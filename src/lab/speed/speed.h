/* speed.h: measures how fast a source can be read, over a grid of settings, and which settings matter (studies G1 and G2).
 *
 * A combination of batch size, number of batches and workers reads the first batch × batches examples. It is measured `repeat` times. All
 * measurements are in random order, so that other load on the machine affects every setting alike. Where several hosts share a combination,
 * each reads its part of these examples, and the repetitions of a combination follow each other. */
#ifndef TRI_LAB_SPEED_SPEED_H
#define TRI_LAB_SPEED_SPEED_H

#include <signal.h>

#include "lab/figures/regression.h"
#include "trireme/dataset.h"

typedef enum { TRI_SPEED_BATCH, TRI_SPEED_BATCHES, TRI_SPEED_REPEAT, TRI_SPEED_WORKERS, TRI_SPEED_ITEMS } tri__speed_parameter;
enum { TRI_SPEED_PARAMETERS = TRI_SPEED_ITEMS + 1, TRI_SPEED_VALUES = 32 };

const char *tri__speed_parameter_name(tri__speed_parameter parameter); /* "batch" */

typedef struct {
    int64_t value[TRI_SPEED_VALUES];
    int count;
} tri__speed_values;

typedef struct {
    int64_t value[TRI_SPEED_PARAMETERS]; /* repeat: the number of the repetition, from 1; items: batch × batches */
    int64_t items;                       /* undamaged examples that were read */
    int64_t damaged;                     /* damaged examples that were skipped */
    double seconds, cpu_seconds;         /* with several hosts: seconds of the slowest, CPU seconds of all together */
    double items_per_second;
} tri__speed_cell;

typedef struct {
    tri_source *source;               /* borrowed; NULL where `measure` is set */
    tri__speed_values batch, batches; /* each above 0 */
    tri__speed_values workers;        /* threads that decode; 0: the dataset chooses */
    int64_t repeat;
    int part, parts;                   /* read part number `part`, from 0, of `parts` parts; parts 0 means 1 */
    int64_t skip_bad;                  /* how many damaged records of a combination are skipped; more are an error */
    bool cache;                        /* keep decoded examples for the next repetition */
    bool drop_caches;                  /* files are read from the disk every time; TRI_UNSUPPORTED where that is not permitted */
    const char *cache_folder;          /* may be NULL */
    uint64_t seed;                     /* of the order of measurements */
    const volatile sig_atomic_t *stop; /* read between batches; not 0: stop; may be NULL */
    void (*progress)(void *context, int64_t done, int64_t all); /* in examples; may be NULL */
    void *context;

    /* NULL: this process reads. Otherwise this call measures all repetitions of a combination: cells[repeat], whose values are set. */
    tri_status (*measure)(void *others, tri__speed_cell *cells);
    void *others;
} tri__speed_request;

typedef struct {
    tri__speed_cell *cells; /* [count], in the order of the grid */
    int64_t count;
    tri__speed_parameter varied[TRI_SPEED_PARAMETERS]; /* [variables] the parameters with more than one value */
    int variables;
    tri__regression alone[TRI_SPEED_PARAMETERS]; /* [variables] items/s fitted to each of these alone */
    tri__regression together;                    /* items/s fitted to all of these but items; columns 0: too few cells */
} tri__speed_result;

TRI_MUST_CHECK tri_status tri__speed_measure(const tri__speed_request *request, tri__speed_result *out);
void tri__speed_result_fini(tri__speed_result *result);

/* The mean of items/s over the cells where parameter has this value. */
double tri__speed_mean(const tri__speed_result *result, tri__speed_parameter parameter, int64_t value);

#endif
