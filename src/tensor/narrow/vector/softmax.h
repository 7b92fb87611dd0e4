/* softmax.h: softmax cross-entropy of eight examples at once. */
#ifndef TRI_TENSOR_NARROW_VECTOR_SOFTMAX_H
#define TRI_TENSOR_NARROW_VECTOR_SOFTMAX_H

#include "tensor/narrow/vector/part.h"

/* Labels and weights of the eight examples from first on; examples beyond the batch have weight 0. */
typedef struct {
    v8i label;
    v8 weight;
} truth;

INLINE truth truth_of(const int32_t *labels, const float *weights, int64_t first, int64_t batch)
{
    const int64_t count = batch - first < 8 ? batch - first : 8;
    truth t = {.label = splat_int(0), .weight = splat(0)};
    memcpy(&t.label, labels + first, (size_t)count * sizeof *labels);
    memcpy(&t.weight, weights + first, (size_t)count * sizeof *weights);
    return t;
}

INLINE v8 largest(const v8 *z, int64_t classes)
{
    v8 most = z[0];
    for (int64_t c = 1; c < classes; c++)
        most = choose((z[c] > most) | (z[c] != z[c]), z[c], most);
    return most;
}

/* z: [classes][8] → d = weight · (softmax(z) − onehot), and returns the weighted losses of the eight examples. z and d may be the same. */
INLINE v8 softmax_gradient(const v8 *z, int64_t classes, truth t, v8 *d)
{
    const v8 most = largest(z, classes);
    v8 total = splat(0), at_label = splat(0);
    for (int64_t c = 0; c < classes; c++) {
        const v8 relative = z[c] - most;
        at_label = choose(t.label == splat_int((int32_t)c), relative, at_label);
        d[c] = exponential(relative);
        total += d[c];
    }
    const v8i counts = t.weight != splat(0);
    const v8 factor = t.weight / total;
    for (int64_t c = 0; c < classes; c++)
        d[c] = keep(counts, d[c] * factor - keep(t.label == splat_int((int32_t)c), t.weight));
    return keep(counts, t.weight * (logarithm(total) - at_label));
}

/* Sums of losses are kept in double: there may be many. */
INLINE double sum_double(v8 a)
{
    double total = 0;
    for (int lane = 0; lane < 8; lane++)
        total += (double)a[lane];
    return total;
}

#endif
