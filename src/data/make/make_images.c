/* make_images.c: draws photos of flowers, and stores them as JPEG files, one folder for each class.
 *
 * A class is a number of petals and a hue; neighbouring classes overlap in hue, so colour alone does not tell them apart. Each photo has a
 * flower at a random place, size, angle and light, in front of a soft background with soft blobs, and noise. All of this follows from the
 * seed, the part and the record number. Classes take turns, so each has the same share. */
#define _GNU_SOURCE /* asprintf */
#include "data/make/make_images.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "data/photo/jpeg/encode.h"
#include "data/photo/resize.h"
#include "data/source/source.h"

enum {
    GRID = 6,  /* the background is GRID × GRID spots of colour, enlarged */
    BLOBS = 4, /* soft blobs behind the flower */
    FEWEST_PETALS = 3,
    PETAL_COUNTS = 6,
    QUALITY = 90,
    SMALLEST = 8, /* pixels of a side: a smaller photo shows no petals */
    LARGEST = 8192,
    MOST_CLASSES = 1000,
    RANDOM_NUMBERS = 128, /* more than a photo needs */
};

#define MOST_COUNT INT64_C(100000000)
#define FULL_TURN  6.2831853F

typedef struct {
    float red, green, blue; /* 0 … 255 */
} colour;

/* The picture that is being drawn, [height][width][3], and the random numbers in [0, 1) of this photo. */
typedef struct {
    int64_t height, width;
    uint8_t *pixels;
    float random[RANDOM_NUMBERS];
    int used; /* how many of random are used */
} canvas;

typedef struct {
    float x, y, radius; /* in pixels */
    float turn;         /* radians */
    int petals;         /* 0: round */
    colour petal, heart;
} flower;

typedef struct {
    const tri__make_request *request;
    tri_part part;
    tri__key key;
    int digits; /* of the class number in a folder's name, so that names sort like numbers */
    _Atomic int64_t *done;
    _Atomic int64_t *bytes;
    int64_t all; /* photos of both parts */
} photo_task;

static float next(canvas *self)
{
    assert(self->used < RANDOM_NUMBERS);
    return self->random[self->used++];
}

static float between(canvas *self, float low, float high)
{
    return low + (high - low) * next(self);
}

/* hue: in turns of the colour circle; strength: 0 is grey; light: 0 … 1 */
static colour colour_of(float hue, float strength, float light)
{
    float wave[3];
    for (int i = 0; i < 3; i++)
        wave[i] = 255 * light * (1 - strength * (0.5F - 0.5F * cosf(FULL_TURN * (hue - (float)i / 3))));
    return (colour){wave[0], wave[1], wave[2]};
}

static uint8_t to_byte(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5F);
}

/* Mix a colour into a pixel. part: its share, 0 … 1 */
static void cover(uint8_t *pixel, colour by, float part)
{
    pixel[0] = to_byte((float)pixel[0] + part * (by.red - (float)pixel[0]));
    pixel[1] = to_byte((float)pixel[1] + part * (by.green - (float)pixel[1]));
    pixel[2] = to_byte((float)pixel[2] + part * (by.blue - (float)pixel[2]));
}

static tri_status draw_background(canvas *self, tri__resizer *resizer)
{
    uint8_t grid[GRID * GRID * 3];
    float hue = next(self), light = between(self, 0.25F, 0.6F);
    for (int i = 0; i < GRID * GRID; i++) {
        colour spot = colour_of(hue + 0.2F * next(self), 0.6F, light * between(self, 0.6F, 1.3F));
        grid[3 * i] = to_byte(spot.red);
        grid[3 * i + 1] = to_byte(spot.green);
        grid[3 * i + 2] = to_byte(spot.blue);
    }
    return tri__resize(resizer, &(tri__pixels){grid, GRID, GRID, 3, GRID * 3}, self->height, self->width, self->pixels);
}

/* The share of a pixel that is inside the flower, 0 … 1. (x, y): from the middle. The edge is `soft` pixels wide. *inward: 0 at the edge,
 * 1 in the middle */
static float inside(const flower *form, float x, float y, float soft, float *inward)
{
    float distance = sqrtf(x * x + y * y), edge = form->radius;
    if (form->petals)
        edge *= 0.62F + 0.38F * cosf((float)form->petals * (atan2f(y, x) - form->turn));
    *inward = 1 - distance / (edge + 1e-3F);
    float part = (edge - distance) / soft + 0.5F;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static int64_t clamp(float value, int64_t most)
{
    return value < 0 ? 0 : value > (float)most ? most : (int64_t)value;
}

static void draw_flower(canvas *self, const flower *form, float soft)
{
    float reach = form->radius + soft;
    int64_t top = clamp(form->y - reach, self->height), bottom = clamp(form->y + reach + 1, self->height);
    int64_t left = clamp(form->x - reach, self->width), right = clamp(form->x + reach + 1, self->width);
    for (int64_t row = top; row < bottom; row++)
        for (int64_t column = left; column < right; column++) {
            float x = (float)column - form->x, y = (float)row - form->y, inward, light;
            float part = inside(form, x, y, soft, &inward);
            if (part <= 0)
                continue;
            light = 1 - 0.35F * inward; /* petals are darker towards the heart */
            colour shade = {form->petal.red * light, form->petal.green * light, form->petal.blue * light};
            bool heart = form->petals && x * x + y * y < form->radius * form->radius / 20;
            cover(self->pixels + 3 * (row * self->width + column), heart ? form->heart : shade, part);
        }
}

static void draw_blobs(canvas *self)
{
    float side = (float)(self->height < self->width ? self->height : self->width);
    for (int i = 0; i < BLOBS; i++) {
        flower blob = {.x = next(self) * (float)self->width, .y = next(self) * (float)self->height};
        blob.radius = side * between(self, 0.05F, 0.15F);
        blob.petal = colour_of(next(self), 0.7F, between(self, 0.3F, 0.9F));
        draw_flower(self, &blob, blob.radius);
    }
}

static flower choose_flower(canvas *self, int64_t class)
{
    float side = (float)(self->height < self->width ? self->height : self->width);
    float hue = 0.618034F * (float)class + between(self, -0.1F, 0.1F), light = between(self, 0.7F, 1);
    return (flower){
        .x = (float)self->width * between(self, 0.38F, 0.62F),
        .y = (float)self->height * between(self, 0.38F, 0.62F),
        .radius = side * between(self, 0.28F, 0.46F),
        .turn = FULL_TURN * next(self),
        .petals = FEWEST_PETALS + (int)(class % PETAL_COUNTS),
        .petal = colour_of(hue, between(self, 0.6F, 1), light),
        .heart = colour_of(between(self, 0.08F, 0.18F), 0.9F, light),
    };
}

static void add_noise(canvas *self, tri__key key, uint8_t *noise)
{
    int64_t bytes = self->height * self->width * 3;
    tri__random_fill_bytes(tri__key_split_name(key, "noise"), 0, bytes, noise);
    for (int64_t i = 0; i < bytes; i++) {
        int value = self->pixels[i] + noise[i] / 32 - 4;
        self->pixels[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

/* Draw a photo. pixels and noise: [height][width][3] */
static tri_status draw(const photo_task *self, int64_t record, uint8_t *pixels, uint8_t *noise)
{
    const tri__make_request *request = self->request;
    tri__key key = tri__key_split(self->key, (uint64_t)record);
    canvas on = {.height = request->height, .width = request->width, .pixels = pixels};
    tri__random_fill_uniform(key, 0, RANDOM_NUMBERS, on.random);
    tri__resizer resizer = {0};
    tri_status status = draw_background(&on, &resizer);
    tri__resizer_fini(&resizer);
    TRI_TRY(status);
    draw_blobs(&on);
    flower form = choose_flower(&on, record % request->classes);
    draw_flower(&on, &form, 1);
    add_noise(&on, key, noise);
    return NULL;
}

static char *class_folder(const photo_task *self, int64_t class)
{
    char *path;
    int length = asprintf(&path, "%s/%s/kind-%0*lld", self->request->out, self->part == TRI_PART_TEST ? "test" : "train", self->digits,
                          (long long)class);
    return length < 0 ? NULL : path;
}

static tri_status no_memory(int64_t record)
{
    return tri_fail(TRI_NO_MEMORY, "no memory to make photo %lld", (long long)record);
}

static tri_status store(const photo_task *self, int64_t record, const uint8_t *photo, size_t size)
{
    char name[32], *folder = class_folder(self, record % self->request->classes);
    snprintf(name, sizeof name, "%08lld.jpg", (long long)record);
    char *path = folder ? tri__path_join(folder, name) : NULL;
    tri_status status = path ? tri__file_write(path, photo, size) : no_memory(record);
    free(folder);
    free(path);
    return status;
}

static tri_status make_photo(void *context, int64_t record)
{
    const photo_task *self = context;
    const tri__make_request *request = self->request;
    size_t bytes = (size_t)(request->height * request->width * 3), size = 0;
    uint8_t *pixels = malloc(2 * bytes), *photo = NULL;
    tri_status status = pixels ? draw(self, record, pixels, pixels + bytes) : no_memory(record);
    if (!status)
        status = tri__jpeg_encode(pixels, request->height, request->width, 3, QUALITY, &photo, &size);
    if (!status)
        status = store(self, record, photo, size);
    free(pixels);
    free(photo);
    TRI_TRY(status);
    atomic_fetch_add(self->bytes, (int64_t)size);
    int64_t done = atomic_fetch_add(self->done, 1) + 1;
    return tri__make_tell(request, done, self->all);
}

static tri_status make_folders(const photo_task *self)
{
    for (int64_t class = 0; class < self->request->classes; class ++) {
        char *folder = class_folder(self, class);
        tri_status status = folder ? tri__folder_create(folder) : no_memory(0);
        free(folder);
        TRI_TRY(status);
    }
    return NULL;
}

static tri_status check(const tri__make_request *request)
{
    if (request->height < SMALLEST || request->width < SMALLEST || request->height > LARGEST || request->width > LARGEST)
        return tri_fail(TRI_BAD_CALL, "photos of %lld×%lld: sides may be %d to %d", (long long)request->width, (long long)request->height,
                        SMALLEST, LARGEST);
    if (request->classes < 1 || request->classes > MOST_CLASSES)
        return tri_fail(TRI_BAD_CALL, "%lld classes of photos: there may be 1 to %d", (long long)request->classes, MOST_CLASSES);
    if (request->count < request->classes || request->count > MOST_COUNT)
        return tri_fail(TRI_BAD_CALL, "%lld photos of %lld classes: there may be one of each class to %lld", (long long)request->count,
                        (long long)request->classes, (long long)MOST_COUNT);
    return NULL;
}

tri_status tri__make_images(const tri__make_request *request, tri__make_result *out)
{
    TRI_TRY(check(request));
    int64_t counts[2] = {request->count, tri__source_test_share(request->count)};
    _Atomic int64_t done = 0, bytes = 0;
    tri__key key = tri__key_split_name(tri__key_of(request->seed), "images");
    for (int part = 0; part < 2; part++) {
        photo_task self = {request, (tri_part)part, tri__key_split(key, (uint64_t)part), 0, &done, &bytes, counts[0] + counts[1]};
        self.digits = snprintf(NULL, 0, "%lld", (long long)request->classes - 1);
        TRI_TRY(make_folders(&self));
        TRI_TRY(tri__pool_for(request->pool, counts[part], make_photo, &self));
    }
    *out = (tri__make_result){.records = done, .files = done, .bytes = bytes};
    return NULL;
}
