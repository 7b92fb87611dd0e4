/* resize.h: resizes pictures of bytes.
 *
 * As long as a side is at least twice as long as wanted, it is halved, by averages of two pixels. Then every pixel is interpolated between
 * its neighbours in two directions (bilinear, pixels' centres at halves). So no part of the picture is skipped. */
#ifndef TRI_DATA_PHOTO_RESIZE_H
#define TRI_DATA_PHOTO_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    const uint8_t *data;
    int64_t height, width, channels; /* [height][width][channels], channels one beside another */
    size_t stride;                   /* bytes from one row to the next */
} tri__pixels;

/* Memory that is kept from one picture to the next; it grows only for a picture that is larger than all before. A zeroed tri__resizer is
 * empty. */
typedef struct {
    uint8_t *memory;
    int64_t room;
} tri__resizer;

void tri__resizer_fini(tri__resizer *resizer);

/* Resize from, of any size above 0 → to: [height][width][channels] without gaps. They must not overlap. */
TRI_MUST_CHECK tri_status tri__resize(tri__resizer *resizer, const tri__pixels *from, int64_t height, int64_t width, uint8_t *to);

#endif
