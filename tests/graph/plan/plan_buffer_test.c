/* plan_buffer_test.c: in the buffer of a plan, operands that are in use at the same time do not overlap, and memory is used again. */
#include "graph/plan/plan.h"
#include "support.h"
#include "trireme/trireme.h"

static tri_plan *plan_of(const char *name, tri_shape shape, unsigned without, tri_store **store)
{
    tri_model *model;
    tri_graph *graph;
    tri_plan *plan;
    assert_ok(tri_model_open(name, &model));
    const tri_model_input input = {.type = TRI_U8, .shape = shape, .classes = 10};
    assert_ok(tri_model_build(model, &input, 5, &graph));
    const tri_rule rule = {.name = "sgd"};
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &rule, store));
    const tri_plan_options options = {.batch = 5, .training = true, .threads = 2, .without = without};
    assert_ok(tri_plan_create(graph, &options, *store, &plan));
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    return plan;
}

static bool is_placed(const tri_plan *plan, int v)
{
    const tri__operand *operand = &plan->operand[v];
    return operand->root == v && operand->where == TRI_IN_BUFFER && operand->first >= 0;
}

static void check(const char *name, tri_shape shape, unsigned without)
{
    tri_store *store;
    tri_plan *plan = plan_of(name, shape, without, &store);
    size_t sum = 0;
    for (int i = 0; i < plan->operands; i++) {
        if (!is_placed(plan, i))
            continue;
        const tri__operand *a = &plan->operand[i];
        sum += a->bytes;
        assert_true(a->offset + a->bytes <= plan->bytes);
        assert_int_equal(a->offset % 64, 0);
        for (int k = 0; k < i; k++) {
            const tri__operand *b = &plan->operand[k];
            bool together = is_placed(plan, k) && a->first <= b->last && b->first <= a->last;
            if (together && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                fail_msg("%s: operands %d and %d live together and overlap", name, i, k);
        }
    }
    if (plan->calls > 50) /* a deep one, whose activations are not all needed at once */
        assert_true(plan->bytes < sum / 2);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
}

static void operands_in_use_at_the_same_time_do_not_overlap(void **state)
{
    (void)state;
    static const unsigned switches[] = {0, TRI_PLAN_NARROW, TRI_PLAN_IN_PLACE, TRI_PLAN_ALL};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        check("softmax", TRI_SHAPE(28, 28, 1), switches[i]);
        check("lenet", TRI_SHAPE(28, 28, 1), switches[i]);
        check("alexnet", TRI_SHAPE(67, 67, 3), switches[i]);
    }
}

/* Every range is awaited before its first reader and offered once, after its last. */
static void a_plan_awaits_and_offers_every_parameter(void **state)
{
    (void)state;
    tri_store *store;
    tri_plan *plan = plan_of("lenet", TRI_SHAPE(28, 28, 1), 0, &store);
    size_t awaited = 0, offered = 0;
    for (int i = 0; i < plan->awaits; i++)
        awaited += plan->await[i].range.count;
    for (int i = 0; i < plan->offers; i++) {
        offered += plan->offer[i].range.count;
        assert_true(i == 0 || plan->offer[i - 1].call <= plan->offer[i].call);
    }
    assert_int_equal(awaited, tri_store_floats(store));
    assert_int_equal(offered, tri_store_floats(store));
    assert_true(plan->offer[0].call < plan->calls - 1); /* the last layer's gradient goes while the first is still computed */
    tri_plan_destroy(plan);
    tri_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_in_use_at_the_same_time_do_not_overlap),
        cmocka_unit_test(a_plan_awaits_and_offers_every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
