/* sha256.h: SHA-256 (FIPS 180-4), for data sets and digests of models. */
#ifndef TRI_BASE_BYTES_SHA256_H
#define TRI_BASE_BYTES_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} tri__sha256;

void tri__sha256_init(tri__sha256 *hash);
void tri__sha256_update(tri__sha256 *hash, const void *data, size_t size);
void tri__sha256_final(tri__sha256 *hash, char hex[65]);

#endif
