/* model.h: what a simulated job trains. */
#ifndef TESTS_SIM_MODEL_H
#define TESTS_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/job.h"
#include "store/ps/protocol/layout.h"
#include "trireme/store.h"

#define SIM_RATE 0.0625f

enum { SIM_LAYERS = 5, SIM_MOST_TABLES = 2, SIM_MOST_ROWS = 256, SIM_MOST_WIDTH = 6 };

/* Where tables grow and no key has as many sightings as a row wants. A map never forgets so few keys that wait. */
enum { SIM_NEVER_SEEN_ENOUGH = 100000, SIM_MOST_WAITING = 40 };

uint64_t sim_mix(uint64_t number);
float sim_noise(uint64_t key, size_t i); /* from −0.5 to 0.5 */
uint64_t sim_hash(const float *floats, size_t count);

const tri__layout *sim_layout(void);
tri_range sim_layer(int index);

/* sim_model_create: a local store with the job's parameters and tables, all 0. sim_initial writes the initial values of a run to it. */
tri_store *sim_model_create(const tri_rule *rule, bool grows); /* grows: its tables have rows for keys that were seen */
void sim_initial(tri_store *model);
uint64_t sim_model_hash(tri_store *model); /* of the parameters and the weights of all keys; a key without a row has zeros */
uint64_t sim_keys_hash(tri_store *model);  /* where tables grow: of the keys that have rows, or wait for one, and what was left out */
void sim_model_copy(tri_store *from, tri_store *to); /* where tables grow, no key has a row in `to` yet */

/* Writes the rows of a table that the examples name to keys, rising, and returns how many. Some batches name no row of some server. */
int64_t sim_keys(uint64_t examples, int table, int32_t *keys);

/* Where tables grow: how often the examples name this key. */
int32_t sim_sightings(uint64_t examples, int32_t key);

/* sim_counts: every update of the job adds exactly 1 to one parameter of each chunk, so that updates can be counted. The same for the job
 * that runs: sim_counts_updates. sim_is_counter and sim_is_row_counter say which parameter, or which number of a row, that is. */
bool sim_counts(const sim_job *job);
bool sim_counts_updates(void);
bool sim_is_counter(size_t i);
int sim_counted_worker(size_t i); /* the worker whose updates of the chunk this parameter counts; −1: none */
bool sim_is_row_counter(int32_t row, int64_t column);
float sim_updates_of(tri_store *model, uint32_t chunk); /* how many updates the chunk has had, counted that way */

/* Where tables grow and a key of the server waits for ever: how many updates have counted its sightings. Every update has one. −1: there is
 * no such key. */
int64_t sim_sightings_of(tri_store *model, int server);

#endif
