/* resize.h: pictures of bytes brought to another size.
 *
 * A side that is at least twice as long as wanted is first halved, by averages of two, until it is not; then every pixel is
 * interpolated between its neighbours in two directions (bilinear, pixels' centres at halves). So nothing of the picture is skipped. */
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

/* Memory that is kept from one picture to the next, so that only a larger one than ever before allocates. A zeroed one is empty. */
typedef struct {
    uint8_t *memory;
    int64_t room;
} tri__resizer;

void tri__resizer_fini(tri__resizer *resizer);

/* from, of any size above 0, → to: [height][width][channels] without gaps. They do not overlap. */
TRI_MUST_CHECK tri_status tri__resize(tri__resizer *resizer, const tri__pixels *from, int64_t height, int64_t width, uint8_t *to);

#endif
