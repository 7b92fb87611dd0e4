/* local_test.c: the local store through its public calls: when updates happen, clipping, weights, wrong calls. */
#include <math.h>
#include <string.h>

#include "graph/store/store.h"
#include "store/local.h"
#include "support.h"

static tri_store *new_store(size_t floats, tri_rule rule)
{
    tri_store *store;
    assert_ok(tri_store_local_create(floats, &rule, &store));
    return store;
}

static void begin(tri_store *store, int64_t step, float rate)
{
    assert_ok(tri_store_begin(store, &(tri_step){step, rate}));
}

static void offer(tri_store *store, size_t first, size_t count, double weight)
{
    assert_ok(tri_store_offer(store, (tri_range){first, count}, weight));
}

static void buffers_of_a_local_store_are_zeroed_and_aligned(void **state)
{
    (void)state;
    tri_store *store = new_store(100, (tri_rule){.name = "adam"});
    float *buffers[] = {tri_store_parameters(store), tri_store_gradient(store), tri_store_slot(store, 0), tri_store_slot(store, 1)};
    for (int i = 0; i < 4; i++) {
        assert_int_equal((uintptr_t)buffers[i] % 64, 0);
        for (int k = 0; k < 100; k++)
            assert_true(buffers[i][k] == 0);
    }
    assert_null(tri_store_slot(store, 2));
    assert_null(tri_store_slot(store, -1));
    assert_int_equal(tri_store_floats(store), 100);
    assert_float_equal(tri_rule_value(tri_store_rule(store), "beta1"), 0.9F, 0);
    tri_store_destroy(store);
    tri_store_destroy(NULL);
}

static void an_offer_applies_the_mean_gradient_at_once(void **state)
{
    (void)state;
    tri_store *store = new_store(4, (tri_rule){.name = "sgd"});
    float *g = tri_store_gradient(store), *p = tri_store_parameters(store);
    for (int i = 0; i < 4; i++)
        g[i] = (float)i;
    begin(store, 0, 0.5F);
    assert_ok(tri_store_await(store, (tri_range){0, 4}));
    offer(store, 2, 2, 2);
    assert_float_equal(p[0], 0, 0);
    assert_float_equal(p[2], -0.5F, 1e-6F);
    assert_float_equal(p[3], -0.75F, 1e-6F);
    offer(store, 0, 2, 2);
    assert_float_equal(p[1], -0.25F, 1e-6F);
    assert_ok(tri_store_flush(store));
    tri_store_destroy(store);
}

static void a_batch_of_padding_changes_nothing(void **state)
{
    (void)state;
    tri_store *store = new_store(1, (tri_rule){.name = "momentum", .set = {{"l2", 1}}});
    tri_store_parameters(store)[0] = 3;
    begin(store, 0, 1);
    offer(store, 0, 1, 0);
    assert_true(tri_store_parameters(store)[0] == 3);
    tri_store_destroy(store);
}

/* Mean gradient (3, 4), norm 5, bound 1: (0.6, 0.8). */
static void clipping_waits_for_the_whole_gradient(void **state)
{
    (void)state;
    tri_store *store = new_store(2, (tri_rule){.name = "sgd", .clip = 1});
    float *g = tri_store_gradient(store), *p = tri_store_parameters(store);
    g[0] = 30;
    g[1] = 40;
    begin(store, 0, 1);
    offer(store, 1, 1, 10);
    assert_true(p[1] == 0);
    offer(store, 0, 1, 10);
    assert_float_equal(p[0], -0.6F, 1e-6F);
    assert_float_equal(p[1], -0.8F, 1e-6F);
    assert_ok(tri_store_flush(store));
    assert_float_equal(p[0], -0.6F, 1e-6F);
    tri_store_destroy(store);
}

static void a_small_gradient_is_not_clipped(void **state)
{
    (void)state;
    tri_store *store = new_store(2, (tri_rule){.name = "sgd", .clip = 6});
    float *g = tri_store_gradient(store), *p = tri_store_parameters(store);
    g[0] = 3;
    g[1] = 4;
    begin(store, 0, 1);
    offer(store, 0, 2, 1);
    assert_float_equal(p[0], -3, 1e-6F);
    assert_float_equal(p[1], -4, 1e-6F);
    tri_store_destroy(store);
}

/* l2 belongs to the rule: it is neither measured nor scaled by clipping. */
static void clipping_leaves_l2_alone(void **state)
{
    (void)state;
    tri_store *store = new_store(2, (tri_rule){.name = "sgd", .clip = 1, .set = {{"l2", 0.5F}}});
    float *g = tri_store_gradient(store), *p = tri_store_parameters(store);
    g[0] = 3;
    g[1] = 4;
    p[0] = 1;
    begin(store, 0, 1);
    offer(store, 0, 2, 1);
    assert_float_equal(p[0], 1 - (0.6F + 0.5F), 1e-6F);
    assert_float_equal(p[1], -0.8F, 1e-6F);
    tri_store_destroy(store);
}

/* Float 1 is a gap that is never offered; many offers, so that their list grows. */
static void a_step_in_which_not_all_is_offered_ends_at_flush_or_begin(void **state)
{
    (void)state;
    enum { FLOATS = 200 };
    tri_store *store = new_store(FLOATS, (tri_rule){.name = "sgd", .clip = 1});
    float *g = tri_store_gradient(store), *p = tri_store_parameters(store);
    g[0] = 3;
    g[1] = 1000;
    g[2] = 4;
    for (int step = 0; step < 2; step++) {
        begin(store, step, (float)(step + 1));
        for (size_t i = 0; i < FLOATS; i++)
            if (i != 1)
                offer(store, i, 1, 1);
    }
    assert_float_equal(p[0], -0.6F, 1e-6F); /* the second begin ended the first step, with the first step's rate */
    assert_ok(tri_store_flush(store));
    assert_float_equal(p[0], -1.8F, 1e-6F);
    assert_float_equal(p[2], -2.4F, 1e-6F);
    assert_true(p[1] == 0);
    tri_store_destroy(store);
}

typedef struct {
    double others; /* squares of the gradients of other tasks */
    int calls;
} other_tasks;

static tri_status add_others(void *context, double *squares)
{
    other_tasks *tasks = context;
    tasks->calls++;
    *squares += tasks->others;
    return NULL;
}

/* This task has the 3 of a gradient (3, 4), and then nothing. */
static void a_task_clips_its_part_by_the_norm_of_all_parts(void **state)
{
    (void)state;
    other_tasks others = {.others = 16};
    tri_store *store = new_store(1, (tri_rule){.name = "sgd", .clip = 1});
    float *p = tri_store_parameters(store);
    tri__store_local_share_norm(store, (tri__norm_sharing){add_others, &others});
    assert_ok(tri_store_flush(store));
    begin(store, 0, 1);
    tri_store_gradient(store)[0] = 3;
    offer(store, 0, 1, 1);
    assert_true(p[0] == 0 && others.calls == 0); /* its part is whole, the gradient is not */
    assert_ok(tri_store_flush(store));
    assert_float_equal(p[0], -0.6F, 1e-6F);
    assert_int_equal(others.calls, 1);
    assert_ok(tri_store_flush(store));
    begin(store, 1, 1);
    assert_int_equal(others.calls, 1);
    assert_ok(tri_store_flush(store)); /* without an offer it shares, too: the others wait for it */
    assert_int_equal(others.calls, 2);
    tri_store_destroy(store);
}

static void adam_counts_steps_from_the_callers_number(void **state)
{
    (void)state;
    tri_store *store = new_store(1, (tri_rule){.name = "adam"});
    tri_store_gradient(store)[0] = 8;
    begin(store, 0, 0.1F);
    offer(store, 0, 1, 4);
    assert_float_equal(tri_store_parameters(store)[0], -0.1F, 1e-6F); /* the first step is as long as the rate */
    assert_float_equal(tri_store_slot(store, 0)[0], 0.2F, 1e-6F);
    tri_store_destroy(store);
}

static void wrong_calls_of_a_local_store_are_refused(void **state)
{
    (void)state;
    tri_store *store = new_store(10, (tri_rule){.name = "sgd"});
    assert_fails(tri_store_begin(store, &(tri_step){-1, 1}), TRI_BAD_CALL, "step -1");
    assert_fails(tri_store_begin(store, &(tri_step){0, NAN}), TRI_BAD_CALL, "rate");
    assert_fails(tri_store_await(store, (tri_range){5, 6}), TRI_BAD_CALL, "which has 10");
    assert_fails(tri_store_offer(store, (tri_range){11, SIZE_MAX}, 1), TRI_BAD_CALL, "which has 10");
    assert_fails(tri_store_offer(store, (tri_range){0, 1}, -1), TRI_BAD_CALL, "weight -1");
    assert_fails(tri_store_offer(store, (tri_range){0, 1}, NAN), TRI_BAD_CALL, "weight");
    tri_store_destroy(store);
    assert_fails(tri_store_local_create(SIZE_MAX / 2, &(tri_rule){.name = "sgd"}, &store), TRI_BAD_CALL, "larger than memory");
    assert_fails(tri_store_local_create(1, &(tri_rule){.set = {{"l2", -1}}}, &store), TRI_BAD_CALL, "l2");
}

static void averages_begin_as_the_parameters_and_are_the_last_slot(void **state)
{
    (void)state;
    tri_store *store = new_store(3, (tri_rule){.name = "momentum", .average = 0.5F});
    float *p = tri_store_parameters(store), *average = tri__store_evaluated(store);
    assert_ptr_equal(average, tri_store_slot(store, 1));
    p[0] = 1, p[1] = 2, p[2] = 3;
    tri_store_begin_averages(store);
    assert_memory_equal(average, p, 3 * sizeof *p);
    tri_store_gradient(store)[0] = 1;
    begin(store, 9, 0.1F); /* where the decay is 9 / (9 + 9) */
    offer(store, 0, 1, 1);
    assert_float_equal(p[0], 0.9F, 1e-6F);
    assert_float_equal(average[0], 0.95F, 1e-6F);
    assert_true(average[1] == 2 && average[2] == 3); /* not offered */
    assert_fails(tri_store_add_table(store, 4, 1), TRI_UNSUPPORTED, "of rows of tables there are none");
    tri_store_destroy(store);
    store = new_store(3, (tri_rule){.name = "momentum"});
    assert_ptr_equal(tri__store_evaluated(store), tri_store_parameters(store));
    tri_store_begin_averages(store);
    tri_store_destroy(store);
}

static void a_view_has_the_averages_for_parameters_and_nothing_to_train(void **state)
{
    (void)state;
    tri_store view, *store = new_store(3, (tri_rule){.name = "momentum", .average = 0.5F});
    assert_ptr_equal(tri__store_view_evaluated(store, &view), &view);
    assert_ptr_equal(tri_store_parameters(&view), tri__store_evaluated(store));
    assert_true(tri_store_floats(&view) == 3 && !tri_store_gradient(&view) && !tri_store_slot(&view, 0));
    assert_fails(tri_store_add_table(&view, 4, 1), TRI_UNSUPPORTED, "has no tables");
    tri_store_destroy(store);
    store = new_store(3, (tri_rule){.name = "momentum"});
    assert_ptr_equal(tri__store_view_evaluated(store, &view), store);
    tri_store_destroy(store);
}

static void a_local_store_may_have_no_parameters(void **state)
{
    (void)state;
    tri_store *store = new_store(0, (tri_rule){.name = "momentum", .clip = 1});
    begin(store, 0, 1);
    offer(store, 0, 0, 1);
    assert_ok(tri_store_flush(store));
    tri_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_of_a_local_store_are_zeroed_and_aligned),
        cmocka_unit_test(an_offer_applies_the_mean_gradient_at_once),
        cmocka_unit_test(a_batch_of_padding_changes_nothing),
        cmocka_unit_test(clipping_waits_for_the_whole_gradient),
        cmocka_unit_test(a_small_gradient_is_not_clipped),
        cmocka_unit_test(clipping_leaves_l2_alone),
        cmocka_unit_test(a_step_in_which_not_all_is_offered_ends_at_flush_or_begin),
        cmocka_unit_test(a_task_clips_its_part_by_the_norm_of_all_parts),
        cmocka_unit_test(adam_counts_steps_from_the_callers_number),
        cmocka_unit_test(wrong_calls_of_a_local_store_are_refused),
        cmocka_unit_test(averages_begin_as_the_parameters_and_are_the_last_slot),
        cmocka_unit_test(a_view_has_the_averages_for_parameters_and_nothing_to_train),
        cmocka_unit_test(a_local_store_may_have_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
