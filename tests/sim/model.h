/* model.h: what a simulated job trains. */
#ifndef TESTS_SIM_MODEL_H
#define TESTS_SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/ps/protocol/layout.h"
#include "trireme/store.h"

#define SIM_RATE 0.0625f

enum { SIM_LAYERS = 5 };

uint64_t sim_mix(uint64_t number);
float sim_noise(uint64_t key, size_t i); /* from −0.5 to 0.5 */
uint64_t sim_hash(const float *floats, size_t count);

const tri__layout *sim_layout(void);
tri_range sim_layer(int index);
void sim_initial(float *parameters);

/* Whether every update adds just 1 to a parameter of each chunk, so that updates can be counted; and which parameter that is. */
bool sim_counts_updates(void);
bool sim_is_counter(size_t i);

#endif
