/* wins_test.c: the layers of small models are narrow, those of large ones are not. */
#include <string.h>

#include "support.h"
#include "tensor/narrow/narrow.h"

static bool conv_wins(int64_t batch, int64_t channels, int64_t size, int64_t filters, int64_t kernel, int64_t stride)
{
    return tri__narrow_wins_conv(&(tri__narrow_conv){.batch = batch,
                                                     .channels = channels,
                                                     .height = size,
                                                     .width = size,
                                                     .filters = filters,
                                                     .kernel_h = kernel,
                                                     .kernel_w = kernel,
                                                     .stride_h = stride,
                                                     .stride_w = stride});
}

static void narrow_kernels_are_chosen_for_lenet(void **state)
{
    (void)state;
    assert_true(conv_wins(64, 1, 28, 6, 3, 1));
    assert_true(conv_wins(64, 6, 13, 16, 3, 1));
    assert_true(conv_wins(100, 20, 12, 50, 5, 1));
    assert_true(tri__narrow_wins_dense(&(tri__narrow_dense){.batch = 64, .in = 400, .out = 120}));
    assert_true(tri__narrow_wins_head(&(tri__narrow_head){.batch = 1, .in = 784, .classes = 10}));
}

static void narrow_kernels_are_not_chosen_for_wide_layers(void **state)
{
    (void)state;
    assert_false(conv_wins(128, 3, 224, 64, 11, 4));
    assert_false(conv_wins(128, 64, 27, 192, 5, 1));
    assert_false(conv_wins(64, 32, 16, 64, 3, 1));
    assert_false(tri__narrow_wins_dense(&(tri__narrow_dense){.batch = 64, .in = 4096, .out = 4096}));
    assert_false(tri__narrow_wins_head(&(tri__narrow_head){.batch = 64, .in = 784, .classes = 100}));
}

static void sixteen_channels_are_left_to_registers_of_sixteen(void **state)
{
    (void)state;
    const bool wide = strcmp(tri__narrow_isa(0), "avx512") == 0;
    assert_int_equal(conv_wins(128, 16, 32, 16, 3, 1), !wide);
    assert_true(conv_wins(128, 12, 32, 16, 3, 1));
}

/* One example would use one lane of eight. */
static void narrow_kernels_are_not_chosen_for_a_batch_of_one(void **state)
{
    (void)state;
    assert_false(conv_wins(1, 1, 28, 6, 3, 1));
    assert_false(tri__narrow_wins_dense(&(tri__narrow_dense){.batch = 9, .in = 400, .out = 120}));
}

static void narrow_kernels_are_not_chosen_beyond_their_32_bit_offsets(void **state)
{
    (void)state;
    assert_true(conv_wins(65536, 1, 28, 6, 3, 1));
    assert_false(conv_wins(524288, 1, 28, 6, 3, 1));
    assert_false(tri__narrow_wins_dense(&(tri__narrow_dense){.batch = 1 << 24, .in = 400, .out = 120}));
    assert_false(tri__narrow_wins_head(&(tri__narrow_head){.batch = 1 << 24, .in = 784, .classes = 10}));
}

static bool weight_wins(int64_t channels, int64_t size, int64_t filters, int64_t kernel, int threads)
{
    static const tri__tensor_layout eights = {.kind = TRI_LAYOUT_ONEDNN};
    return tri__narrow_wins_weight(&(tri__narrow_weight){.batch = 32,
                                                         .channels = channels,
                                                         .height = size,
                                                         .width = size,
                                                         .filters = filters,
                                                         .kernel_h = kernel,
                                                         .kernel_w = kernel,
                                                         .stride_h = 1,
                                                         .stride_w = 1,
                                                         .x_layout = channels % 8 ? NULL : &eights},
                                   threads);
}

static void our_weight_gradient_is_chosen_for_wide_convolutions(void **state)
{
    (void)state;
    assert_true(weight_wins(3, 224, 64, 11, 1));
    assert_true(weight_wins(64, 27, 192, 5, 2));
    assert_true(weight_wins(256, 13, 256, 3, 2));
    assert_false(weight_wins(64, 27, 24, 5, 1)); /* 24 filters are no pairs of vectors */
    assert_false(weight_wins(64, 6, 64, 3, 1));  /* rows too short */
    assert_false(weight_wins(8, 27, 16, 3, 2));  /* no work for two */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_kernels_are_chosen_for_lenet),
        cmocka_unit_test(narrow_kernels_are_not_chosen_for_wide_layers),
        cmocka_unit_test(sixteen_channels_are_left_to_registers_of_sixteen),
        cmocka_unit_test(narrow_kernels_are_not_chosen_for_a_batch_of_one),
        cmocka_unit_test(narrow_kernels_are_not_chosen_beyond_their_32_bit_offsets),
        cmocka_unit_test(our_weight_gradient_is_chosen_for_wide_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
