/* png.h: PNG pictures decoded into memory; the only code that knows libpng. */
#ifndef TRI_DATA_PHOTO_PNG_PNG_H
#define TRI_DATA_PHOTO_PNG_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    int64_t width, height;
    uint8_t *pixels; /* [height][width][3]; free() it */
} tri__picture;

/* name is for messages. The picture must be of exactly the given size. */
TRI_MUST_CHECK tri_status tri__png_decode(const char *name, const uint8_t *data, size_t size, int64_t width, int64_t height,
                                          tri__picture *out);

#endif
