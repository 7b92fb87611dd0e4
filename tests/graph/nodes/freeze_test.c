/* freeze_test.c: frozen parameters: which they are, where they lie, and that a step leaves them, and the rule's state for them, alone. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

static const char text[] = "input()\ndense(4)\nbatch_norm()\nrelu()\ndense(classes)\nsoftmax_loss()\n";

enum { WIDTH = 3, CLASSES = 2, ROWS = 4 };

static const float x[ROWS * WIDTH] = {1, 10, -1, 2, 10, 1, 3, 10, -1, 6, 14, 1};
static const int32_t labels[ROWS] = {0, 1, 1, 0};
static const float weights[ROWS] = {1, 1, 1, 1};
static const int64_t ids[ROWS] = {0, 1, 2, 3};

static tri_graph *build(void)
{
    tri_model *model;
    tri_graph *graph;
    assert_ok(tri_model_parse("test.model", text, strlen(text), &model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = TRI_SHAPE(WIDTH), .classes = CLASSES}, ROWS, &graph));
    tri_model_destroy(model);
    return graph;
}

static tri_range range_of(const tri_graph *graph, const char *name)
{
    return tri_node_range(tri_graph_find(graph, name));
}

static void frozen_parameters_lie_behind_the_state(void **state)
{
    (void)state;
    tri_graph *graph = build();
    const size_t floats = tri_graph_parameter_floats(graph);
    assert_ok(tri_graph_freeze(graph, "dense1.weight,batch_norm1"));
    const tri_state kept = tri_graph_state_of(graph);
    assert_int_equal(tri_graph_parameter_floats(graph), floats);
    assert_int_equal(kept.range.first + kept.range.count, floats);
    assert_int_equal(kept.frozen, kept.range.count); /* the running statistics are those of the frozen layer */
    static const char *const frozen[] = {"dense1.weight", "batch_norm1.weight", "batch_norm1.bias", "batch_norm1.running_mean"};
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        assert_true(tri_node_is_frozen(tri_graph_find(graph, frozen[i])));
        assert_true(range_of(graph, frozen[i]).first >= kept.range.first);
    }
    assert_false(tri_node_is_frozen(tri_graph_find(graph, "dense1.bias")));
    assert_true(range_of(graph, "dense2.weight").first < kept.range.first);
    tri_graph_destroy(graph);
}

static void wrong_patterns_are_refused(void **state)
{
    (void)state;
    tri_graph *graph = build();
    assert_fails(tri_graph_freeze(graph, "dens"), TRI_BAD_CALL, "no parameter is called 'dens': there are dense1.weight");
    assert_fails(tri_graph_freeze(graph, "dense1,,dense2"), TRI_BAD_CALL, "with commas between them");
    assert_fails(tri_graph_freeze(graph, "*"), TRI_BAD_CALL, "leaves nothing to be trained");
    tri_graph_destroy(graph);
}

static tri_store *train(const tri_graph *graph, const tri_rule *rule, int steps)
{
    tri_store *store;
    tri_plan *plan;
    tri_rule complete = *rule;
    complete.state = tri_graph_state_of(graph);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &complete, &store));
    tri_graph_initialise(graph, 1, tri_store_parameters(store));
    assert_ok(tri_plan_create(graph, &(tri_plan_options){.batch = ROWS, .training = true, .threads = 1}, store, &plan));
    const tri_batch batch = {.rows = ROWS, .count = ROWS, .type = TRI_F32, .x = x, .labels = labels, .weights = weights, .ids = ids};
    double loss;
    for (int i = 0; i < steps; i++) {
        assert_ok(tri_store_begin(store, &(tri_step){.step = i, .rate = 0.1f}));
        assert_ok(tri_plan_train(plan, &batch, &loss));
    }
    assert_ok(tri_store_flush(store));
    tri_plan_destroy(plan);
    return store;
}

static bool equal(tri_graph *a, const float *p, tri_graph *b, const float *q, const char *name)
{
    const tri_range at = range_of(a, name);
    return !memcmp(p + at.first, q + range_of(b, name).first, at.count * sizeof *p);
}

/* With momentum and l2, which move a parameter whose gradient is 0, and with clipping, which concerns only what is trained. */
static void a_step_leaves_frozen_parameters_alone(void **state)
{
    (void)state;
    static const char *const patterns[] = {"dense1.weight", "dense1", "*.bias", "batch_norm1", "dense2", "dense2.weight,*running*"};
    static const char *const names[] = {"dense1.weight", "dense1.bias", "batch_norm1.weight",       "batch_norm1.bias",
                                        "dense2.weight", "dense2.bias", "batch_norm1.running_mean", "batch_norm1.running_var"};
    const tri_rule rules[] = {{.name = "momentum", .set = {{"l2", 0.1F}}}, {.name = "adam", .set = {{"l2", 0.1F}}, .clip = 0.01F}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            tri_graph *plain = build(), *graph = build();
            assert_ok(tri_graph_freeze(graph, patterns[i]));
            tri_store *before = train(plain, &rules[r], 0), *after = train(graph, &rules[r], 3);
            for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                const bool frozen = tri_node_is_frozen(tri_graph_find(graph, names[k]));
                if (equal(plain, tri_store_parameters(before), graph, tri_store_parameters(after), names[k]) != frozen)
                    fail_msg("%s of %s %s", names[k], patterns[i], frozen ? "has moved" : "has not moved");
                if (frozen)
                    assert_true(equal(plain, tri_store_slot(before, 0), graph, tri_store_slot(after, 0), names[k]));
            }
            tri_store_destroy(before);
            tri_store_destroy(after);
            tri_graph_destroy(plain);
            tri_graph_destroy(graph);
        }
}

/* What is not frozen learns as if nothing were, in the first step. */
static void the_others_learn_the_same(void **state)
{
    (void)state;
    static const char *const others[] = {"dense1.bias", "batch_norm1.weight", "dense2.weight", "batch_norm1.running_var"};
    const tri_rule rule = {.name = "sgd"};
    tri_graph *plain = build(), *graph = build();
    assert_ok(tri_graph_freeze(graph, "dense1.weight,batch_norm1.bias"));
    tri_store *whole = train(plain, &rule, 1), *part = train(graph, &rule, 1);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const float *p = tri_store_parameters(whole) + range_of(plain, others[k]).first;
        const float *q = tri_store_parameters(part) + range_of(graph, others[k]).first;
        for (size_t i = 0; i < range_of(plain, others[k]).count; i++)
            assert_float_equal(p[i], q[i], 1e-6);
    }
    tri_store_destroy(whole);
    tri_store_destroy(part);
    tri_graph_destroy(plain);
    tri_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_parameters_lie_behind_the_state),
        cmocka_unit_test(wrong_patterns_are_refused),
        cmocka_unit_test(a_step_leaves_frozen_parameters_alone),
        cmocka_unit_test(the_others_learn_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
