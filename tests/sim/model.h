/* model.h: what a simulated job trains. */
#ifndef TESTS_SIM_MODEL_H
#define TESTS_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/ps/protocol/layout.h"
#include "trireme/store.h"

#define SIM_RATE 0.0625f

enum { SIM_LAYERS = 5, SIM_MOST_TABLES = 2, SIM_MOST_ROWS = 256, SIM_MOST_WIDTH = 6 };

uint64_t sim_mix(uint64_t number);
float sim_noise(uint64_t key, size_t i); /* from −0.5 to 0.5 */
uint64_t sim_hash(const float *floats, size_t count);

const tri__layout *sim_layout(void);
tri_range sim_layer(int index);

/* sim_model_create: a local store with the job's parameters and tables, all 0. sim_initial writes the initial values of a run to it. */
tri_store *sim_model_create(const tri_rule *rule);
void sim_initial(tri_store *model);
uint64_t sim_model_hash(tri_store *model); /* of the parameters and the weights of all rows */

/* Writes the rows of a table that the examples name to keys, rising, and returns how many. Some batches name no row of some server. */
int64_t sim_keys(uint64_t examples, int table, int32_t *keys);

/* sim_counts_updates: every update adds exactly 1 to one parameter of each chunk, so that updates can be counted. The other two say which
 * parameter, or which number of a row, that is. */
bool sim_counts_updates(void);
bool sim_is_counter(size_t i);
bool sim_is_row_counter(int32_t row, int64_t column);
float sim_updates_of(tri_store *model, uint32_t chunk); /* how many updates the chunk has had, counted that way */

#endif
