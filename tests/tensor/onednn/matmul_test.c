/* matmul_test.c: the measured rate of sgemm. Whether its products are right is tested with the graph's operators. */
#include <omp.h>

#include "support.h"
#include "tensor/onednn/onednn.h"

static void a_measurement_gives_a_rate_and_leaves_the_number_of_threads_alone(void **state)
{
    (void)state;
    omp_set_num_threads(3);
    assert_true(tri__onednn_sgemm_rate(1, 0.001) > 0);
    assert_int_equal(omp_get_max_threads(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measurement_gives_a_rate_and_leaves_the_number_of_threads_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
