/* ref_test.c: the plain kernels against values worked out by hand, or by PyTorch where it says so. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "tensor/ref/ref.h"

static void expect(const float *got, const float *wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(got[i] - wanted[i]) <= 1e-5f * fmaxf(1, fabsf(wanted[i]))))
            fail_msg("element %d is %.7f, expected %.7f", i, (double)got[i], (double)wanted[i]);
}

static void matmul_gives_known_products(void **state)
{
    (void)state;
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 3, 1}, bias[] = {10, 20};
    float y[4];
    tri__ref_matmul((tri__ref_matmul_shape){2, 3, 2, false, false}, a, b, bias, y); /* [2][3] · [3][2] */
    expect(y, (float[]){1 - 2 + 9 + 10, 4 + 3 + 20, 4 - 5 + 18 + 10, 10 + 6 + 20}, 4);
    tri__ref_matmul((tri__ref_matmul_shape){2, 3, 2, true, true}, a, b, NULL, y); /* [3][2]ᵀ · [2][3]ᵀ */
    expect(y, (float[]){1 - 5, 2 + 9 + 5, 2 - 6, 4 + 12 + 6}, 4);
}

static void transpose_and_trace_have_known_values(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, two = 2;
    float y[9];
    tri__ref_transpose(3, 3, x, y);
    expect(y, (float[]){1, 4, 7, 2, 5, 8, 3, 6, 9}, 9);
    tri__ref_trace(3, x, y);
    expect(y, (float[]){15}, 1);
    tri__ref_trace_grad(3, &two, y);
    expect(y, (float[]){2, 0, 0, 0, 2, 0, 0, 0, 2}, 9);
}

/* One 3×3 image, a 2×2 kernel, stride 2, pad 1: each window sees one corner or edge. */
static void convolution_and_its_gradients_have_known_values(void **state)
{
    (void)state;
    const tri__ref_window s = {1, 1, 3, 3, 1, 2, 2, {2, 2}, {2, 2}, {1, 1}, {1, 1}, 1};
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, w[] = {1, 10, 100, 1000}, bias[] = {0.5f}, dy[] = {1, 2, 3, 4};
    float y[4], dx[9], dw[4];
    tri__ref_convolution(&s, x, w, bias, y);
    expect(y, (float[]){1000.5f, 3200.5f, 7040.5f, 9865.5f}, 4);
    tri__ref_convolution_grad_input(&s, dy, w, dx);
    expect(dx, (float[]){1000, 200, 2000, 30, 4, 40, 3000, 400, 4000}, 9);
    tri__ref_convolution_grad_weight(&s, dy, x, dw);
    expect(dw, (float[]){4 * 5, 3 * 4 + 4 * 6, 2 * 2 + 4 * 8, 1 + 2 * 3 + 3 * 7 + 4 * 9}, 4);
}

static void maxpool_takes_the_first_maximum(void **state)
{
    (void)state;
    const tri__ref_window s = {1, 1, 2, 4, 1, 1, 2, {2, 2}, {2, 2}, {0, 0}, {1, 1}, 1};
    const float x[] = {5, 5, 1, 2, 5, 0, NAN, 9}, dy[] = {3, 7};
    float y[2], dx[8];
    tri__ref_maxpool(&s, x, y);
    assert_float_equal(y[0], 5, 0);
    assert_true(isnan(y[1]));
    tri__ref_maxpool_grad(&s, dy, x, dx);
    expect(dx, (float[]){3, 0, 0, 0, 0, 0, 7, 0}, 8);
}

static void padding_is_no_maximum_but_counts_in_means(void **state)
{
    (void)state;
    const tri__ref_window s = {1, 1, 2, 2, 1, 2, 2, {2, 2}, {2, 2}, {1, 1}, {1, 1}, 1};
    const float x[] = {-1, -2, -3, -4}, dy[] = {4, 8, 12, 16};
    float y[4];
    tri__ref_maxpool(&s, x, y);
    expect(y, x, 4);
    tri__ref_avgpool(&s, x, y);
    expect(y, (float[]){-0.25f, -0.5f, -0.75f, -1}, 4);
    tri__ref_avgpool_grad(&s, dy, y);
    expect(y, (float[]){1, 2, 3, 4}, 4);
}

static void activations_and_their_gradients_have_known_values(void **state)
{
    (void)state;
    const float x[] = {-1, 0, 2, NAN}, dy[] = {1, 2, 3, 4};
    float y[4], dx[4];
    tri__ref_relu(4, x, y);
    expect(y, (float[]){0, 0, 2}, 3);
    assert_true(isnan(y[3]));
    tri__ref_relu_grad(4, dy, y, dx);
    expect(dx, (float[]){0, 0, 3}, 3);
    assert_true(isnan(dx[3]));
    tri__ref_tanh(3, x, y);
    expect(y, (float[]){-0.7615942f, 0, 0.9640276f}, 3);
    tri__ref_tanh_grad(3, dy, y, dx);
    expect(dx, (float[]){0.4199743f, 2, 3 * 0.0706508f}, 3);
    tri__ref_sigmoid(3, x, y);
    expect(y, (float[]){0.2689414f, 0.5f, 0.8807971f}, 3);
    tri__ref_sigmoid_grad(3, dy, y, dx);
    expect(dx, (float[]){0.1966119f, 0.5f, 3 * 0.1049936f}, 3);
    tri__ref_sigmoid(2, (float[]){-200, 200}, y);
    expect(y, (float[]){0, 1}, 2);
}

static void softmax_is_stable(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 1000, 1001, 1002}, dy[] = {1, 0, 0, 0, 0, 1};
    const float wanted[] = {0.0900306f, 0.2447285f, 0.6652410f};
    float y[6], dx[6];
    tri__ref_softmax(2, 3, x, y);
    expect(y, wanted, 3);
    expect(y + 3, wanted, 3);
    tri__ref_softmax_grad(2, 3, dy, y, dx);
    expect(dx, (float[]){0.0819251f, -0.0220330f, -0.0598920f, -0.0598920f, -0.1628034f, 0.2226954f}, 6);
}

/* PyTorch: LocalResponseNorm(size, alpha=0.5, beta=0.75, k=2) of 1, 2, 3, 4 */
static void lrn_is_as_in_pytorch(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4};
    float y[4];
    tri__ref_lrn(&(tri__ref_lrn_shape){1, 4, 1, 3, 0.5f, 0.75f, 2}, x, y);
    expect(y, (float[]){0.4579064f, 0.6659068f, 0.7098177f, 1.0221677f}, 4);
    tri__ref_lrn(&(tri__ref_lrn_shape){1, 4, 1, 2, 0.5f, 0.75f, 2}, x, y);
    expect(y, (float[]){0.5443311f, 0.8262614f, 0.8649715f, 0.8217118f}, 4);
}

static void softmax_loss_leaves_out_rows_of_weight_0(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, NAN, 1, 1, 0, 0, 0}, weights[] = {2, 0, 1}, dy = 3;
    const int32_t labels[] = {2, 77, 0};
    float loss, dx[9];
    tri__ref_softmax_loss(3, 3, 0, x, labels, weights, &loss);
    expect(&loss, (float[]){2 * 0.4076059f + 1.0986123f}, 1);
    tri__ref_softmax_loss_grad(3, 3, 0, &dy, x, labels, weights, dx);
    expect(dx, (float[]){6 * 0.0900306f, 6 * 0.2447285f, 6 * -0.3347590f, 0, 0, 0, -2, 1, 1}, 9);
}

/* log 3 beside 1e30 is lost in a double: only differences of logits may be added to it. */
static void softmax_loss_of_huge_logits_is_right_or_nan(void **state)
{
    (void)state;
    const float weight = 1, dy = 1;
    const int32_t label = 1;
    float loss, dx[3];
    for (float huge = 1e10f; huge < 1e38f; huge *= 1e4f) {
        tri__ref_softmax_loss(1, 3, 0, (float[]){huge, huge, huge}, &label, &weight, &loss);
        expect(&loss, (float[]){1.0986123f}, 1);
        tri__ref_softmax_loss(1, 3, 0, (float[]){-huge, -huge, -huge}, &label, &weight, &loss);
        expect(&loss, (float[]){1.0986123f}, 1);
        tri__ref_softmax_loss(1, 3, 0, (float[]){huge, 0, huge}, &label, &weight, &loss);
        expect(&loss, &huge, 1);
        tri__ref_softmax_loss_grad(1, 3, 0, &dy, (float[]){huge, huge, huge}, &label, &weight, dx);
        expect(dx, (float[]){0.3333333f, -0.6666667f, 0.3333333f}, 3);
    }
    tri__ref_softmax_loss(1, 3, 0, (float[]){INFINITY, INFINITY, INFINITY}, &label, &weight, &loss);
    assert_true(isnan(loss));
    tri__ref_softmax_loss(1, 3, 0, (float[]){-INFINITY, -INFINITY, -INFINITY}, &label, &weight, &loss);
    assert_true(isnan(loss));
}

static void logistic_loss_is_stable(void **state)
{
    (void)state;
    const float x[] = {0, 100, -100, NAN}, weights[] = {1, 1, 2, 0}, dy = 1;
    const int32_t labels[] = {1, 1, 1, 9};
    float loss, dx[4];
    tri__ref_logistic_loss(4, x, labels, weights, &loss);
    expect(&loss, (float[]){0.6931472f + 200}, 1);
    tri__ref_logistic_loss_grad(4, &dy, x, labels, weights, dx);
    expect(dx, (float[]){-0.5f, 0, -2, 0}, 4);
}

static void an_unknown_label_makes_the_loss_nan(void **state)
{
    (void)state;
    const float x[] = {1, 2}, weight = 1, dy = 1;
    const int32_t labels[] = {-1, 2};
    float y[2];
    for (int i = 0; i < 2; i++) {
        tri__ref_softmax_loss(1, 2, 0, x, &labels[i], &weight, y);
        assert_true(isnan(y[0]));
        tri__ref_softmax_loss_grad(1, 2, 0, &dy, x, &labels[i], &weight, y);
        assert_true(isnan(y[0]) && isnan(y[1]));
        tri__ref_logistic_loss(1, x, &labels[i], &weight, y);
        assert_true(isnan(y[0]));
        tri__ref_logistic_loss_grad(1, &dy, x, &labels[i], &weight, y);
        assert_true(isnan(y[0]));
    }
}

static void sums_and_broadcasts_go_along_one_axis(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float y[8];
    tri__ref_sum(2, 2, 2, 0.5f, x, y);
    expect(y, (float[]){2, 3, 6, 7}, 4);
    tri__ref_broadcast(2, 2, 2, 2, (float[]){1, 2, 3, 4}, y);
    expect(y, (float[]){2, 4, 2, 4, 6, 8, 6, 8}, 8);
    tri__ref_bias(2, 2, 2, x, (float[]){10, 20}, y);
    expect(y, (float[]){11, 12, 23, 24, 15, 16, 27, 28}, 8);
    tri__ref_bias_grad(2, 2, 2, x, y);
    expect(y, (float[]){1 + 2 + 5 + 6, 3 + 4 + 7 + 8}, 2);
}

static void images_become_planes_of_scaled_floats(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0, 10, 20, 30, 40, 50};
    const float floats[] = {0, 10, 20, 30, 40, 50}, wanted[] = {1, 11, 21, 6, 16, 26};
    float y[6];
    tri__ref_image(1, 1, 3, 2, TRI_U8, bytes, 0.5f, 1, y);
    expect(y, wanted, 6);
    tri__ref_image(1, 1, 3, 2, TRI_F32, floats, 0.5f, 1, y);
    expect(y, wanted, 6);
}

static void rows_of_a_table_are_summed_by_key(void **state)
{
    (void)state;
    const float table[] = {1, 2, 3, 4, 5, 6}, values[] = {1, 2, 3}, dy[] = {1, 2, 3, 4, 5, 6};
    const int64_t offsets[] = {0, 2, 2, 3}; /* the second example has no features */
    const int32_t keys[] = {0, 2, 2};
    const tri__ref_sparse weighted = {.n = 3, .f = 3, .d = 2, .offsets = offsets, .keys = keys, .values = values};
    tri__ref_sparse plain = weighted;
    float y[12];
    plain.values = NULL;
    tri__ref_sparse_sum(&weighted, false, table, y);
    expect(y, (float[]){11, 14, 0, 0, 15, 18}, 6);
    tri__ref_sparse_sum_grad(&weighted, false, dy, y);
    expect(y, (float[]){1, 2, 0, 0, 2 + 15, 4 + 18}, 6);
    tri__ref_sparse_sum(&plain, true, table, y);
    expect(y, (float[]){3, 4, 0, 0, 5, 6}, 6);
    tri__ref_gather(&plain, 2, table, y);
    expect(y, (float[]){1, 2, 5, 6, 0, 0, 0, 0, 5, 6, 0, 0}, 12);
    tri__ref_pairwise(&weighted, table, y);
    expect(y, (float[]){1 * 10 + 2 * 12, 0, 0}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matmul_gives_known_products),
        cmocka_unit_test(transpose_and_trace_have_known_values),
        cmocka_unit_test(convolution_and_its_gradients_have_known_values),
        cmocka_unit_test(maxpool_takes_the_first_maximum),
        cmocka_unit_test(padding_is_no_maximum_but_counts_in_means),
        cmocka_unit_test(activations_and_their_gradients_have_known_values),
        cmocka_unit_test(softmax_is_stable),
        cmocka_unit_test(lrn_is_as_in_pytorch),
        cmocka_unit_test(softmax_loss_leaves_out_rows_of_weight_0),
        cmocka_unit_test(softmax_loss_of_huge_logits_is_right_or_nan),
        cmocka_unit_test(logistic_loss_is_stable),
        cmocka_unit_test(an_unknown_label_makes_the_loss_nan),
        cmocka_unit_test(sums_and_broadcasts_go_along_one_axis),
        cmocka_unit_test(images_become_planes_of_scaled_floats),
        cmocka_unit_test(rows_of_a_table_are_summed_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
