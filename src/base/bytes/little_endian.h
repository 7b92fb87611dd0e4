/* little_endian.h: whole numbers stored least significant byte first, whatever the machine. */
#ifndef TRI_BASE_BYTES_LITTLE_ENDIAN_H
#define TRI_BASE_BYTES_LITTLE_ENDIAN_H

#include <stdint.h>

/* bytes: 1 … 8 */
static inline uint64_t tri__little_endian_load(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline void tri__little_endian_store(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

#endif
