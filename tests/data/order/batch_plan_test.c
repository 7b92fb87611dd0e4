/* batch_plan_test.c: the queue of batches to come grows by itself, or by assignments. */
#include "data/order/batch_plan.h"

#include "support.h"

static const tri__shard shard = {.batch = 4, .workers = 1, .examples = 10, .end = 1000};

static void an_unassigned_batch_plan_lengthens_itself_to_the_end(void **state)
{
    (void)state;
    static const int64_t positions[] = {0, 4, 8, 10, 14, 18, 20, 24, 28};
    tri__batch_plan plan;
    tri__batch_plan_init(&plan, shard, false);
    for (int i = 8; i >= 0; i--) {
        const tri__slice *slice = tri__batch_plan_find(&plan, i);
        assert_int_equal(slice->position, positions[i]);
        assert_int_equal(slice->epoch, positions[i] / 10);
        assert_int_equal(slice->count, positions[i] % 10 == 8 ? 2 : 4);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(plan.position, positions[i]);
        assert_int_equal(tri__batch_plan_find(&plan, 0)->position, positions[i]);
        tri__batch_plan_take(&plan);
    }
    tri__batch_plan_seek(&plan, 994);
    assert_int_equal(tri__batch_plan_find(&plan, 1)->position, 998);
    assert_null(tri__batch_plan_find(&plan, 2));
    tri__batch_plan_take(&plan);
    tri__batch_plan_take(&plan);
    assert_int_equal(plan.position, 1000);
    assert_null(tri__batch_plan_find(&plan, 0));
}

static void assigned_batches_come_in_the_order_of_assignment(void **state)
{
    (void)state;
    tri__batch_plan plan;
    tri__batch_plan_init(&plan, shard, true);
    assert_null(tri__batch_plan_find(&plan, 0));
    for (int turn = 0; turn < 3; turn++) { /* the ring goes round */
        for (int i = 0; i < TRI_MOST_ASSIGNED; i++)
            assert_ok(tri__batch_plan_assign(&plan, (i * 37 + turn) % 1000, i % 2, 2));
        assert_fails(tri__batch_plan_assign(&plan, 0, 0, 1), TRI_BAD_CALL, "64 batches are assigned");
        for (int i = 0; i < TRI_MOST_ASSIGNED - turn; i++) {
            int64_t position = (i * 37 + turn) % 1000;
            int64_t step = 10 - position % 10 < 8 ? 10 - position % 10 : 8;
            const tri__slice *slice = tri__batch_plan_find(&plan, 0);
            assert_int_equal(slice->position, position);
            assert_int_equal(slice->count, i % 2 ? step / 2 : (step + 1) / 2);
            tri__batch_plan_take(&plan);
            assert_int_equal(plan.position, position);
        }
        tri__batch_plan_revoke(&plan);
        assert_null(tri__batch_plan_find(&plan, 0));
    }
}

static void a_batch_plan_refuses_an_impossible_assignment(void **state)
{
    (void)state;
    tri__batch_plan plan;
    tri__batch_plan_init(&plan, shard, true);
    assert_fails(tri__batch_plan_assign(&plan, -1, 0, 1), TRI_BAD_CALL, "position -1 is outside the 1000 examples");
    assert_fails(tri__batch_plan_assign(&plan, 1000, 0, 1), TRI_BAD_CALL, "outside");
    assert_fails(tri__batch_plan_assign(&plan, 0, 2, 2), TRI_BAD_CALL, "worker 2 of 2");
    assert_fails(tri__batch_plan_assign(&plan, 0, -1, 2), TRI_BAD_CALL, "worker -1 of 2");
    assert_fails(tri__batch_plan_assign(&plan, 0, 0, 0), TRI_BAD_CALL, "worker 0 of 0");
    tri__batch_plan_init(&plan, (tri__shard){.batch = INT64_MAX / 2, .workers = 1, .examples = 10, .end = 1000}, true);
    assert_fails(tri__batch_plan_assign(&plan, 0, 0, 3), TRI_BAD_CALL, "no such worker");
    assert_null(tri__batch_plan_find(&plan, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unassigned_batch_plan_lengthens_itself_to_the_end),
        cmocka_unit_test(assigned_batches_come_in_the_order_of_assignment),
        cmocka_unit_test(a_batch_plan_refuses_an_impossible_assignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
