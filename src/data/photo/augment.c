/* augment.c: changes pictures at random. A picture that is only mirrored or moved is copied row by row. A picture that is turned is
 * sampled pixel by pixel, and mirrored and moved in the same pass. Brightness, contrast and saturation come last. */
#include "data/photo/augment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"

#define CROP_SHARE 8    /* a picture moves by up to 1/8 of its height and width */
#define MOST_ANGLE 15.0 /* degrees */
#define MOST_LIGHT 0.2  /* brightness, contrast and saturation are factors from 1 − MOST_LIGHT to 1 + MOST_LIGHT */

/* For mixup. With less than LEAST_ALPHA all shares are nearly 0 or 1, with more than MOST_ALPHA nearly ½. */
#define USUAL_ALPHA 0.2
#define LEAST_ALPHA 0.01
#define MOST_ALPHA  100.0

/* How one picture is changed. */
typedef struct {
    bool flip;
    int64_t down, right; /* how far the window moves, in pixels */
    double angle;        /* radians */
    float brightness, contrast, saturation;
} change;

/* Set mixup if the word is "mixup", or "mixup:" and a number. *known: it is, or it begins like that. */
static tri_status set_mixup(tri__augment *augment, const char *name, size_t length, bool *known)
{
    const size_t word = strlen("mixup");
    *known = length >= word && !strncmp(name, "mixup", word) && (length == word || name[word] == ':');
    if (!*known)
        return NULL;
    if (augment->mixup > 0)
        return tri_fail(TRI_BAD_CALL, "--augment: mixup is there twice");
    augment->mixup = USUAL_ALPHA;
    if (length == word)
        return NULL;
    char *end;
    augment->mixup = strtod(name + word + 1, &end);
    if (end == name + length && augment->mixup >= LEAST_ALPHA && augment->mixup <= MOST_ALPHA)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--augment: '%.*s' should be mixup: and a number from %g to %g, as in mixup:0.2", (int)length, name,
                    LEAST_ALPHA, MOST_ALPHA);
}

/* Set the flag that --augment calls name; false if there is none. */
static bool set(tri__augment *augment, const char *name, size_t length)
{
    const struct {
        const char *name;
        bool *flag;
    } known[] = {{"flip", &augment->flip}, {"crop", &augment->crop}, {"rotate", &augment->rotate}, {"colour", &augment->colour}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && !strncmp(name, known[i].name, length))
            return *known[i].flag = true;
    return false;
}

tri_status tri__augment_parse(const char *text, tri__augment *out)
{
    *out = (tri__augment){0};
    if (!text || strcmp(text, "none") == 0)
        return NULL;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        bool known;
        TRI_TRY(set_mixup(out, at, length, &known));
        if (!known && !set(out, at, length))
            return tri_fail(TRI_BAD_CALL,
                            "--augment %s: '%.*s' should be one of flip, crop, rotate, colour, mixup, with a comma between them (or none)",
                            text, (int)length, at);
        at += length;
        if (!*at)
            return NULL;
    }
}

const char *tri__augment_text(const tri__augment *augment, char text[TRI_AUGMENT_TEXT])
{
    char mixup[40] = "";
    if (augment->mixup > 0)
        snprintf(mixup, sizeof mixup, ",mixup:%.9g", augment->mixup);
    snprintf(text, TRI_AUGMENT_TEXT, "%s%s%s%s%s", augment->flip ? ",flip" : "", augment->crop ? ",crop" : "",
             augment->rotate ? ",rotate" : "", augment->colour ? ",colour" : "", mixup);
    return tri__augment_is_on(augment) ? text + 1 : "none";
}

bool tri__augment_same(const char *a, const char *b)
{
    tri__augment x, y;
    char first_text[TRI_AUGMENT_TEXT], second_text[TRI_AUGMENT_TEXT];
    tri_status first = tri__augment_parse(a, &x), second = tri__augment_parse(b, &y);
    const bool readable = !first && !second;
    tri_status_free(first);
    tri_status_free(second);
    return readable && !strcmp(tri__augment_text(&x, first_text), tri__augment_text(&y, second_text));
}

tri_status tri__augment_check(const tri__augment *augment, tri_shape shape)
{
    if (!tri__augment_changes_pictures(augment) || shape.rank == 3)
        return NULL;
    char text[64];
    return tri_fail(
        TRI_BAD_CALL,
        "--augment: flip, crop, rotate and colour are for pictures of height × width × channels, and examples here are %s: leave "
        "them out (mixup takes any examples)",
        tri_shape_text(shape, text, sizeof text));
}

tri_status tri__augment_check_sparse(const tri__augment *augment, const char *name)
{
    if (augment->mixup == 0)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s: --augment mixup mixes dense examples, and its examples are sparse: leave it out", name);
}

/* A whole number from −most to most, all equally likely. */
static int64_t move(tri__key key, uint64_t counter, int64_t most)
{
    return (int64_t)tri__random_below(key, counter, (uint64_t)(2 * most + 1)) - most;
}

/* A number from −most to most. */
static double amount(tri__key key, uint64_t counter, double most)
{
    return most * (2.0 * (double)tri__random_below(key, counter, UINT64_C(1) << 32) / (double)(UINT64_C(1) << 32) - 1);
}

static change choose(const tri__augment *augment, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record)
{
    tri__key key = tri__key_split_name(tri__key_of(seed), "augment");
    key = tri__key_split(tri__key_split(key, (uint64_t)epoch), (uint64_t)record);
    return (change){
        .flip = augment->flip && tri__random_below(key, 0, 2),
        .down = augment->crop ? move(key, 1, shape.dim[0] / CROP_SHARE) : 0,
        .right = augment->crop ? move(key, 2, shape.dim[1] / CROP_SHARE) : 0,
        .angle = augment->rotate ? amount(key, 3, MOST_ANGLE) * M_PI / 180 : 0,
        .brightness = augment->colour ? (float)(1 + amount(key, 4, MOST_LIGHT)) : 1,
        .contrast = augment->colour ? (float)(1 + amount(key, 5, MOST_LIGHT)) : 1,
        .saturation = augment->colour ? (float)(1 + amount(key, 6, MOST_LIGHT)) : 1,
    };
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Copy one row of width pixels, moved. */
static void move_row(const uint8_t *from, uint8_t *to, int64_t width, size_t pixel, int64_t right)
{
    int64_t first = clamp(-right, width), last = clamp(width - right, width); /* the pixels of `to` that the picture covers */
    memcpy(to + (size_t)first * pixel, from + (size_t)(first + right) * pixel, (size_t)(last - first) * pixel);
    for (int64_t x = 0; x < first; x++)
        memcpy(to + (size_t)x * pixel, from, pixel);
    for (int64_t x = last; x < width; x++)
        memcpy(to + (size_t)x * pixel, from + (size_t)(width - 1) * pixel, pixel);
}

/* The same, mirrored. Callers pass a constant as pixel, so that a pixel is copied by a move instruction or two. */
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

static void move_and_mirror(const uint8_t *from, uint8_t *to, tri_type type, tri_shape shape, change by)
{
    const int64_t height = shape.dim[0], width = shape.dim[1];
    const size_t pixel = (size_t)shape.dim[2] * tri_type_size(type), row = (size_t)width * pixel;
    for (int64_t y = 0; y < height; y++)
        change_row(from + (size_t)clamp(y + by.down, height - 1) * row, to + (size_t)y * row, width, pixel, by);
}

static float element(const uint8_t *picture, tri_type type, size_t at)
{
    float value;
    if (type == TRI_U8)
        return picture[at];
    memcpy(&value, picture + at * sizeof value, sizeof value);
    return value;
}

/* Write a value. Bytes are rounded and limited to 0 … 255. */
static void put(uint8_t *picture, tri_type type, size_t at, float value)
{
    if (type == TRI_U8)
        picture[at] = (uint8_t)fminf(fmaxf(value + 0.5F, 0), 255);
    else
        memcpy(picture + at * sizeof value, &value, sizeof value);
}

/* Interpolate between the four pixels around (y, x). A pixel outside the picture repeats the edge. */
static void sample(const uint8_t *from, uint8_t *to, tri_type type, tri_shape shape, double y, double x)
{
    const int64_t height = shape.dim[0], width = shape.dim[1], channels = shape.dim[2], top = (int64_t)floor(y), left = (int64_t)floor(x);
    const float down = (float)(y - (double)top), right = (float)(x - (double)left);
    const int64_t above = clamp(top, height - 1) * width, below = clamp(top + 1, height - 1) * width;
    const int64_t before = clamp(left, width - 1), behind = clamp(left + 1, width - 1);
    for (int64_t c = 0; c < channels; c++) {
        const float a = element(from, type, (size_t)((above + before) * channels + c)),
                    b = element(from, type, (size_t)((above + behind) * channels + c));
        const float d = element(from, type, (size_t)((below + before) * channels + c)),
                    e = element(from, type, (size_t)((below + behind) * channels + c));
        put(to, type, (size_t)c, (1 - down) * (a + right * (b - a)) + down * (d + right * (e - d)));
    }
}

static void turn(const uint8_t *from, uint8_t *to, tri_type type, tri_shape shape, change by)
{
    const int64_t height = shape.dim[0], width = shape.dim[1];
    const double middle = (double)(height - 1) / 2, centre = (double)(width - 1) / 2, cosine = cos(by.angle), sine = sin(by.angle);
    const size_t pixel = (size_t)shape.dim[2] * tri_type_size(type);
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            const double v = (double)row - middle, u = (double)column - centre;
            const double y = middle + v * cosine - u * sine + (double)by.down, x = centre + v * sine + u * cosine + (double)by.right;
            sample(from, to + (size_t)(row * width + column) * pixel, type, shape, y, by.flip ? (double)(width - 1) - x : x);
        }
}

static double mean_of(const uint8_t *picture, tri_type type, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)element(picture, type, i);
    return sum / (double)count;
}

/* v ← (mean + contrast · (v − mean)) · brightness. With three channels, saturation also scales the distance from the pixel's grey. */
static void light(uint8_t *picture, tri_type type, tri_shape shape, change by)
{
    const size_t channels = (size_t)shape.dim[2], count = (size_t)tri_shape_count(shape);
    const float mean = (float)mean_of(picture, type, count);
    for (size_t at = 0; at < count; at += channels) {
        float grey = 0;
        for (size_t c = 0; c < channels; c++)
            grey += element(picture, type, at + c) / (float)channels;
        for (size_t c = 0; c < channels; c++) {
            const float value =
                channels == 3 ? grey + by.saturation * (element(picture, type, at + c) - grey) : element(picture, type, at + c);
            put(picture, type, at + c, (mean + by.contrast * (value - mean)) * by.brightness);
        }
    }
}

void tri__augment_apply(const tri__augment *augment, tri_type type, tri_shape shape, uint64_t seed, int64_t epoch, int64_t record,
                        const uint8_t *from, uint8_t *to)
{
    const change by = choose(augment, shape, seed, epoch, record);
    (augment->rotate ? turn : move_and_mirror)(from, to, type, shape, by);
    if (augment->colour)
        light(to, type, shape, by);
}
