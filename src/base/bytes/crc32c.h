/* crc32c.h: CRC-32C (Castagnoli) and its masked form, as TFRecord and event files frame their records. */
#ifndef TRI_BASE_BYTES_CRC32C_H
#define TRI_BASE_BYTES_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t tri__crc32c(uint32_t crc, const void *data, size_t size); /* crc: 0 to begin with */
uint32_t tri__crc32c_masked(const void *data, size_t size);
uint32_t tri__crc32c_portable(uint32_t crc, const void *data, size_t size); /* without the CPU's instruction; the same result */

#endif
