/* verdict_test.c: the sentence names what the shares show, and no more. */
#include "watch/report/verdict.h"

#include <math.h>

#include "support.h"

/* A run long enough to be judged, on two threads whose CPUs were busy. */
#define EVIDENCE(...) ((tri__evidence){.share = {__VA_ARGS__}, .seconds = 10, .steps = 1000, .threads = 2, .cpu_percent = 190})

static void assert_verdict(tri__evidence evidence, const char *sentence)
{
    char buffer[TRI_VERDICT_SIZE];
    assert_string_equal(tri__verdict(&evidence, buffer, sizeof buffer), sentence);
}

static void a_run_that_computes_most_of_the_time_is_compute_bound(void **state)
{
    (void)state;
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.93, [TRI_PHASE_INPUT] = 0.02, [TRI_PHASE_UPDATE] = 0.05),
                   "compute-bound: 93 % of the time in forward and backward; input waits 2 %; update 5 %");
}

static void a_compute_bound_verdict_names_missing_cpus(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.99, [TRI_PHASE_INPUT] = 0.01);
    evidence.threads = 4;
    evidence.cpu_percent = 160;
    assert_verdict(evidence, "compute-bound: 99 % of the time in forward and backward; input waits 1 %. But its 4 threads had only 1.6 "
                             "CPUs: other programs' load, or steps too small to share out: try --threads 1");
    evidence.cpu_percent = NAN; /* no evidence, no claim */
    assert_verdict(evidence, "compute-bound: 99 % of the time in forward and backward; input waits 1 %");
}

static void a_compute_bound_verdict_names_the_cpus_spent_on_decoding(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.84, [TRI_PHASE_INPUT] = 0.16);
    evidence.decoding = 1.13;
    assert_verdict(evidence, "compute-bound: 84 % of the time in forward and backward; input waits 16 %. Decoding took 1.1 CPUs beside it: "
                             "--cache or data convert gives them back");
}

static void a_run_that_waits_for_data_is_input_bound(void **state)
{
    (void)state;
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.2, [TRI_PHASE_INPUT] = 0.8),
                   "input-bound: 80 % of the time waiting for data; compute 20 %. --cache or data convert saves decoding again, a larger "
                   "batch asks less often");
}

static void close_phases_give_no_single_bottleneck(void **state)
{
    (void)state;
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.51, [TRI_PHASE_INPUT] = 0.47, [TRI_PHASE_OTHER] = 0.02),
                   "no single bottleneck: compute 51 %, input 47 %, too close to call");
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.4, [TRI_PHASE_INPUT] = 0.25, [TRI_PHASE_OTHER] = 0.2, [TRI_PHASE_UPDATE] = 0.15),
                   "no single bottleneck: compute 40 %, input 25 %, the rest spread over the other phases");
}

static void a_short_run_gets_no_verdict(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 1);
    evidence.seconds = 0.01;
    evidence.steps = 20;
    assert_verdict(evidence, "too short to tell: 20 steps in 0.01 s");
    evidence = EVIDENCE([TRI_PHASE_OTHER] = 1);
    evidence.steps = 0;
    assert_verdict(evidence, "too short to tell: 0 steps in 10.00 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_computes_most_of_the_time_is_compute_bound),
        cmocka_unit_test(a_compute_bound_verdict_names_missing_cpus),
        cmocka_unit_test(a_compute_bound_verdict_names_the_cpus_spent_on_decoding),
        cmocka_unit_test(a_run_that_waits_for_data_is_input_bound),
        cmocka_unit_test(close_phases_give_no_single_bottleneck),
        cmocka_unit_test(a_short_run_gets_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
