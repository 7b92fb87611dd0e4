/* variable_test.c: nodes that assign change their variable when a run has ended, and not before. */
#include "support.h"
#include "trireme/trireme.h"

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    tri_node *variable, *twice, *next;
} fixture;

static void build(fixture *f, const char *operator_name)
{
    assert_ok(tri_graph_create(1, &f->graph));
    assert_ok(tri_graph_parameter(f->graph, "w", TRI_SHAPE(3), TRI_INIT_CONSTANT, 1, &f->variable));
    assert_ok(tri_graph_add(f->graph, "multiply", "twice", &f->variable, 1, &(tri_attributes){.scale = 2}, &f->twice));
    assert_ok(tri_graph_add(f->graph, operator_name, "next", (tri_node *[]){f->variable, f->twice}, 2, NULL, &f->next));
}

static void compile(fixture *f)
{
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f->graph), &(tri_rule){0}, &f->store));
    tri_graph_initialise(f->graph, 1, tri_store_parameters(f->store));
    assert_ok(tri_plan_create(f->graph, &(tri_plan_options){.batch = 1, .threads = 1}, f->store, &f->plan));
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static float first(fixture *f, const char *output)
{
    tri_tensor value;
    assert_ok(tri_plan_value(f->plan, output, &value));
    return *(const float *)value.data;
}

static void readers_see_what_the_run_began_with(void **state)
{
    (void)state;
    fixture f = {0};
    build(&f, "assign_add");
    assert_ok(tri_graph_output(f.graph, "twice", f.twice));
    assert_ok(tri_graph_output(f.graph, "next", f.next));
    assert_ok(tri_graph_output(f.graph, "w", f.variable));
    compile(&f);
    for (float w = 1; w < 1000; w *= 3) {
        assert_true(*tri_store_parameters(f.store) == w);
        assert_ok(tri_plan_run(f.plan, NULL));
        assert_true(first(&f, "twice") == 2 * w);
        assert_true(first(&f, "next") == 3 * w);
    }
    drop(&f);
}

static void targets_are_computed_and_other_nodes_are_not(void **state)
{
    (void)state;
    fixture f = {0};
    build(&f, "assign");
    tri_graph_target(f.graph, f.next);
    compile(&f);
    assert_int_equal(tri_plan_calls(f.plan), 2);
    assert_ok(tri_plan_run(f.plan, NULL));
    assert_true(*tri_store_parameters(f.store) == 2);
    drop(&f);
    f = (fixture){0};
    build(&f, "assign");
    assert_ok(tri_graph_output(f.graph, "twice", f.twice));
    compile(&f);
    assert_int_equal(tri_plan_calls(f.plan), 1);
    assert_ok(tri_plan_run(f.plan, NULL));
    assert_true(*tri_store_parameters(f.store) == 1);
    drop(&f);
}

static void variables_are_fed_by_name(void **state)
{
    (void)state;
    fixture f = {0};
    float fed[] = {7, 8, 9};
    build(&f, "assign");
    assert_ptr_equal(tri_graph_find(f.graph, "twice"), f.twice);
    assert_null(tri_graph_find(f.graph, "thrice"));
    assert_ok(tri_graph_output(f.graph, "twice", f.twice));
    compile(&f);
    assert_ok(tri_plan_feed(f.plan, "w", &(tri_tensor){TRI_F32, TRI_SHAPE(3), fed}));
    assert_ok(tri_plan_run(f.plan, NULL));
    assert_true(first(&f, "twice") == 14);
    assert_fails(tri_plan_feed(f.plan, "w", &(tri_tensor){TRI_F32, TRI_SHAPE(2), fed}), TRI_BAD_CALL,
                 "'w' is fed f32 of 2, and is f32 of 3");
    assert_fails(tri_plan_feed(f.plan, "twice", &(tri_tensor){TRI_F32, TRI_SHAPE(3), fed}), TRI_NOT_FOUND, "no variable 'twice'");
    drop(&f);
}

static void assigning_in_training_is_refused(void **state)
{
    (void)state;
    fixture f = {0};
    tri_node *loss;
    build(&f, "assign");
    assert_ok(tri_graph_add(f.graph, "sum", "loss", &f.twice, 1, &(tri_attributes){.axis = TRI_AXIS_ALL}, &loss));
    assert_ok(tri_graph_output(f.graph, "loss", loss));
    tri_graph_target(f.graph, f.next);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f.graph), &(tri_rule){0}, &f.store));
    const tri_plan_options options = {.batch = 1, .threads = 1, .training = true};
    assert_fails(tri_plan_create(f.graph, &options, f.store, &f.plan), TRI_BAD_CALL, "'next' assigns to 'w', which training updates");
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_what_the_run_began_with),
        cmocka_unit_test(targets_are_computed_and_other_nodes_are_not),
        cmocka_unit_test(variables_are_fed_by_name),
        cmocka_unit_test(assigning_in_training_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
