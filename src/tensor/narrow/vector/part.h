/* part.h: what the parts of the vector code share: names, the division of work, and the multiplication in a block of registers. */
#ifndef TRI_TENSOR_NARROW_VECTOR_PART_H
#define TRI_TENSOR_NARROW_VECTOR_PART_H

#include "tensor/narrow/code.h"
#include "tensor/narrow/vector/vector.h"

/* ISA(import) is tri__narrow_import_avx2 where TRI_ISA is avx2. */
#define ISA_JOIN(name, isa) tri__narrow_##name##_##isa
#define ISA_NAME(name, isa) ISA_JOIN(name, isa)
#define ISA(name)           ISA_NAME(name, TRI_ISA)

tri__narrow_part ISA(import), ISA(to_lanes), ISA(to_plain), ISA(conv_forward), ISA(conv_backward), ISA(conv_weight), ISA(dense_forward),
    ISA(dense_backward), ISA(softmax_loss), ISA(head_step), ISA(head_forward);
extern const tri__narrow_code ISA(code);

typedef struct {
    int64_t first, end;
} part_range;

/* This thread's share of count things. */
INLINE part_range share(int64_t count, int thread, int threads)
{
    return (part_range){count * thread / threads, count * (thread + 1) / threads};
}

/* How many to take next, where count are left: at most `most` at a time, and about the same number each time: 16 by 3 is 3 3 3 3 2 2. */
INLINE int64_t balanced(int64_t count, int64_t most)
{
    int64_t times = (count + most - 1) / most;
    return (count + times - 1) / times;
}

/* Wait for the team. A team of one does not wait, and may itself run inside another team. */
INLINE void team_barrier(int threads)
{
    if (threads > 1) {
#pragma omp barrier
    }
}

/* Products that are summed into a block of F × P registers: out[f][p] += Σ w[f·across + t·along] · x[p][t's offset], over t < taps. */
typedef struct {
    const float *w;
    int64_t across, along;
    const int32_t *tap; /* t's offset is tap[t]; or, where this is NULL, t · step */
    int64_t step;
    int64_t taps;
} products;

/* Hides where a pointer comes from, so that the compiler keeps it in a register and does not compute it again in the loop. */
#define SETTLE(pointer) __asm__("" : "+r"(pointer))

INLINE void multiply(const int F, const int P, v8 *out, const v8 *const *from, products s)
{
    const v8 *x[4];
    const float *w[6];
    UNROLL
    for (int p = 0; p < P; p++) {
        x[p] = from[p];
        SETTLE(x[p]);
    }
    UNROLL
    for (int f = 0; f < F; f++) {
        w[f] = s.w + f * s.across;
        SETTLE(w[f]);
    }
    for (int64_t t = 0; t < s.taps; t++) {
        const int64_t offset = s.tap ? s.tap[t] : t * s.step;
        v8 a[6];
        UNROLL
        for (int f = 0; f < F; f++)
            a[f] = splat(w[f][t * s.along]);
        UNROLL
        for (int p = 0; p < P; p++) {
            v8 b = x[p][offset];
            if (F == 2) /* with three uses the compiler does it itself */
                LOADED(b);
            UNROLL
            for (int f = 0; f < F; f++)
                out[f * P + p] += a[f] * b;
        }
    }
}

/* The same with the roles of the registers changed: x is kept and w streams, for F > P. */
INLINE void multiply_tall(const int F, const int P, v8 *out, const v8 *const *x, products s)
{
    for (int64_t t = 0; t < s.taps; t++) {
        const int64_t offset = s.tap ? s.tap[t] : t * s.step;
        v8 a[2];
        UNROLL
        for (int p = 0; p < P; p++)
            a[p] = x[p][offset];
        UNROLL
        for (int f = 0; f < F; f++) {
            v8 w = splat(s.w[f * s.across + t * s.along]);
            UNROLL
            for (int p = 0; p < P; p++)
                out[f * P + p] += w * a[p];
        }
    }
}

#endif
