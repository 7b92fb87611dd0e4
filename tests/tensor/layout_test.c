/* layout_test.c: layouts of a kind compare by their own rule. */
#include "support.h"
#include "tensor/layout.h"

typedef struct {
    tri__tensor_layout base;
    int block;
} blocked;

static bool same_block(const tri__tensor_layout *a, const tri__tensor_layout *b)
{
    return ((const blocked *)a)->block == ((const blocked *)b)->block;
}

static void layouts_are_equal_where_their_kind_and_blocks_are(void **state)
{
    (void)state;
    const blocked a = {{TRI_LAYOUT_ONEDNN, same_block}, 8}, b = {{TRI_LAYOUT_ONEDNN, same_block}, 8},
                  c = {{TRI_LAYOUT_ONEDNN, same_block}, 16};
    assert_true(tri__tensor_layout_equal(NULL, NULL));
    assert_false(tri__tensor_layout_equal(NULL, tri__tensor_layout_lanes));
    assert_true(tri__tensor_layout_equal(tri__tensor_layout_lanes, tri__tensor_layout_lanes));
    assert_false(tri__tensor_layout_equal(tri__tensor_layout_lanes, &a.base));
    assert_true(tri__tensor_layout_equal(&a.base, &b.base));
    assert_false(tri__tensor_layout_equal(&a.base, &c.base));
    assert_int_equal(tri__tensor_layout_kind_of(NULL), TRI_LAYOUT_PLAIN);
    assert_int_equal(tri__tensor_layout_kind_of(tri__tensor_layout_lanes), TRI_LAYOUT_LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts_are_equal_where_their_kind_and_blocks_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
