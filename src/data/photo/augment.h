/* augment.h: changes pictures at random each time they are used: mirrors, moves or turns them, or changes their light. It also reads
 * whether --augment asks to mix examples, which data/batch/mixup.h does.
 *
 * The change follows from the seed, the epoch and the record number alone, whatever thread or machine makes it. */
#ifndef TRI_DATA_PHOTO_AUGMENT_H
#define TRI_DATA_PHOTO_AUGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/tensor.h"

typedef struct {
    bool flip;    /* mirror left and right, in half of the pictures on average */
    bool crop;    /* move by up to an eighth of height and width; uncovered pixels repeat the edge */
    bool rotate;  /* turn around the centre by up to 15 degrees either way, interpolated; uncovered pixels repeat the edge */
    bool colour;  /* change brightness, contrast and, with three channels, saturation, each by up to a fifth */
    double mixup; /* mix examples in pairs, with shares from Beta(mixup, mixup); 0: do not */
} tri__augment;

/* text: some of "flip", "crop", "rotate", "colour" and "mixup" or "mixup:ALPHA" with commas between them; "none" or NULL: leave them. */
TRI_MUST_CHECK tri_status tri__augment_parse(const char *text, tri__augment *out);

/* Such a text, the same for all that ask for the same. Lies in text, or is "none". */
enum { TRI_AUGMENT_TEXT = 80 };
const char *tri__augment_text(const tri__augment *augment, char text[TRI_AUGMENT_TEXT]);

/* Whether two such texts ask for the same. NULL asks for nothing. False where one of them cannot be read. */
bool tri__augment_same(const char *a, const char *b);

static inline bool tri__augment_changes_pictures(const tri__augment *augment)
{
    return augment->flip || augment->crop || augment->rotate || augment->colour;
}

static inline bool tri__augment_is_on(const tri__augment *augment)
{
    return tri__augment_changes_pictures(augment) || augment->mixup > 0;
}

/* TRI_BAD_CALL if pictures are to be changed and examples of this shape are not pictures. */
TRI_MUST_CHECK tri_status tri__augment_check(const tri__augment *augment, tri_shape shape);

/* TRI_BAD_CALL if the examples, which are sparse, are to be mixed. name: of the model or the source whose examples they are. */
TRI_MUST_CHECK tri_status tri__augment_check_sparse(const tri__augment *augment, const char *name);

/* Change one example, [height][width][channels] elements of type: from → to, which must not overlap. */
void tri__augment_apply(const tri__augment *augment, tri_type type, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record,
                        const uint8_t *from, uint8_t *to);

#endif
