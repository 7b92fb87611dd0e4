/* image.c: turns pixels, as files have them, into planes, as layers need them. */
#include "tensor/ref/ref.h"

/* y[i] = x[i · step] · scale + offset */
static void plane_of_bytes(int64_t count, int64_t step, const uint8_t *x, float scale, float offset, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = (float)x[i * step] * scale + offset;
}

static void plane_of_floats(int64_t count, int64_t step, const float *x, float scale, float offset, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i * step] * scale + offset;
}

/* y[n][c][h][w] = x[n][h][w][c] · scale + offset */
void tri__ref_image(int64_t n, int64_t h, int64_t w, int64_t c, tri_type type, const void *x, float scale, float offset, float *y)
{
    for (int64_t example = 0; example < n; example++)
        for (int64_t channel = 0; channel < c; channel++, y += h * w) {
            const int64_t first = example * h * w * c + channel;
            if (type == TRI_U8)
                plane_of_bytes(h * w, c, (const uint8_t *)x + first, scale, offset, y);
            else
                plane_of_floats(h * w, c, (const float *)x + first, scale, offset, y);
        }
}
