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

/* A local store of the job's parameters and tables, all 0; and what such a store is at first. */
tri_store *sim_model_create(const tri_rule *rule);
void sim_initial(tri_store *model);
uint64_t sim_model_hash(tri_store *model); /* of the parameters and the weights of all rows */

/* The rows of a table that examples name, rising; how many. Some batches name none that a server has. */
int64_t sim_keys(uint64_t examples, int table, int32_t *keys);

/* Whether every update adds just 1 to a parameter of each chunk, so that updates can be counted; and which parameter, or which number of a
 * row, that is. */
bool sim_counts_updates(void);
bool sim_is_counter(size_t i);
bool sim_is_row_counter(int32_t row, int64_t column);
float sim_updates_of(tri_store *model, uint32_t chunk); /* as counted so */

#endif
