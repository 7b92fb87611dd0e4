/* dense.c: dense layers in the LANES layout: six outputs × two groups of examples in twelve registers.
 *
 * The weights' gradient sums over examples, which lie in the lanes. So x and dy are first transposed, x to panels of 16 inputs
 * [in/16][examples][16], dy to panels of up to six outputs [out/6][examples][6]; then six outputs × 16 inputs are summed over all examples
 * in the same block of registers, and dw is written once, in order. */
#include "tensor/narrow/vector/part.h"

#define TALL      6   /* outputs in a block of registers */
#define TAPS_ONCE 256 /* inputs that are summed before the next outputs, so that the inputs of two groups stay in the L1 cache */

/* One block: F outputs × P groups over some taps. */
typedef struct {
    products s;
    const v8 *x; /* [P], pitch apart, in vectors */
    int64_t x_pitch;
    v8 *y; /* [F] side by side, [P] pitch apart */
    int64_t y_pitch;
    const float *start; /* [F], the bias; NULL for 0 */
    bool again;         /* add to what is in y */
    bool relu;
} tile;

INLINE void run_block(const int F, const int P, const tile *a)
{
    v8 out[12];
    const v8 *x[2];
    UNROLL
    for (int p = 0; p < P; p++) {
        x[p] = a->x + p * a->x_pitch;
        UNROLL
        for (int f = 0; f < F; f++)
            out[f * P + p] = a->again ? a->y[p * a->y_pitch + f] : splat(a->start ? a->start[f] : 0);
    }
    multiply_tall(F, P, out, x, a->s);
    UNROLL
    for (int p = 0; p < P; p++) {
        UNROLL
        for (int f = 0; f < F; f++)
            a->y[p * a->y_pitch + f] = a->relu ? keep(passes(out[f * P + p]), out[f * P + p]) : out[f * P + p];
    }
}

#define CASES_OF_F(P, body)                                                                                                                \
    switch (F) {                                                                                                                           \
    case 6:                                                                                                                                \
        body(6, P);                                                                                                                        \
        break;                                                                                                                             \
    case 5:                                                                                                                                \
        body(5, P);                                                                                                                        \
        break;                                                                                                                             \
    case 4:                                                                                                                                \
        body(4, P);                                                                                                                        \
        break;                                                                                                                             \
    case 3:                                                                                                                                \
        body(3, P);                                                                                                                        \
        break;                                                                                                                             \
    case 2:                                                                                                                                \
        body(2, P);                                                                                                                        \
        break;                                                                                                                             \
    default:                                                                                                                               \
        body(1, P);                                                                                                                        \
    }

static void run_tile(int64_t F, int64_t P, const tile *a)
{
#define RUN(f, p) run_block(f, p, a)
    if (P == 2)
        CASES_OF_F(2, RUN)
    else
        CASES_OF_F(1, RUN)
#undef RUN
}

/* y[group][f] = start[f] + Σ x[group][t] · w[f·across + t·along] for all f < outputs, groups [first, first + P) */
static void run_groups(tile a, int64_t outputs, int64_t P)
{
    const products whole = a.s;
    const v8 *x = a.x;
    v8 *y = a.y;
    const float *start = a.start;
    const bool relu = a.relu;
    for (int64_t t = 0, taps; t < whole.taps; t += taps) {
        taps = balanced(whole.taps - t, TAPS_ONCE);
        a.s.taps = taps;
        a.x = x + t;
        a.again = t > 0;
        a.relu = relu && t + taps == whole.taps;
        for (int64_t f = 0, F; f < outputs; f += F) {
            F = balanced(outputs - f, TALL);
            a.s.w = whole.w + f * whole.across + t * whole.along;
            a.y = y + f;
            a.start = start ? start + f : NULL;
            run_tile(F, P, &a);
        }
    }
}

/* All of a thread's groups; where there are fewer groups than threads the outputs are divided instead. */
static void run_all(tile a, int64_t groups, int64_t outputs, int thread, int threads)
{
    const bool by_groups = groups >= threads;
    const part_range mine = by_groups ? share(groups, thread, threads) : (part_range){0, groups};
    const part_range f = by_groups ? (part_range){0, outputs} : share(outputs, thread, threads);
    for (int64_t group = mine.first, P; group < mine.end; group += P) {
        P = mine.end - group < 2 ? 1 : 2;
        tile b = a;
        b.x += group * a.x_pitch;
        b.y += group * a.y_pitch + f.first;
        b.s.w += f.first * a.s.across;
        b.start = a.start ? a.start + f.first : NULL;
        run_groups(b, f.end - f.first, P);
    }
}

/* x, w, [b] → y */
void ISA(dense_forward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_dense_geometry *g = geometry;
    const tri__narrow_dense *spec = &g->spec;
    tile a = {.x = data[0], .x_pitch = spec->in, .y = data[spec->bias ? 3 : 2], .y_pitch = spec->out, .relu = spec->relu};
    a.s = (products){.w = data[1], .across = spec->in, .along = 1, .step = 1, .taps = spec->in};
    a.start = spec->bias ? data[2] : NULL;
    run_all(a, g->groups, spec->out, thread, threads);
}

/* ---- backward ---- */

typedef struct {
    const tri__narrow_dense_geometry *g;
    const v8 *dy, *x, *y; /* lanes; y is NULL without ReLU */
    v8 *stopped;          /* dy after ReLU, [groups][out] */
    float *dy_panels;     /* [out/6][examples][6] */
    v8 *x_panels;         /* [in/16][examples][16] */
} turned;

/* dy of some groups after ReLU, in lanes and in panels. */
static void turn_dy(const turned *a, part_range groups)
{
    const int64_t outputs = a->g->spec.out, examples = a->g->groups * 8;
    for (int64_t f = 0, F; f < outputs; f += F) {
        F = balanced(outputs - f, TALL);
        for (int64_t group = groups.first; group < groups.end; group++) {
            float *panel = a->dy_panels + f * examples + group * 8 * F;
            for (int64_t i = 0; i < F; i++) {
                const int64_t at = group * outputs + f + i;
                const v8 value = a->y ? keep(passes(a->y[at]), a->dy[at]) : a->dy[at];
                a->stopped[at] = value;
                for (int lane = 0; lane < 8; lane++)
                    panel[lane * F + i] = value[lane];
            }
        }
    }
}

/* x of some groups in panels. The last panel has 8 or 16 inputs; inputs that do not exist are 0. */
static void turn_x(const turned *a, part_range groups)
{
    const int64_t in = a->g->spec.in, vectors = (in + 7) / 8, examples = a->g->groups * 8;
    for (int64_t group = groups.first; group < groups.end; group++)
        for (int64_t v = 0; v < vectors; v++) {
            const int64_t count = in - v * 8 < 8 ? in - v * 8 : 8, first = v - v % 2, wide = vectors - first < 2 ? 1 : 2;
            v8 block[8];
            for (int64_t i = 0; i < 8; i++)
                block[i] = i < count ? a->x[group * in + v * 8 + i] : splat(0);
            transpose(block);
            v8 *panel = a->x_panels + first * examples + group * 8 * wide + (v - first);
            for (int64_t i = 0; i < 8; i++)
                panel[i * wide] = block[i];
        }
}

/* F outputs × P vectors of inputs, of which the last has `last` inputs, over all examples. */
INLINE void weight_block(const int F, const int P, const turned *a, int64_t f, int64_t v, int64_t last, float *dw)
{
    const int64_t examples = a->g->groups * 8, in = a->g->spec.in;
    const v8 *panel = a->x_panels + v * examples;
    const v8 *x[2] = {panel, panel + 1};
    v8 out[12];
    UNROLL
    for (int i = 0; i < F * P; i++)
        out[i] = splat(0);
    multiply_tall(F, P, out, x, (products){.w = a->dy_panels + f * examples, .across = 1, .along = F, .step = P, .taps = examples});
    UNROLL
    for (int i = 0; i < F; i++) {
        float *row = dw + (f + i) * in + v * 8;
        UNROLL
        for (int p = 0; p < P - 1; p++)
            store(row + p * 8, out[i * P + p]);
        if (last == 8)
            store(row + (P - 1) * 8, out[i * P + P - 1]);
        else
            store_some(row + (P - 1) * 8, out[i * P + P - 1], last);
    }
}

/* All outputs, panels [first, end) of the inputs. */
static void weight_gradient(const turned *a, part_range panels, float *dw)
{
    const int64_t in = a->g->spec.in, outputs = a->g->spec.out, vectors = (in + 7) / 8;
    for (int64_t v = panels.first * 2; v < panels.end * 2 && v < vectors; v += 2) {
        const int64_t P = vectors - v < 2 ? 1 : 2, left = in - (v + P - 1) * 8, last = left < 8 ? left : 8;
        for (int64_t f = 0, F; f < outputs; f += F) {
            F = balanced(outputs - f, TALL);
#define RUN(rows, columns) weight_block(rows, columns, a, f, v, last, dw)
            if (P == 2)
                CASES_OF_F(2, RUN)
            else
                CASES_OF_F(1, RUN)
#undef RUN
        }
    }
}

static void bias_gradient(const turned *a, part_range outputs, float *db)
{
    for (int64_t f = outputs.first; f < outputs.end; f++) {
        v8 total = splat(0);
        for (int64_t group = 0; group < a->g->groups; group++)
            total += a->stopped[group * a->g->spec.out + f];
        db[f] = sum(total);
    }
}

/* dy, x, w, [y] → dw, [db], [dx] | scratch. Each thread transposes its groups; then the team divides dw by inputs and dx by groups. */
void ISA(dense_backward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_dense_geometry *g = geometry;
    const tri__narrow_dense *spec = &g->spec;
    const int dw_argument = spec->relu ? 4 : 3, dx_argument = dw_argument + (spec->bias ? 2 : 1),
              scratch_argument = dx_argument + (g->want_dx ? 1 : 0);
    turned a = {.g = g, .dy = data[0], .x = data[1], .y = spec->relu ? data[3] : NULL, .stopped = data[scratch_argument]};
    a.dy_panels = (float *)(a.stopped + g->groups * spec->out);
    a.x_panels = a.stopped + 2 * g->groups * spec->out;
    const part_range groups = share(g->groups, thread, threads);
    turn_dy(&a, groups);
    turn_x(&a, groups);
    team_barrier(threads);
    weight_gradient(&a, share((spec->in + 15) / 16, thread, threads), data[dw_argument]);
    if (spec->bias)
        bias_gradient(&a, share(spec->out, thread, threads), data[dw_argument + 1]);
    if (!g->want_dx)
        return;
    tile b = {.x = a.stopped, .x_pitch = spec->out, .y = data[dx_argument], .y_pitch = spec->in};
    b.s = (products){.w = data[2], .across = 1, .along = spec->in, .step = 1, .taps = spec->out};
    run_all(b, g->groups, spec->in, thread, threads);
}
