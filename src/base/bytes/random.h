/* random.h: counter-based random numbers (Philox 4×32-10).
 *
 * A number is a pure function of a key and a counter, so a stream is the same on every machine, in any order and with any
 * number of threads. Keys are split: the key of (seed, "conv1.weight") or of (key, example number) gives a stream of its own. */
#ifndef TRI_BASE_BYTES_RANDOM_H
#define TRI_BASE_BYTES_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t word;
} tri__key;

tri__key tri__key_of(uint64_t seed);
tri__key tri__key_split(tri__key key, uint64_t number);
tri__key tri__key_split_name(tri__key key, const char *name);

uint64_t tri__random_bits(tri__key key, uint64_t counter);
uint64_t tri__random_below(tri__key key, uint64_t counter, uint64_t bound); /* [0, bound), bound ≥ 1 */

/* Elements first … first + count − 1 of a stream: uniform in [0, 1), normal (mean 0, deviation 1), bytes. */
void tri__random_fill_uniform(tri__key key, uint64_t first, int64_t count, float *out);
void tri__random_fill_normal(tri__key key, uint64_t first, int64_t count, float *out);
void tri__random_fill_bytes(tri__key key, uint64_t first, int64_t count, uint8_t *out);

/* A permutation of 0 … count − 1 that depends on the key alone. */
void tri__random_permutation(tri__key key, int64_t count, int64_t *out);

/* One block: four words, a function of a counter and a key. The other functions use it. */
void tri__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
