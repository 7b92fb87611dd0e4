/* augment.c: mirrored and moved pictures, row by row: every element is written once. */
#include "data/photo/augment.h"

#include <string.h>

#include "base/bytes/random.h"

#define CROP_SHARE 8 /* a picture moves by up to 1/8 of its height and width */

/* How one picture is changed. */
typedef struct {
    bool flip;
    int64_t down, right; /* how far the window moves */
} change;

tri_status tri__augment_parse(const char *text, tri__augment *out)
{
    *out = (tri__augment){0};
    if (strcmp(text, "none") == 0)
        return NULL;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        bool flip = length == 4 && strncmp(at, "flip", length) == 0, crop = length == 4 && strncmp(at, "crop", length) == 0;
        if (!flip && !crop)
            return tri_fail(TRI_BAD_CALL, "--augment %s: '%.*s' should be one of flip, crop, with a comma between them (or none)", text,
                            (int)length, at);
        out->flip |= flip;
        out->crop |= crop;
        at += length;
        if (!*at)
            return NULL;
    }
}

tri_status tri__augment_check(const tri__augment *augment, tri_shape shape)
{
    if (!tri__augment_is_on(augment) || shape.rank == 3)
        return NULL;
    char text[64];
    return tri_fail(TRI_BAD_CALL, "--augment is for pictures of height × width × channels, and examples here are %s: leave it out",
                    tri_shape_text(shape, text, sizeof text));
}

/* From −most to most, each as likely as any other. */
static int64_t move(tri__key key, uint64_t counter, int64_t most)
{
    return (int64_t)tri__random_below(key, counter, (uint64_t)(2 * most + 1)) - most;
}

static change choose(const tri__augment *augment, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record)
{
    tri__key key = tri__key_split_name(tri__key_of(seed), "augment");
    key = tri__key_split(tri__key_split(key, (uint64_t)epoch), (uint64_t)record);
    return (change){
        .flip = augment->flip && tri__random_below(key, 0, 2),
        .down = augment->crop ? move(key, 1, shape.dim[0] / CROP_SHARE) : 0,
        .right = augment->crop ? move(key, 2, shape.dim[1] / CROP_SHARE) : 0,
    };
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* One row of width pixels, moved. */
static void move_row(const uint8_t *from, uint8_t *to, int64_t width, size_t pixel, int64_t right)
{
    int64_t first = clamp(-right, width), last = clamp(width - right, width); /* pixels of to that the picture covers */
    memcpy(to + (size_t)first * pixel, from + (size_t)(first + right) * pixel, (size_t)(last - first) * pixel);
    for (int64_t x = 0; x < first; x++)
        memcpy(to + (size_t)x * pixel, from, pixel);
    for (int64_t x = last; x < width; x++)
        memcpy(to + (size_t)x * pixel, from + (size_t)(width - 1) * pixel, pixel);
}

/* The same, mirrored. pixel is a constant where this is called, so that a pixel is copied by a move or two. */
static inline void mirror_row(const uint8_t *from, uint8_t *to, int64_t width, size_t pixel, int64_t right)
{
    for (int64_t x = 0; x < width; x++)
        memcpy(to + (size_t)x * pixel, from + (size_t)(width - 1 - clamp(x + right, width - 1)) * pixel, pixel);
}

static void change_row(const uint8_t *from, uint8_t *to, int64_t width, size_t pixel, change by)
{
    if (!by.flip)
        move_row(from, to, width, pixel, by.right);
    else if (pixel == 3)
        mirror_row(from, to, width, 3, by.right);
    else if (pixel == 1)
        mirror_row(from, to, width, 1, by.right);
    else
        mirror_row(from, to, width, pixel, by.right);
}

void tri__augment_apply(const tri__augment *augment, tri_type type, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record,
                        const uint8_t *from, uint8_t *to)
{
    change by = choose(augment, shape, seed, epoch, record);
    int64_t height = shape.dim[0], width = shape.dim[1];
    size_t pixel = (size_t)shape.dim[2] * tri_type_size(type), row = (size_t)width * pixel;
    for (int64_t y = 0; y < height; y++)
        change_row(from + (size_t)clamp(y + by.down, height - 1) * row, to + (size_t)y * row, width, pixel, by);
}
