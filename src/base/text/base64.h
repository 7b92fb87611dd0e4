/* base64.h: bytes as letters, for pictures inside pages (RFC 4648). */
#ifndef TRI_BASE_TEXT_BASE64_H
#define TRI_BASE_TEXT_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void tri__base64_put(FILE *out, const uint8_t *data, size_t size);

#endif
