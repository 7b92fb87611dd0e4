/* table_test.c: what counts as zero. tests/store/ps and tests/store/local_test.c have rules on tables. */
#include "store/table.h"
#include "support.h"

static void only_positive_zeros_are_all_zero(void **state)
{
    (void)state;
    float floats[5] = {0};
    assert_true(tri__all_zero(floats, 5));
    floats[4] = 1e-45F; /* the smallest there is */
    assert_false(tri__all_zero(floats, 5));
    assert_true(tri__all_zero(floats, 4));
    floats[4] = -0.0F;
    assert_false(tri__all_zero(floats, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_positive_zeros_are_all_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
