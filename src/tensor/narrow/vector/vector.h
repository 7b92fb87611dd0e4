/* vector.h: eight floats at once, in the compiler's portable vector types.
 *
 * The files of this folder are compiled once for each instruction set, with TRI_ISA as its name; for a CPU with narrower registers the
 * compiler makes two or more instructions of each operation. Everything is inlined, so that the numbers of rows and columns of a block of
 * registers are constants: loops over them are marked UNROLL, and the compiler unrolls them. */
#ifndef TRI_TENSOR_NARROW_VECTOR_VECTOR_H
#define TRI_TENSOR_NARROW_VECTOR_VECTOR_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* Keep a loaded vector in a register: otherwise the compiler loads it again for each use. */
#if defined(__AVX__)
#define LOADED(vector) __asm__("" : "+v"(vector))
#else
#define LOADED(vector) ((void)0)
#endif

typedef float v8 __attribute__((vector_size(32), may_alias));
typedef float v8_anywhere __attribute__((vector_size(32), aligned(4), may_alias)); /* at any float's address */
typedef int32_t v8i __attribute__((vector_size(32), may_alias));
typedef uint32_t v8u __attribute__((vector_size(32), may_alias)); /* bit patterns: they may overflow */
typedef uint8_t bytes32 __attribute__((vector_size(32)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));

INLINE v8 splat(float a)
{
    return (v8){a, a, a, a, a, a, a, a};
}

INLINE v8i splat_int(int32_t a)
{
    return (v8i){a, a, a, a, a, a, a, a};
}

INLINE v8 load(const float *p)
{
    return *(const v8_anywhere *)p;
}

INLINE void store(float *p, v8 a)
{
    *(v8_anywhere *)p = a;
}

/* The first count floats, count ≤ 8; the rest of the vector is 0. */
INLINE v8 load_some(const float *p, int64_t count)
{
    v8 a = splat(0);
    memcpy(&a, p, (size_t)count * sizeof *p);
    return a;
}

INLINE void store_some(float *p, v8 a, int64_t count)
{
    memcpy(p, &a, (size_t)count * sizeof *p);
}

/* Eight bytes as integers. */
INLINE v8i widen(const uint8_t *p)
{
#if defined(__AVX2__)
    return (v8i)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
#else
    bytes8 a;
    memcpy(&a, p, sizeof a);
    return __builtin_convertvector(a, v8i);
#endif
}

/* The low byte of each integer; all integers must be in [0, 255]. */
INLINE void store_narrowed(uint8_t *p, v8i a)
{
#if defined(__AVX2__)
    __m128i low = _mm256_castsi256_si128((__m256i)a), high = _mm256_extracti128_si256((__m256i)a, 1);
    __m128i words = _mm_packs_epi32(low, high);
    _mm_storel_epi64((__m128i *)(void *)p, _mm_packus_epi16(words, words));
#else
    bytes32 b = (bytes32)a;
    bytes8 bytes = __builtin_shufflevector(b, b, 0, 4, 8, 12, 16, 20, 24, 28);
    memcpy(p, &bytes, sizeof bytes);
#endif
}

INLINE v8 load_bytes(const uint8_t *p)
{
    return __builtin_convertvector(widen(p), v8);
}

/* a where mask is set, 0 elsewhere. */
INLINE v8 keep(v8i mask, v8 a)
{
    return (v8)((v8i)a & mask);
}

INLINE v8 choose(v8i mask, v8 yes, v8 no)
{
    return (v8)(((v8i)yes & mask) | ((v8i)no & ~mask));
}

/* Where ReLU lets pass: positive numbers, and NaN, so that NaN in is NaN out. */
INLINE v8i passes(v8 a)
{
#if defined(__AVX2__)
    return (v8i)_mm256_cmp_ps((__m256)a, _mm256_setzero_ps(), _CMP_NLE_UQ); /* the compiler would make two instructions of it */
#else
    return ~(a <= splat(0));
#endif
}

/* Rows become columns: a[i][j] ↔ a[j][i]. */
INLINE void transpose(v8 *a)
{
    v8 b[8], c[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            c[i + 2 * j] = __builtin_shufflevector(b[i + j], b[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            c[i + 2 * j + 1] = __builtin_shufflevector(b[i + j], b[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        a[i] = __builtin_shufflevector(c[i], c[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        a[i + 4] = __builtin_shufflevector(c[i], c[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* The sums of eight vectors, as one vector. */
INLINE v8 sums(v8 *a)
{
    transpose(a);
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

INLINE float sum(v8 a)
{
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

/* eˣ for x ≤ 88, to 2 units in the last place; 0 below −87, NaN for NaN. x = n·ln 2 + r, eˣ = 2ⁿ·eʳ. */
INLINE v8 exponential(v8 x)
{
    const v8 shift = splat(0x1.8p23f); /* adding it rounds to an integer, which is then in the low bits */
    v8 shifted = x * splat(0x1.715476p0f) + shift;
    v8 n = shifted - shift;
    v8 r = x - n * splat(0x1.62e4p-1f) - n * splat(0x1.7f7d1cp-20f);
    v8 p = splat(1.3981999507e-3f);
    p = p * r + splat(8.3334519073e-3f);
    p = p * r + splat(4.1665795894e-2f);
    p = p * r + splat(1.6666665459e-1f);
    p = p * r + splat(5.0000001201e-1f);
    p = p * r * r + r + splat(1);
    v8 power = (v8)(((v8u)shifted << 23) + (v8u)splat_int(0x3f800000));
    return keep(~(x < splat(-87)), p * power);
}

/* The natural logarithm of a normal positive number, to 2 units in the last place; NaN for NaN and infinity. */
INLINE v8 logarithm(v8 x)
{
    v8i bits = (v8i)x - splat_int(0x3f3504f3); /* √½: the mantissa comes to lie between √½ and √2 */
    v8 exponent = __builtin_convertvector(bits >> 23, v8);
    v8 m = (v8)((bits & splat_int(0x7fffff)) + splat_int(0x3f3504f3)) - splat(1);
    v8 p = splat(7.0376836292e-2f);
    p = p * m + splat(-1.1514610310e-1f);
    p = p * m + splat(1.1676998740e-1f);
    p = p * m + splat(-1.2420140846e-1f);
    p = p * m + splat(1.4249322787e-1f);
    p = p * m + splat(-1.6668057665e-1f);
    p = p * m + splat(2.0000714765e-1f);
    p = p * m + splat(-2.4999993993e-1f);
    p = p * m + splat(3.3333331174e-1f);
    v8 square = m * m;
    v8 result = p * m * square + exponent * splat(-2.12194440e-4f) - splat(0.5f) * square + m + exponent * splat(0.693359375f);
    return result + (x - x);
}

#endif
