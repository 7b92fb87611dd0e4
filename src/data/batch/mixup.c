/* mixup.c: draws λ and the other example, and mixes the two. */
#include "data/batch/mixup.h"

#include <math.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/bytes/vector.h"

tri_status tri__mixup_classes(const tri_source_info *source, int64_t wanted, int64_t *out)
{
    *out = 0;
    if (source->labels != TRI_LABEL_CLASS)
        return NULL;
    *out = wanted ? wanted : source->classes;
    if (*out < 1)
        return tri_fail(TRI_BAD_CALL, "%s: --augment mixup mixes labels, and nobody knows which classes it has: leave it out",
                        source->spec);
    return NULL;
}

/* Above 0 and below 1. */
static double uniform(tri__key key, uint64_t counter)
{
    return ((double)(tri__random_bits(key, counter) >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

/* Draw g from the gamma distribution of this shape; gives log g, because with a small shape most g are too small for a double. Marsaglia
 * and Tsang (2000) draw from shape + 1; the power of a uniform number turns that into shape. */
static double draw_log_gamma(tri__key key, double shape)
{
    const double d = shape + 2.0 / 3, c = 1 / sqrt(9 * d);
    for (uint64_t counter = 1;; counter += 3) {
        const double normal = sqrt(-2 * log(uniform(key, counter))) * cos(2 * M_PI * uniform(key, counter + 1));
        const double v = pow(1 + c * normal, 3);
        if (v > 0 && log(uniform(key, counter + 2)) < normal * normal / 2 + d - d * v + d * log(v))
            return log(d * v) + log(uniform(key, 0)) / shape;
    }
}

tri__mixing tri__mixup_draw(double alpha, uint64_t seed, int64_t epoch, int64_t record, int64_t records)
{
    tri__key key = tri__key_split_name(tri__key_of(seed), "mixup");
    key = tri__key_split(tri__key_split(key, (uint64_t)epoch), (uint64_t)record);
    const double own = draw_log_gamma(tri__key_split(key, 0), alpha), other = draw_log_gamma(tri__key_split(key, 1), alpha);
    return (tri__mixing){
        .share = 1 / (1 + exp(other - own)), /* g₁ / (g₁ + g₂) is from Beta(α, α) */
        .partner = (int64_t)tri__random_below(key, 0, (uint64_t)records),
    };
}

/* In fixed point with 16 fractional bits, so that every CPU gives the same bytes. */
TRI_FOR_EVERY_CPU static void mix_bytes(int64_t count, double share, uint8_t *restrict own, const uint8_t *restrict other)
{
    const uint32_t whole = 1U << 16, part = (uint32_t)(share * whole + 0.5), rest = whole - part;
    for (int64_t i = 0; i < count; i++)
        own[i] = (uint8_t)((part * own[i] + rest * other[i] + whole / 2) >> 16);
}

static void mix_floats(int64_t count, double share, float *restrict own, const float *restrict other)
{
    const float part = (float)share, rest = 1 - part;
    for (int64_t i = 0; i < count; i++)
        own[i] = part * own[i] + rest * other[i];
}

void tri__mixup_values(tri_type type, int64_t count, double share, void *own, const void *other)
{
    if (type == TRI_U8)
        mix_bytes(count, share, own, other);
    else
        mix_floats(count, share, own, other);
}

void tri__mixup_labels(int64_t classes, double share, int32_t *label, int32_t other, float *shares)
{
    memset(shares, 0, (size_t)classes * sizeof *shares);
    if ((uint32_t)*label >= (uint64_t)classes)
        return;
    const bool known = (uint32_t)other < (uint64_t)classes;
    if (known) {
        shares[*label] += (float)share;
        shares[other] += 1 - (float)share;
    }
    if (share < 0.5 || !known)
        *label = other;
}

float tri__mixup_weigh(int64_t classes, const float *weights, int64_t known, float *shares)
{
    float sum = 0;
    for (int64_t i = 0; i < classes; i++) {
        shares[i] *= i < known ? weights[i] : 1;
        sum += shares[i];
    }
    for (int64_t i = 0; sum > 0 && i < classes; i++)
        shares[i] /= sum;
    return sum > 0 ? sum : 1;
}
