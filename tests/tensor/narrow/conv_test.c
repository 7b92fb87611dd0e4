/* conv_test.c: narrow convolutions against plain loops, in every instruction set that the machine has. */
#include "tensor/narrow/rig.h"

/* What plain loops say about one spec: all plain row-major, in double. */
typedef struct {
    int64_t rows, columns, x_count, y_count, weights;
    float *x, *w, *b, *dy;
    double *y, *dw, *db, *dx;
} expected;

static double x_at(const tri__narrow_conv *s, const float *x, int64_t c, int64_t row, int64_t column)
{
    row -= s->pad_h;
    column -= s->pad_w;
    bool inside = row >= 0 && row < s->height && column >= 0 && column < s->width;
    return inside ? (double)x[(c * s->height + row) * s->width + column] : 0;
}

/* The convolution of one example at one place. */
static double conv_at(const tri__narrow_conv *s, const expected *e, const float *x, int64_t f, int64_t row, int64_t column)
{
    double total = s->bias ? (double)e->b[f] : 0;
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < s->kernel_h; i++)
            for (int64_t j = 0; j < s->kernel_w; j++)
                total += x_at(s, x, c, row * s->stride_h + i, column * s->stride_w + j) *
                         (double)e->w[((f * s->channels + c) * s->kernel_h + i) * s->kernel_w + j];
    return s->relu && total < 0 ? 0 : total;
}

/* The gradients that one output of the convolution, with gradient d, leads to. */
static void spread(const tri__narrow_conv *s, expected *e, int64_t n, int64_t f, int64_t row, int64_t column, double d)
{
    const float *x = e->x + n * e->x_count;
    e->db[f] += d;
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < s->kernel_h; i++)
            for (int64_t j = 0; j < s->kernel_w; j++) {
                const int64_t at = ((f * s->channels + c) * s->kernel_h + i) * s->kernel_w + j;
                const int64_t xr = row * s->stride_h + i, xc = column * s->stride_w + j;
                e->dw[at] += d * x_at(s, x, c, xr, xc);
                if (xr >= s->pad_h && xr < s->height + s->pad_h && xc >= s->pad_w && xc < s->width + s->pad_w)
                    e->dx[n * e->x_count + (c * s->height + xr - s->pad_h) * s->width + xc - s->pad_w] += d * (double)e->w[at];
            }
}

/* One value of y, and what its dy leads to. */
static void expect_one(const tri__narrow_conv *s, expected *e, int64_t n, int64_t f, int64_t row, int64_t column)
{
    const int64_t k = s->pool == TRI_NARROW_NO_POOL ? 1 : s->pool_size;
    const int64_t at = (n * s->filters + f) * e->rows * e->columns + row * e->columns + column;
    double total = 0, best = -INFINITY;
    int64_t winner = 0;
    for (int64_t p = 0; p < k * k; p++) {
        double value = conv_at(s, e, e->x + n * e->x_count, f, row * k + p / k, column * k + p % k);
        total += value;
        if (value > best) {
            best = value;
            winner = p;
        }
    }
    e->y[at] = s->pool == TRI_NARROW_MAX ? best : total / (double)(k * k);
    for (int64_t p = 0; p < k * k; p++) {
        double value = conv_at(s, e, e->x + n * e->x_count, f, row * k + p / k, column * k + p % k);
        double share = s->pool == TRI_NARROW_MAX ? (double)(p == winner) : 1 / (double)(k * k);
        if (!s->relu || value > 0)
            spread(s, e, n, f, row * k + p / k, column * k + p % k, share * (double)e->dy[at]);
    }
}

static expected expected_of(const tri__narrow_conv *s)
{
    expected e = {.rows = tri__narrow_conv_rows(s), .columns = tri__narrow_conv_columns(s)};
    e.x_count = s->channels * s->height * s->width;
    e.y_count = s->filters * e.rows * e.columns;
    e.weights = s->filters * s->channels * s->kernel_h * s->kernel_w;
    e.x = random_floats(s->batch * e.x_count, 1);
    e.w = random_floats(e.weights, 2);
    e.b = random_floats(s->filters, 3);
    e.dy = random_floats(s->batch * e.y_count, 4);
    e.y = zeros(s->batch * e.y_count);
    e.dw = zeros(e.weights);
    e.db = zeros(s->filters);
    e.dx = zeros(s->batch * e.x_count);
    for (int64_t n = 0; n < s->batch; n++)
        for (int64_t f = 0; f < s->filters; f++)
            for (int64_t row = 0; row < e.rows; row++)
                for (int64_t column = 0; column < e.columns; column++)
                    expect_one(s, &e, n, f, row, column);
    return e;
}

static void expected_fini(expected *e)
{
    void *all[] = {e->x, e->w, e->b, e->dy, e->y, e->dw, e->db, e->dx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static rig forward_rig(const tri__narrow_conv *s, const expected *e, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_conv_forward(s, team, &kernel));
    rig r = rig_of(kernel);
    put_lanes(r.data[0], e->x, s->batch, e->x_count);
    memcpy(r.data[1], e->w, (size_t)e->weights * sizeof(float));
    if (s->bias)
        memcpy(r.data[2], e->b, (size_t)s->filters * sizeof(float));
    return r;
}

static rig backward_rig(const tri__narrow_conv *s, const expected *e, bool want_dx, const rig *forward, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_conv_backward(s, want_dx, team, &kernel));
    rig r = rig_of(kernel);
    put_lanes(r.data[0], e->dy, s->batch, e->y_count);
    memcpy(r.data[1], forward->data[0], kernel->argument[1].bytes);
    memcpy(r.data[2], e->w, (size_t)e->weights * sizeof(float));
    const int mask = kernel->inputs + kernel->outputs, their_mask = forward->kernel->inputs + forward->kernel->outputs;
    assert_int_equal(kernel->argument[mask].bytes, forward->kernel->argument[their_mask].bytes);
    r.data[mask] = forward->data[their_mask];
    return r;
}

static void compare(const tri__narrow_conv *s, const expected *e, tri__narrow_team team)
{
    rig forward = forward_rig(s, e, team);
    rig_run(&forward);
    assert_lanes(forward.data[forward.kernel->inputs], e->y, s->batch, e->y_count);
    for (int want_dx = 0; want_dx < 2; want_dx++) {
        rig backward = backward_rig(s, e, want_dx, &forward, team);
        rig_run(&backward);
        assert_plain(backward.data[3], e->dw, e->weights);
        if (s->bias)
            assert_plain(backward.data[4], e->db, s->filters);
        if (want_dx) {
            const void *dx = backward.data[3 + backward.kernel->outputs - 1];
            assert_lanes(dx, e->dx, s->batch, e->x_count);
            assert_padding_zero(dx, s->batch, e->x_count);
        }
        rig_fini(&backward);
    }
    rig_fini(&forward);
}

static const tri__narrow_conv specs[] = {
    /* batch, channels, height, width, filters, kernel, stride, pad, bias, relu, pool, size */
    {64, 1, 28, 28, 6, 3, 3, 1, 1, 0, 0, true, true, TRI_NARROW_AVERAGE, 2},
    {9, 6, 13, 13, 16, 3, 3, 1, 1, 0, 0, true, true, TRI_NARROW_AVERAGE, 2},
    {1, 1, 5, 5, 1, 1, 1, 1, 1, 0, 0, false, false, TRI_NARROW_NO_POOL, 0},
    {7, 2, 9, 8, 3, 3, 2, 1, 1, 1, 1, true, true, TRI_NARROW_NO_POOL, 0},
    {9, 3, 11, 7, 4, 5, 3, 2, 1, 2, 1, true, true, TRI_NARROW_MAX, 2},
    {8, 4, 10, 13, 5, 3, 3, 2, 3, 0, 1, false, true, TRI_NARROW_AVERAGE, 3},
    {17, 5, 12, 12, 7, 4, 4, 1, 1, 0, 0, true, false, TRI_NARROW_MAX, 3},
    {3, 1, 32, 9, 2, 5, 5, 1, 1, 2, 2, true, false, TRI_NARROW_AVERAGE, 4},
    {12, 2, 6, 6, 10, 1, 1, 3, 2, 0, 0, true, true, TRI_NARROW_NO_POOL, 0},
    {8, 3, 16, 16, 8, 7, 7, 4, 4, 3, 3, false, true, TRI_NARROW_MAX, 1},
    {2, 1, 3, 3, 1, 3, 3, 1, 1, 3, 0, true, true, TRI_NARROW_NO_POOL, 0},
};

static void test_team(tri__narrow_team team)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        expected e = expected_of(&specs[i]);
        compare(&specs[i], &e, team);
        expected_fini(&e);
    }
}

static void narrow_convolution_agrees_with_plain_loops(void **state)
{
    (void)state;
    for_all_teams(test_team);
}

/* A NaN in one example's input is in that example's output and in the weights' gradient, and nowhere else. */
static void narrow_convolution_carries_nan_to_its_results(void **state)
{
    (void)state;
    for (int i = 0; tri__narrow_isa(i); i++)
        for (tri__narrow_pool pool = TRI_NARROW_NO_POOL; pool <= TRI_NARROW_MAX; pool++) {
            const tri__narrow_conv s = {.batch = 9,
                                        .channels = 2,
                                        .height = 6,
                                        .width = 6,
                                        .filters = 4,
                                        .kernel_h = 3,
                                        .kernel_w = 3,
                                        .stride_h = 1,
                                        .stride_w = 1,
                                        .bias = true,
                                        .relu = true,
                                        .pool = pool,
                                        .pool_size = 2};
            expected e = expected_of(&s);
            e.x[3 * e.x_count + 6 + 1] = NAN;
            const tri__narrow_team team = {.threads = 2, .isa = tri__narrow_isa(i)};
            rig forward = forward_rig(&s, &e, team);
            rig_run(&forward);
            rig backward = backward_rig(&s, &e, false, &forward, team);
            rig_run(&backward);
            assert_true(isnan(lane(forward.data[3], 3, 0, e.y_count)));
            for (int64_t n = 0; n < s.batch; n++)
                for (int64_t at = 0; n != 3 && at < e.y_count; at++)
                    assert_false(isnan(lane(forward.data[3], n, at, e.y_count)));
            double total = 0;
            for (int64_t at = 0; at < e.weights; at++)
                total += (double)((float *)backward.data[3])[at];
            assert_true(isnan(total));
            rig_fini(&backward);
            rig_fini(&forward);
            expected_fini(&e);
        }
}

/* The same team gives the same bits, run after run. */
static void narrow_convolution_gives_the_same_bits_again(void **state)
{
    (void)state;
    const tri__narrow_conv *s = &specs[1];
    expected e = expected_of(s);
    const tri__narrow_team team = {.threads = 2};
    rig forward = forward_rig(s, &e, team);
    rig_run(&forward);
    rig first = backward_rig(s, &e, true, &forward, team), second = backward_rig(s, &e, true, &forward, team);
    rig_run(&first);
    rig_run(&second);
    rig_run(&second);
    for (int i = 3; i < 6; i++)
        assert_memory_equal(first.data[i], second.data[i], first.kernel->argument[i].bytes);
    rig_fini(&second);
    rig_fini(&first);
    rig_fini(&forward);
    expected_fini(&e);
}

static void narrow_convolution_refuses_shapes_it_cannot_do(void **state)
{
    (void)state;
    tri__kernel *kernel;
    const tri__narrow_team team = {.threads = 1};
    tri__narrow_conv s = specs[0];
    s.kernel_h = 29;
    assert_fails(tri__narrow_conv_forward(&s, team, &kernel), TRI_BAD_CALL, "does not fit");
    s = specs[0];
    s.pool_size = 27;
    assert_fails(tri__narrow_conv_backward(&s, false, team, &kernel), TRI_UNSUPPORTED, "at most 15");
    s = specs[0];
    s.filters = 0;
    assert_fails(tri__narrow_conv_forward(&s, team, &kernel), TRI_BAD_CALL, "at least 1");
    s = specs[2];
    s.pool = TRI_NARROW_MAX;
    s.pool_size = 6;
    assert_fails(tri__narrow_conv_forward(&s, team, &kernel), TRI_BAD_CALL, "nothing is left");
    assert_fails(tri__narrow_conv_forward(&specs[0], (tri__narrow_team){.threads = 1, .isa = "mmx"}, &kernel), TRI_UNSUPPORTED, "mmx");
    assert_fails(tri__narrow_conv_forward(&specs[0], (tri__narrow_team){.threads = 0}, &kernel), TRI_BAD_CALL, "at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_convolution_agrees_with_plain_loops),
        cmocka_unit_test(narrow_convolution_carries_nan_to_its_results),
        cmocka_unit_test(narrow_convolution_gives_the_same_bits_again),
        cmocka_unit_test(narrow_convolution_refuses_shapes_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
