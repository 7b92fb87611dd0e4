/* key_hash.h: hashes keys of any size into the features of a model. */
#ifndef TRI_DATA_SOURCE_KEY_HASH_H
#define TRI_DATA_SOURCE_KEY_HASH_H

#include <stdint.h>

/* Every bit of the word affects every bit of the result (the finaliser of SplitMix64). */
static inline uint64_t tri__key_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* A number below features, which is at most 2^31. The same key gives the same number in every file and run. */
static inline int32_t tri__key_hash(uint64_t key, int64_t features)
{
    return (int32_t)(((tri__key_mix(key + UINT64_C(0x9e3779b97f4a7c15)) >> 32) * (uint64_t)features) >> 32);
}

#endif
