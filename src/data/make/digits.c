/* digits.c: drawn digits, 28×28, that need no files.
 *
 * A digit is one or two strokes of a pen through fixed points in a unit square. Each record bends, turns, slants, scales and moves
 * them by random amounts, draws them with a pen of random width and ink, and adds noise. All of this follows from the seed, the part and
 * the record number, so a record is the same on every machine and thread. Sets of usual size are drawn once, when the source is opened
 * (some 8 µs an example), and kept in memory; larger ones are drawn as they are read. */
#include "data/make/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"
#include "data/source/source.h"

enum { SIDE = TRI_DIGITS_SIDE, PIXELS = TRI_DIGITS_PIXELS, CLASSES = 10, MOST_POINTS = 13 };

#define DEFAULT_EXAMPLES 60000
#define MOST_EXAMPLES    INT64_C(1000000000)
#define STRAY            0.05F           /* how far a point may be moved, in the unit square */
#define MOST_RESIDENT    INT64_C(300000) /* examples that are kept in memory: 235 MB */

typedef struct {
    float x, y;
} point;

typedef struct {
    int count;
    struct {
        int8_t x, y;
    } at[MOST_POINTS]; /* hundredths of the unit square: x to the right, y down */
} stroke;

/* One way to write a digit. If there is only one stroke, the second has no points. */
typedef struct {
    int digit;
    stroke strokes[2];
} glyph;

static const glyph glyphs[] = {
    {0, {{11, {{50, 5}, {28, 13}, {18, 35}, {18, 65}, {28, 87}, {50, 95}, {72, 87}, {82, 65}, {82, 35}, {72, 13}, {50, 5}}}}},
    {1, {{3, {{36, 22}, {55, 5}, {55, 95}}}}},
    {1, {{2, {{50, 5}, {50, 95}}}}},
    {2, {{9, {{20, 26}, {30, 10}, {50, 5}, {70, 12}, {78, 30}, {68, 48}, {45, 70}, {20, 94}, {84, 94}}}}},
    {3, {{11, {{20, 15}, {40, 5}, {65, 8}, {75, 25}, {65, 42}, {42, 48}, {68, 55}, {80, 73}, {68, 90}, {42, 96}, {18, 86}}}}},
    {4, {{3, {{60, 5}, {15, 65}, {86, 65}}}, {2, {{63, 38}, {63, 95}}}}},
    {4, {{3, {{24, 6}, {18, 53}, {80, 53}}}, {2, {{76, 6}, {70, 95}}}}},
    {5, {{9, {{76, 6}, {30, 6}, {25, 44}, {50, 38}, {72, 48}, {80, 68}, {70, 88}, {45, 96}, {18, 87}}}}},
    {6, {{11, {{68, 5}, {40, 25}, {24, 50}, {20, 72}, {32, 92}, {55, 96}, {75, 85}, {77, 65}, {60, 52}, {38, 55}, {22, 70}}}}},
    {7, {{4, {{18, 7}, {80, 7}, {56, 50}, {40, 95}}}}},
    {7, {{4, {{18, 7}, {80, 7}, {56, 50}, {40, 95}}}, {2, {{34, 50}, {74, 50}}}}},
    {8,
     {{13,
       {{50, 48}, {28, 35}, {27, 17}, {50, 5}, {73, 17}, {72, 35}, {50, 48}, {25, 63}, {22, 83}, {50, 96}, {78, 83}, {75, 63}, {50, 48}}}}},
    {9, {{10, {{76, 30}, {62, 46}, {40, 47}, {24, 33}, {28, 14}, {50, 5}, {70, 10}, {77, 30}, {74, 60}, {60, 95}}}}},
};

static const char *const class_names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

typedef struct {
    tri_source source;
    tri__key key;
    uint8_t *resident_x, *resident_labels; /* NULL if examples are drawn as they are read */
} digits_source;

/* The handwriting of one record: an affine map from the unit square to pixels, and a pen. */
typedef struct {
    float xx, xy, yx, yy, x, y;
    float radius; /* of the pen, in pixels */
    float ink;    /* 0 … 1 */
    float noise;  /* 0 … 255 */
} handwriting;

/* A number between low and high. random: in [0, 1) */
static float between(float low, float high, float random)
{
    return low + (high - low) * random;
}

static handwriting choose_handwriting(const float random[10])
{
    float angle = between(-0.3F, 0.3F, random[0]), slant = between(-0.2F, 0.4F, random[1]);
    float width = between(13, 19, random[2]), height = between(16, 21, random[3]);
    return (handwriting){
        .xx = width * cosf(angle),
        .xy = -height * (sinf(angle) + slant * cosf(angle)),
        .yx = width * sinf(angle),
        .yy = height * (cosf(angle) - slant * sinf(angle)),
        .x = SIDE / 2.0F + between(-2.5F, 2.5F, random[4]),
        .y = SIDE / 2.0F + between(-2.5F, 2.5F, random[5]),
        .radius = between(0.7F, 1.7F, random[6]),
        .ink = between(0.6F, 1, random[7]),
        .noise = between(5, 40, random[8]),
    };
}

/* A point of the unit square, moved a little at random, in pixels. */
static point map_point(const handwriting *by, float x, float y, const float random[2])
{
    x += between(-STRAY, STRAY, random[0]) - 0.5F;
    y += between(-STRAY, STRAY, random[1]) - 0.5F;
    return (point){by->xx * x + by->xy * y + by->x, by->yx * x + by->yy * y + by->y};
}

static float clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* Cover the pixels within radius of the segment from a to b; the edge is one pixel soft. cover: [28][28], 0 … 1 */
static void draw_segment(float *cover, point a, point b, float radius)
{
    float reach = radius + 1, dx = b.x - a.x, dy = b.y - a.y;
    float inverse = 1 / (dx * dx + dy * dy + 1e-6F);
    int left = (int)clamp(fminf(a.x, b.x) - reach, 0, SIDE), right = (int)clamp(fmaxf(a.x, b.x) + reach + 1, 0, SIDE);
    int top = (int)clamp(fminf(a.y, b.y) - reach, 0, SIDE), bottom = (int)clamp(fmaxf(a.y, b.y) + reach + 1, 0, SIDE);
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            float x = (float)column - a.x, y = (float)row - a.y;
            float along = clamp((x * dx + y * dy) * inverse, 0, 1);
            float off_x = x - along * dx, off_y = y - along * dy;
            float inside = clamp(radius + 0.5F - sqrtf(off_x * off_x + off_y * off_y), 0, 1);
            float *pixel = &cover[row * SIDE + column];
            *pixel = inside > *pixel ? inside : *pixel;
        }
}

static void draw_glyph(float *cover, const glyph *form, const handwriting *by, const float *random)
{
    for (int i = 0; i < 2; i++) {
        const stroke *line = &form->strokes[i];
        point last = {0};
        for (int j = 0; j < line->count; j++, random += 2) {
            point next = map_point(by, (float)line->at[j].x / 100, (float)line->at[j].y / 100, random);
            if (j > 0)
                draw_segment(cover, last, next, by->radius);
            last = next;
        }
    }
}

/* Each digit is as likely as any other, and so is each way to write it. */
static const glyph *choose_glyph(int digit, float random)
{
    const glyph *first = glyphs;
    while (first->digit != digit)
        first++;
    const glyph *end = glyphs + sizeof glyphs / sizeof *glyphs;
    int forms = 0;
    while (first + forms < end && first[forms].digit == digit)
        forms++;
    return first + (int)(random * (float)forms);
}

static int class_of(tri__key key, int64_t record)
{
    return (int)tri__random_below(tri__key_split_name(key, "class"), (uint64_t)record, CLASSES);
}

static void draw(tri__key source_key, int64_t record, int digit, uint8_t *x)
{
    tri__key key = tri__key_split(source_key, (uint64_t)record);
    float random[10 + 2 * MOST_POINTS], cover[PIXELS] = {0};
    uint8_t noise[PIXELS];
    tri__random_fill_uniform(key, 0, sizeof random / sizeof *random, random);
    tri__random_fill_bytes(tri__key_split_name(key, "noise"), 0, PIXELS, noise);
    handwriting by = choose_handwriting(random);
    draw_glyph(cover, choose_glyph(digit, random[9]), &by, random + 10);
    for (int i = 0; i < PIXELS; i++)
        x[i] = (uint8_t)clamp(255 * by.ink * cover[i] + by.noise * ((float)noise[i] / 128 - 1), 0, 255);
}

static tri__key key_of(uint64_t seed, tri_part part)
{
    return tri__key_split(tri__key_split_name(tri__key_of(seed), "digits"), part);
}

uint8_t tri__digits_draw(uint64_t seed, tri_part part, int64_t record, uint8_t pixels[TRI_DIGITS_PIXELS])
{
    tri__key key = key_of(seed, part);
    int digit = class_of(key, record);
    draw(key, record, digit, pixels);
    return (uint8_t)digit;
}

static tri_status digits_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const digits_source *self = (const digits_source *)reader->source;
    if (self->resident_x)
        return tri__source_read_resident(reader, record, to);
    *to->label = class_of(self->key, record);
    draw(self->key, record, *to->label, to->x);
    return NULL;
}

static void digits_destroy(tri_source *source)
{
    digits_source *self = (digits_source *)source;
    tri__buffer_free(self->resident_x);
    free(self->resident_labels);
    free(self);
}

static const tri__source_kind digits_kind = {.read = digits_read, .destroy = digits_destroy};

static tri_status draw_all(digits_source *self)
{
    size_t examples = (size_t)self->source.info.examples;
    TRI_TRY(tri__buffer_allocate(examples * PIXELS, "drawn digits", &self->resident_x));
    TRI_TRY(tri__allocate(examples, 1, "the labels of drawn digits", &self->resident_labels));
    for (size_t i = 0; i < examples; i++) {
        self->resident_labels[i] = (uint8_t)class_of(self->key, (int64_t)i);
        draw(self->key, (int64_t)i, self->resident_labels[i], self->resident_x + i * PIXELS);
    }
    self->source.resident_x = self->resident_x;
    self->source.resident_labels = self->resident_labels;
    return NULL;
}

static tri_status make(int64_t examples, tri_part part, uint64_t seed, tri_source **out)
{
    digits_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &digits_kind;
    self->source.info.format = "digits";
    self->source.info.examples = part == TRI_PART_TEST ? tri__source_test_share(examples) : examples;
    self->source.info.classes = CLASSES;
    self->source.info.class_names = class_names;
    self->key = key_of(seed, part);
    tri_status status = tri__source_set_shape(&self->source, TRI_SHAPE(SIDE, SIDE, 1));
    if (!status && self->source.info.examples <= MOST_RESIDENT)
        status = draw_all(self);
    if (status) {
        digits_destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}

tri_status tri__digits_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out)
{
    int64_t examples = DEFAULT_EXAMPLES;
    const char *text = arguments;
    if (text && (!tri__source_parse_count(&text, MOST_EXAMPLES, &examples) || *text))
        return tri_fail(TRI_BAD_CALL, "'digits:%s' should be digits or digits:N, such as digits:10000", arguments);
    return make(examples, part, options->seed, out);
}
