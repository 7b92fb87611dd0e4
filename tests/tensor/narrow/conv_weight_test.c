/* conv_weight_test.c: the weights' gradient of wide convolutions against plain loops, in every instruction set that the machine has. */
#include "tensor/layout.h"
#include "tensor/narrow/rig.h"

static bool same(const tri__tensor_layout *a, const tri__tensor_layout *b)
{
    return a == b;
}

/* Stands for oneDNN's: the kernel looks only whether there is one. */
static const tri__tensor_layout eights = {.kind = TRI_LAYOUT_ONEDNN, .equal = same};

static int64_t rows_of(const tri__narrow_weight *s)
{
    return (s->height + 2 * s->pad_h - s->kernel_h) / s->stride_h + 1;
}

static int64_t columns_of(const tri__narrow_weight *s)
{
    return (s->width + 2 * s->pad_w - s->kernel_w) / s->stride_w + 1;
}

/* plain [batch][channels][positions] → [batch][channels/8][positions][8] */
static void put_eights(float *to, const float *plain, int64_t batch, int64_t channels, int64_t positions)
{
    for (int64_t plane = 0; plane < batch * channels; plane++)
        for (int64_t i = 0; i < positions; i++)
            to[(plane / 8 * positions + i) * 8 + plane % 8] = plain[plane * positions + i];
}

static double dw_at(const tri__narrow_weight *s, const float *dy, const float *x, int64_t f, int64_t c, int64_t i, int64_t j)
{
    const int64_t rows = rows_of(s), columns = columns_of(s);
    double total = 0;
    for (int64_t n = 0; n < s->batch; n++)
        for (int64_t row = 0; row < rows; row++)
            for (int64_t column = 0; column < columns; column++) {
                const int64_t r = row * s->stride_h + i - s->pad_h, k = column * s->stride_w + j - s->pad_w;
                if (r >= 0 && r < s->height && k >= 0 && k < s->width)
                    total += (double)x[((n * s->channels + c) * s->height + r) * s->width + k] *
                             (double)dy[((n * s->filters + f) * rows + row) * columns + column];
            }
    return total;
}

static double db_at(const tri__narrow_weight *s, const float *dy, int64_t f)
{
    const int64_t positions = rows_of(s) * columns_of(s);
    double total = 0;
    for (int64_t n = 0; n < s->batch; n++)
        for (int64_t i = 0; i < positions; i++)
            total += (double)dy[(n * s->filters + f) * positions + i];
    return total;
}

static rig weight_rig(const tri__narrow_weight *s, const float *dy, const float *x, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_conv_weight(s, team, &kernel));
    rig r = rig_of(kernel);
    put_eights(r.data[0], dy, s->batch, s->filters, rows_of(s) * columns_of(s));
    if (s->x_layout)
        put_eights(r.data[1], x, s->batch, s->channels, s->height * s->width);
    else
        memcpy(r.data[1], x, kernel->argument[1].bytes);
    return r;
}

static void compare_plain_loops(const tri__narrow_weight *s, const float *dy, const float *x, const rig *r)
{
    const float *dw = r->data[2], *db = r->data[3];
    for (int64_t f = 0; f < s->filters; f++)
        for (int64_t c = 0; c < s->channels; c++)
            for (int64_t i = 0; i < s->kernel_h; i++)
                for (int64_t j = 0; j < s->kernel_w; j++)
                    assert_near(dw[((f * s->channels + c) * s->kernel_h + i) * s->kernel_w + j], dw_at(s, dy, x, f, c, i, j));
    for (int64_t f = 0; s->bias && f < s->filters; f++)
        assert_near(db[f], db_at(s, dy, f));
}

/* Against plain loops with one thread; with two and three the same to the bit, and again when the memory is dirty. */
static void check(const tri__narrow_weight *s)
{
    float *x = random_floats(s->batch * s->channels * s->height * s->width, 1);
    float *dy = random_floats(s->batch * s->filters * rows_of(s) * columns_of(s), 2);
    for (int isa = 0; tri__narrow_isa(isa); isa++) {
        rig one = weight_rig(s, dy, x, (tri__narrow_team){.threads = 1, .isa = tri__narrow_isa(isa)});
        rig_run(&one);
        compare_plain_loops(s, dy, x, &one);
        for (int threads = 2; threads <= 3; threads++) {
            rig more = weight_rig(s, dy, x, (tri__narrow_team){.threads = threads, .isa = tri__narrow_isa(isa)});
            for (int run = 0; run < 2; run++) {
                rig_run(&more);
                for (int i = 2; i < 2 + one.kernel->outputs; i++)
                    assert_memory_equal(more.data[i], one.data[i], one.kernel->argument[i].bytes);
            }
            rig_fini(&more);
        }
        rig_fini(&one);
    }
    free(x);
    free(dy);
}

static void weight_gradient_with_channels_in_blocks_is_right(void **state)
{
    (void)state;
    check(&(tri__narrow_weight){.batch = 3,
                                .channels = 16,
                                .height = 13,
                                .width = 11,
                                .filters = 32,
                                .kernel_h = 3,
                                .kernel_w = 3,
                                .stride_h = 1,
                                .stride_w = 1,
                                .pad_h = 1,
                                .pad_w = 1,
                                .bias = true,
                                .dy_layout = &eights,
                                .x_layout = &eights});
}

/* As AlexNet's first layer; several bands, and taps that six does not divide. */
static void weight_gradient_with_few_plain_channels_is_right(void **state)
{
    (void)state;
    check(&(tri__narrow_weight){.batch = 2,
                                .channels = 3,
                                .height = 62,
                                .width = 60,
                                .filters = 16,
                                .kernel_h = 11,
                                .kernel_w = 11,
                                .stride_h = 4,
                                .stride_w = 4,
                                .pad_h = 2,
                                .pad_w = 2,
                                .bias = true,
                                .dy_layout = &eights});
}

/* More images than are padded at a time, two strides, two paddings, no bias, fewer taps than a block of registers has. */
static void weight_gradient_of_odd_shapes_is_right(void **state)
{
    (void)state;
    for (int64_t kernel = 1; kernel <= 5; kernel++)
        check(&(tri__narrow_weight){.batch = 11,
                                    .channels = 2,
                                    .height = 9,
                                    .width = 8,
                                    .filters = 16,
                                    .kernel_h = kernel,
                                    .kernel_w = 1 + kernel / 3,
                                    .stride_h = 2,
                                    .stride_w = 1,
                                    .pad_h = 0,
                                    .pad_w = 2,
                                    .dy_layout = &eights});
}

static void weight_gradient_refuses_shapes_it_cannot_do(void **state)
{
    (void)state;
    tri__narrow_weight spec = {.batch = 1,
                               .channels = 8,
                               .height = 8,
                               .width = 8,
                               .filters = 24,
                               .kernel_h = 3,
                               .kernel_w = 3,
                               .stride_h = 1,
                               .stride_w = 1,
                               .dy_layout = &eights,
                               .x_layout = &eights};
    tri__kernel *kernel;
    assert_fails(tri__narrow_conv_weight(&spec, (tri__narrow_team){.threads = 1}, &kernel), TRI_BAD_CALL, "multiple of 16");
    spec.filters = 16;
    spec.kernel_w = 9;
    assert_fails(tri__narrow_conv_weight(&spec, (tri__narrow_team){.threads = 1}, &kernel), TRI_BAD_CALL, "does not fit");
    spec.kernel_w = 0;
    assert_fails(tri__narrow_conv_weight(&spec, (tri__narrow_team){.threads = 1}, &kernel), TRI_BAD_CALL, "at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_gradient_with_channels_in_blocks_is_right),
        cmocka_unit_test(weight_gradient_with_few_plain_channels_is_right),
        cmocka_unit_test(weight_gradient_of_odd_shapes_is_right),
        cmocka_unit_test(weight_gradient_refuses_shapes_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
