/* resize.c: halving, then bilinear interpolation in 16-bit arithmetic.
 *
 * A weight is a whole number of 1/256. So a product of weight and byte fits 16 bits, and so does the sum of two products whose weights add
 * up to 256. The compiler can use vectors if bytes that share a weight are adjacent. In rows they are. For columns the picture is
 * transposed, its rows are blended, and it is transposed back: in squares of 16×16 bytes that takes fewer instructions than to pick
 * neighbours one by one. Channels are separated and resized one by one. */
#include "data/photo/resize.h"

#include <math.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/memory/memory.h"

#define ONE 256 /* a weight of 1 */

enum { TILE = 16 };

typedef uint8_t tile_row __attribute__((vector_size(TILE)));

/* One plane, and the memory to resize it. The strides of lower, turned and smaller are multiples of TILE. */
typedef struct {
    const uint8_t *from;
    int64_t height, width; /* of from */
    size_t step;           /* bytes from one pixel of from to the next */
    size_t stride;         /* bytes from one row of from to the next */
    int64_t to_height, to_width;
    uint8_t *plane;   /* from, without gaps and halved: [height][width] */
    uint8_t *lower;   /* with the wanted height: [to_height][width] */
    uint8_t *turned;  /* lower, transposed: [width][to_height] */
    uint8_t *smaller; /* turned, with the wanted width: [to_width][to_height] */
} plane_job;

void tri__resizer_fini(tri__resizer *resizer)
{
    tri__buffer_free(resizer->memory);
    *resizer = (tri__resizer){0};
}

static size_t up_to_tile(int64_t size)
{
    return ((size_t)size + TILE - 1) / TILE * TILE;
}

/* Reserve memory for all planes of one picture. Its sizes come from outside, but cannot overflow, as the picture itself is in memory. */
static tri_status lay_out(tri__resizer *resizer, plane_job *self)
{
    size_t plane = up_to_tile(self->height * self->width), lower = up_to_tile(self->to_height) * up_to_tile(self->width);
    size_t smaller = up_to_tile(self->to_height) * up_to_tile(self->to_width);
    TRI_TRY(tri__buffer_reserve(&resizer->memory, &resizer->room, (int64_t)(plane + 2 * lower + smaller), 1, "resizing pictures"));
    self->plane = resizer->memory;
    self->lower = self->plane + plane;
    self->turned = self->lower + lower;
    self->smaller = self->turned + lower;
    return NULL;
}

/* Copy the plane without gaps. */
static void take_apart(plane_job *self)
{
    for (int64_t y = 0; y < self->height; y++) {
        const uint8_t *from = self->from + (size_t)y * self->stride;
        uint8_t *row = self->plane + y * self->width;
        for (int64_t x = 0; x < self->width; x++)
            row[x] = from[(size_t)x * self->step];
    }
    self->from = self->plane;
    self->step = 1;
    self->stride = (size_t)self->width;
}

/* Average rows 2i and 2i + 1; a last single row is left out. Writes stay behind reads, so both may be the same memory. */
static void halve_rows(plane_job *self)
{
    self->height /= 2;
    for (int64_t y = 0; y < self->height; y++) {
        const uint8_t *upper = self->from + (size_t)(2 * y) * self->stride, *lower = upper + self->stride;
        uint8_t *row = self->plane + y * self->width;
        for (int64_t x = 0; x < self->width; x++)
            row[x] = (uint8_t)((upper[x] + lower[x] + 1) / 2);
    }
    self->from = self->plane;
    self->stride = (size_t)self->width;
}

/* The same for columns. */
static void halve_columns(plane_job *self)
{
    self->width /= 2;
    for (int64_t y = 0; y < self->height; y++) {
        const uint8_t *from = self->from + (size_t)y * self->stride;
        uint8_t *row = self->plane + y * self->width;
        for (int64_t x = 0; x < self->width; x++)
            row[x] = (uint8_t)((from[2 * x] + from[2 * x + 1] + 1) / 2);
    }
    self->from = self->plane;
    self->stride = (size_t)self->width;
}

/* Row i of `to` rows lies between two of `from` rows. Returns the first of these; *weight: the weight of the second. */
static int64_t neighbour(int64_t i, int64_t to, int64_t from, uint16_t *weight)
{
    double at = ((double)i + 0.5) * (double)from / (double)to - 0.5;
    at = at < 0 ? 0 : at > (double)(from - 1) ? (double)(from - 1) : at;
    double first = floor(at);
    *weight = (uint16_t)lround((at - first) * ONE);
    return (int64_t)first;
}

/* row[i] = (1 − w) upper[i] + w lower[i] */
static void blend(const uint8_t *restrict upper, const uint8_t *restrict lower, uint16_t w, size_t count, uint8_t *restrict row)
{
    uint16_t v = (uint16_t)(ONE - w);
    for (size_t i = 0; i < count; i++) {
        uint16_t sum = (uint16_t)((uint16_t)(upper[i] * v) + (uint16_t)(lower[i] * w) + ONE / 2);
        row[i] = (uint8_t)(sum / ONE);
    }
}

/* from: [height rows of width bytes] → to: [to_height rows] */
TRI_FOR_EVERY_CPU static void blend_rows(const uint8_t *from, int64_t height, size_t stride, size_t width, uint8_t *to, int64_t to_height,
                                         size_t to_stride)
{
    for (int64_t y = 0; y < to_height; y++) {
        uint16_t weight;
        int64_t first = neighbour(y, to_height, height, &weight), second = first + (first + 1 < height);
        blend(from + (size_t)first * stride, from + (size_t)second * stride, weight, width, to + (size_t)y * to_stride);
    }
}

static tile_row zip_low(tile_row a, tile_row b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static tile_row zip_high(tile_row a, tile_row b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/* Transpose 16×16 bytes: interleaving row i with row i + 8, four times, brings every byte to its place. */
static void transpose_tile(const uint8_t *from, size_t stride, uint8_t *to, size_t to_stride)
{
    tile_row a[TILE], b[TILE];
    for (int i = 0; i < TILE; i++)
        memcpy(&a[i], from + (size_t)i * stride, TILE);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TILE / 2; i++) {
            b[2 * i] = zip_low(a[i], a[i + TILE / 2]);
            b[2 * i + 1] = zip_high(a[i], a[i + TILE / 2]);
        }
        for (int i = 0; i < TILE / 2; i++) {
            a[2 * i] = zip_low(b[i], b[i + TILE / 2]);
            a[2 * i + 1] = zip_high(b[i], b[i + TILE / 2]);
        }
    }
    for (int i = 0; i < TILE; i++)
        memcpy(to + (size_t)i * to_stride, &a[i], TILE);
}

/* from: [height][width] → to: [width][height]. Both have whole tiles. */
static void transpose(const uint8_t *from, int64_t height, int64_t width, size_t stride, uint8_t *to, size_t to_stride)
{
    for (int64_t y = 0; y < height; y += TILE)
        for (int64_t x = 0; x < width; x += TILE)
            transpose_tile(from + (size_t)y * stride + x, stride, to + (size_t)x * to_stride + y, to_stride);
}

/* The last step: smaller, [to_width][to_height] → to: [to_height][to_width] without gaps. Tiles at the edges are cut. */
static void turn_back(const plane_job *self, uint8_t *to, size_t step)
{
    size_t stride = up_to_tile(self->to_height);
    for (int64_t y = 0; y < self->to_height; y += TILE)
        for (int64_t x = 0; x < self->to_width; x += TILE) {
            int64_t rows = self->to_height - y < TILE ? self->to_height - y : TILE;
            int64_t columns = self->to_width - x < TILE ? self->to_width - x : TILE;
            const uint8_t *from = self->smaller + (size_t)x * stride + y;
            uint8_t *corner = to + (size_t)(y * self->to_width + x) * step;
            uint8_t tile[TILE * TILE];
            if (rows == TILE && columns == TILE && step == 1) {
                transpose_tile(from, stride, corner, (size_t)self->to_width);
                continue;
            }
            transpose_tile(from, stride, tile, TILE);
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++)
                    corner[(size_t)(i * self->to_width + j) * step] = tile[i * TILE + j];
        }
}

/* to: [to_height][to_width], step bytes from one pixel to the next */
static void resize_plane(plane_job self, uint8_t *to, size_t step)
{
    if (self.step != 1)
        take_apart(&self);
    while (self.height >= 2 * self.to_height)
        halve_rows(&self);
    while (self.width >= 2 * self.to_width)
        halve_columns(&self);
    size_t wide = up_to_tile(self.width), high = up_to_tile(self.to_height);
    blend_rows(self.from, self.height, self.stride, (size_t)self.width, self.lower, self.to_height, wide);
    transpose(self.lower, self.to_height, self.width, wide, self.turned, high);
    blend_rows(self.turned, self.width, high, (size_t)self.to_height, self.smaller, self.to_width, high);
    turn_back(&self, to, step);
}

tri_status tri__resize(tri__resizer *resizer, const tri__pixels *from, int64_t height, int64_t width, uint8_t *to)
{
    size_t channels = (size_t)from->channels;
    plane_job self = {
        .height = from->height, .width = from->width, .step = channels, .stride = from->stride, .to_height = height, .to_width = width};
    TRI_TRY(lay_out(resizer, &self));
    for (size_t channel = 0; channel < channels; channel++) {
        self.from = from->data + channel;
        resize_plane(self, to + channel, channels);
    }
    return NULL;
}
