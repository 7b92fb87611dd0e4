/* head.c: a softmax classifier on the input itself: logits, loss and gradient in one pass over the rows.
 *
 * x is plain, and its rows may stand anywhere: a vector holds eight columns of one row. Logits: five classes × two rows in ten registers
 * over the columns; the sums of eight rows and one class are added up together, which gives them in lanes for the softmax. Gradient: five
 * classes × sixteen columns in ten registers over the rows of a block, which are still in the cache. Scale and offset never touch x: they
 * are folded into the logits' constants and into d.
 *
 * A team divides the columns. Each thread has its part of the weights and of their gradient to itself; only logits are exchanged, with
 * one barrier a block and two sets of buffers in turn. Every thread computes the softmax for itself. */
#include "tensor/narrow/vector/softmax.h"

#define CLASSES_ONCE   5
#define PREFETCH_BYTES 64
#define ROWS_AHEAD     8

typedef struct {
    const tri__narrow_head_geometry *g;
    const uint8_t *const *row; /* [batch] */
    const float *w;
    part_range mine; /* columns */
    int64_t vectors; /* whole vectors of these columns; the rest is fewer than eight columns */
} head;

INLINE v8 load_x(const bool bytes, const uint8_t *row, int64_t column)
{
    return bytes ? load_bytes(row + column) : load((const float *)(const void *)row + column);
}

INLINE float one_x(const bool bytes, const uint8_t *row, int64_t column)
{
    return bytes ? (float)row[column] : ((const float *)(const void *)row)[column];
}

static head head_of(const tri__narrow_head_geometry *g, const void *rows, const float *w, part_range mine)
{
    return (head){.g = g, .row = rows, .w = w, .mine = mine, .vectors = (mine.end - mine.first) / 8};
}

/* ---- logits ---- */

/* Prefetch the same columns of a later group of rows: one cache line after another, so that no burst of them stalls the CPU. */
INLINE void prefetch_ahead(const bool bytes, const int R, const head *h, int64_t row, int64_t column)
{
    const int64_t at = bytes ? column : column * (int64_t)sizeof(float), ahead = row + ROWS_AHEAD;
    if (at % PREFETCH_BYTES != 0 || ahead + R > h->g->spec.batch)
        return;
    UNROLL
    for (int r = 0; r < R; r++)
        __builtin_prefetch(h->row[ahead + r] + at);
}

/* out[r][f] = Σ x[r][column] · w[f][column] over this thread's columns, not yet summed over lanes */
INLINE void rows_times_classes(const bool bytes, const int F, const int R, const head *h, int64_t first, int64_t class, v8 *out)
{
    const int64_t in = h->g->spec.in;
    const float *w = h->w + class * in;
    const uint8_t *const row[2] = {h->row[first], h->row[first + R - 1]};
    v8 total[10];
    UNROLL
    for (int i = 0; i < F * R; i++)
        total[i] = splat(0);
    for (int64_t column = h->mine.first; column < h->mine.first + h->vectors * 8; column += 8) {
        v8 x[2];
        if (class == 0)
            prefetch_ahead(bytes, R, h, first, column);
        UNROLL
        for (int r = 0; r < R; r++)
            x[r] = load_x(bytes, row[r], column);
        UNROLL
        for (int f = 0; f < F; f++) {
            v8 a = load(w + f * in + column);
            LOADED(a);
            UNROLL
            for (int r = 0; r < R; r++)
                total[f * R + r] += a * x[r];
        }
    }
    for (int64_t column = h->mine.first + h->vectors * 8; column < h->mine.end; column++) {
        UNROLL
        for (int f = 0; f < F; f++) {
            UNROLL
            for (int r = 0; r < R; r++)
                total[f * R + r][0] += w[f * in + column] * one_x(bytes, row[r], column);
        }
    }
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int r = 0; r < R; r++)
            out[f * 8 + r] = total[f * R + r];
    }
}

/* F classes of up to eight rows from `first` on: z[f] = scale · Σ x·w + constant[f] */
INLINE void logits_of_classes(const bool bytes, const int F, const head *h, int64_t first, int64_t rows, int64_t class,
                              const float *constant, v8 *z)
{
    v8 sum_of[CLASSES_ONCE * 8]; /* [F][8 rows] */
    int64_t row = 0;
    for (; row + 2 <= rows; row += 2)
        rows_times_classes(bytes, F, 2, h, first + row, class, sum_of + row);
    for (; row < rows; row++)
        rows_times_classes(bytes, F, 1, h, first + row, class, sum_of + row);
    for (; row < 8; row++)
        for (int f = 0; f < F; f++)
            sum_of[f * 8 + row] = splat(0);
    for (int f = 0; f < F; f++)
        z[f] = sums(sum_of + f * 8) * splat(h->g->spec.scale) + splat(constant[class + f]);
}

#define CASES_OF_F(body)                                                                                                                   \
    switch (F) {                                                                                                                           \
    case 5:                                                                                                                                \
        body(5);                                                                                                                           \
        break;                                                                                                                             \
    case 4:                                                                                                                                \
        body(4);                                                                                                                           \
        break;                                                                                                                             \
    case 3:                                                                                                                                \
        body(3);                                                                                                                           \
        break;                                                                                                                             \
    case 2:                                                                                                                                \
        body(2);                                                                                                                           \
        break;                                                                                                                             \
    default:                                                                                                                               \
        body(1);                                                                                                                           \
    }

/* The share of this thread's columns in the logits of groups [first, first + count) of eight rows. z: [count][classes][8] */
INLINE void logits_typed(const bool bytes, const head *h, int64_t first, int64_t count, const float *constant, v8 *z)
{
    const int64_t classes = h->g->spec.classes, batch = h->g->spec.batch;
    for (int64_t class = 0, F; class < classes; class += F) {
        F = balanced(classes - class, CLASSES_ONCE);
        for (int64_t group = first; group < first + count; group++) {
            const int64_t rows = batch - group * 8 < 8 ? batch - group * 8 : 8;
            v8 *to = z + (group - first) * classes + class;
#define RUN(f) logits_of_classes(bytes, f, h, group * 8, rows, class, constant, to)
            CASES_OF_F(RUN)
#undef RUN
        }
    }
}

static void logits(const head *h, int64_t first, int64_t count, const float *constant, v8 *z)
{
    if (h->g->spec.type == TRI_U8)
        logits_typed(true, h, first, count, constant, z);
    else
        logits_typed(false, h, first, count, constant, z);
}

/* Σ w over this thread's columns of one class */
static float sum_weights(const head *h, const float *w)
{
    v8 total = splat(0);
    int64_t column = h->mine.first;
    for (; column + 8 <= h->mine.end; column += 8)
        total += load(w + column);
    return sum(total + load_some(w + column, h->mine.end - column));
}

/* What to add to each logit: offset · Σ w over this thread's columns, and the bias (NULL where another thread adds it). */
static void constants(const head *h, const float *bias, float *constant)
{
    const tri__narrow_head *spec = &h->g->spec;
    for (int64_t class = 0; class < spec->classes; class ++) {
        const float total = spec->offset != 0 ? sum_weights(h, h->w + class * spec->in) : 0;
        constant[class] = spec->offset * total + (bias ? bias[class] : 0);
    }
}

/* ---- gradient ---- */

/* One block of rows, which is added to dw. */
typedef struct {
    int64_t first, groups;
    const v8 *d;       /* [groups][classes][8 rows], times scale */
    const float *plus; /* [classes] to add at the end, or NULL while there are more blocks */
    bool again;        /* dw holds the sums of earlier blocks */
    float *dw;
} gradient;

/* F classes × V vectors of columns over the block's rows. */
INLINE void classes_times_columns(const bool bytes, const int F, const int V, const head *h, const gradient *b, int64_t class,
                                  int64_t column)
{
    const int64_t classes = h->g->spec.classes, in = h->g->spec.in, batch = h->g->spec.batch;
    float *dw = b->dw + class * in + column;
    v8 total[10];
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int v = 0; v < V; v++)
            total[f * V + v] = b->again ? load(dw + f * in + v * 8) : splat(0);
    }
    for (int64_t group = 0; group < b->groups; group++) {
        const int64_t first = (b->first + group) * 8, rows = batch - first < 8 ? batch - first : 8;
        const float *d = (const float *)(b->d + group * classes + class);
        for (int64_t r = 0; r < rows; r++) {
            v8 x[2];
            UNROLL
            for (int v = 0; v < V; v++)
                x[v] = load_x(bytes, h->row[first + r], column + v * 8);
            UNROLL
            for (int f = 0; f < F; f++) {
                v8 a = splat(d[f * 8 + r]);
                UNROLL
                for (int v = 0; v < V; v++)
                    total[f * V + v] += a * x[v];
            }
        }
    }
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int v = 0; v < V; v++)
            store(dw + f * in + v * 8, total[f * V + v] + splat(b->plus ? b->plus[class + f] : 0));
    }
}

/* The last columns, which do not fill a vector. */
static void last_columns(const bool bytes, const head *h, const gradient *b)
{
    const int64_t classes = h->g->spec.classes, in = h->g->spec.in, batch = h->g->spec.batch;
    for (int64_t class = 0; class < classes; class ++)
        for (int64_t column = h->mine.first + h->vectors * 8; column < h->mine.end; column++) {
            float total = b->again ? b->dw[class * in + column] : 0;
            for (int64_t row = b->first * 8; row < (b->first + b->groups) * 8 && row < batch; row++) {
                const int64_t group = row / 8 - b->first;
                total += b->d[group * classes + class][row % 8] * one_x(bytes, h->row[row], column);
            }
            b->dw[class * in + column] = total + (b->plus ? b->plus[class] : 0);
        }
}

INLINE void gradient_typed(const bool bytes, const head *h, const gradient *b)
{
    const int64_t classes = h->g->spec.classes, end = h->mine.first + h->vectors * 8;
    for (int64_t class = 0, F; class < classes; class += F) {
        F = balanced(classes - class, CLASSES_ONCE);
        int64_t column = h->mine.first;
        for (; column + 16 <= end; column += 16) {
#define RUN(f) classes_times_columns(bytes, f, 2, h, b, class, column)
            CASES_OF_F(RUN)
#undef RUN
        }
        if (column < end) {
#define RUN(f) classes_times_columns(bytes, f, 1, h, b, class, column)
            CASES_OF_F(RUN)
#undef RUN
        }
    }
    last_columns(bytes, h, b);
}

/* ---- one thread's part ---- */

/* This thread's columns; the borders lie between vectors. */
static part_range columns_of(int64_t in, int thread, int threads)
{
    part_range mine = share((in + 15) / 16, thread, threads);
    return (part_range){mine.first * 16 < in ? mine.first * 16 : in, mine.end * 16 < in ? mine.end * 16 : in};
}

/* Add the shares of the other threads' columns to z. All threads add in the same order, so all get the same bits. */
static void add_logits(const tri__narrow_head_geometry *g, const v8 *scratch, int64_t set, int64_t count, int threads, v8 *z)
{
    for (int64_t i = 0; i < count; i++) {
        v8 total = scratch[set + i];
        for (int thread = 1; thread < threads; thread++)
            total += scratch[thread * g->private_vectors + set + i];
        z[i] = total;
    }
}

/* x, labels, weights, w, [b] → loss, dw, [db] | scratch: of each thread z [2][block][classes], d [block][classes] */
void ISA(head_step)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_head_geometry *g = geometry;
    const tri__narrow_head *spec = &g->spec;
    const int loss_argument = spec->bias ? 5 : 4, scratch_argument = loss_argument + (spec->bias ? 3 : 2);
    const int64_t set_vectors = g->block * spec->classes;
    const head h = head_of(g, data[0], data[3], columns_of(spec->in, thread, threads));
    v8 *scratch = data[scratch_argument], *z = scratch + thread * g->private_vectors, *d = z + 2 * set_vectors;
    v8 sum_d[TRI_NARROW_HEAD_CLASSES];
    float constant[TRI_NARROW_HEAD_CLASSES], plus[TRI_NARROW_HEAD_CLASSES];
    double loss = 0;
    memset(sum_d, 0, sizeof sum_d);
    constants(&h, spec->bias && thread == 0 ? data[4] : NULL, constant);

    for (int64_t first = 0, set = 0; first < g->groups; first += g->block, set = set_vectors - set) {
        const int64_t count = g->groups - first < g->block ? g->groups - first : g->block;
        logits(&h, first, count, constant, z + set);
        team_barrier(threads);
        add_logits(g, scratch, set, count * spec->classes, threads, d);
        for (int64_t group = 0; group < count; group++) {
            v8 *of_group = d + group * spec->classes;
            const truth t = truth_of(data[1], data[2], (first + group) * 8, spec->batch);
            loss += sum_double(softmax_gradient(of_group, spec->classes, t, of_group));
            for (int64_t class = 0; class < spec->classes; class ++) {
                sum_d[class] += of_group[class];
                of_group[class] *= splat(spec->scale);
            }
        }
        const bool last = first + count == g->groups;
        for (int64_t class = 0; last && class < spec->classes; class ++)
            plus[class] = spec->offset * sum(sum_d[class]);
        const gradient b = {
            .first = first, .groups = count, .d = d, .plus = last ? plus : NULL, .again = first > 0, .dw = data[loss_argument + 1]};
        if (spec->type == TRI_U8)
            gradient_typed(true, &h, &b);
        else
            gradient_typed(false, &h, &b);
    }
    if (thread == 0) {
        *(float *)data[loss_argument] = (float)loss;
        for (int64_t class = 0; spec->bias && class < spec->classes; class ++)
            ((float *)data[loss_argument + 2])[class] = sum(sum_d[class]);
    }
}

/* x, w, [b] → logits [batch][classes] | scratch. The team divides the rows. */
void ISA(head_forward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_head_geometry *g = geometry;
    const tri__narrow_head *spec = &g->spec;
    const head h = head_of(g, data[0], data[1], (part_range){0, spec->in});
    float *out = data[spec->bias ? 3 : 2];
    v8 *z = (v8 *)data[spec->bias ? 4 : 3] + thread * g->private_vectors;
    float constant[TRI_NARROW_HEAD_CLASSES];
    constants(&h, spec->bias ? data[2] : NULL, constant);
    const part_range mine = share(g->groups, thread, threads);
    for (int64_t first = mine.first; first < mine.end; first += g->block) {
        const int64_t count = mine.end - first < g->block ? mine.end - first : g->block;
        logits(&h, first, count, constant, z);
        for (int64_t row = first * 8; row < (first + count) * 8 && row < spec->batch; row++)
            for (int64_t class = 0; class < spec->classes; class ++)
                out[row * spec->classes + class] = z[(row / 8 - first) * spec->classes + class][row % 8];
    }
}
