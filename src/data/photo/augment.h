/* augment.h: pictures changed at random each time they are seen: mirrored, moved, turned, in other light.
 *
 * What happens to a picture follows from the seed, the epoch and its record number alone, whoever does it. */
#ifndef TRI_DATA_PHOTO_AUGMENT_H
#define TRI_DATA_PHOTO_AUGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/tensor.h"

typedef struct {
    bool flip;   /* left and right change places in every second picture */
    bool crop;   /* a window of the picture's size, moved by up to an eighth of it; what it uncovers repeats the edge */
    bool rotate; /* turned around its centre by up to 15 degrees either way, interpolated; what that uncovers repeats the edge */
    bool colour; /* brightness, contrast and, of three channels, saturation, each by up to a fifth more or less */
} tri__augment;

/* Some of "flip", "crop", "rotate" and "colour" with commas between them, or "none". */
TRI_MUST_CHECK tri_status tri__augment_parse(const char *text, tri__augment *out);

static inline bool tri__augment_is_on(const tri__augment *augment)
{
    return augment->flip || augment->crop || augment->rotate || augment->colour;
}

/* TRI_BAD_CALL where examples of this shape are no pictures. */
TRI_MUST_CHECK tri_status tri__augment_check(const tri__augment *augment, tri_shape shape);

/* One example, [height][width][channels] elements of type: from → to, which do not overlap. */
void tri__augment_apply(const tri__augment *augment, tri_type type, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record,
                        const uint8_t *from, uint8_t *to);

#endif
