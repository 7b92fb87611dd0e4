/* cond_test.c: a plan computes the branch that is taken and no other, forwards and backwards. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    tri_node *p, *q, *w, *v;
} fixture;

static tri_node *add(fixture *f, const char *operator_name, const char *name, tri_node *a, tri_node *b, tri_node *c, float scale)
{
    tri_node *inputs[] = {a, b, c}, *node;
    assert_ok(tri_graph_add(f->graph, operator_name, name, inputs, c ? 3 : b ? 2 : 1, &(tri_attributes){.scale = scale}, &node));
    return node;
}

/* loss = Σ cond(p, tanh(w), cond(q, (w·huge·huge)∘v, w∘v)): what q chooses overflows. */
static void build(fixture *f, float p, float q, float huge)
{
    *f = (fixture){0};
    assert_ok(tri_graph_create(1, &f->graph));
    assert_ok(tri_graph_parameter(f->graph, "p", (tri_shape){0}, TRI_INIT_CONSTANT, p, &f->p));
    assert_ok(tri_graph_parameter(f->graph, "q", (tri_shape){0}, TRI_INIT_CONSTANT, q, &f->q));
    assert_ok(tri_graph_parameter(f->graph, "w", TRI_SHAPE(2, 3), TRI_INIT_UNIFORM, 1, &f->w));
    assert_ok(tri_graph_parameter(f->graph, "v", TRI_SHAPE(2, 3), TRI_INIT_UNIFORM, 1, &f->v));
    tri_node *first = add(f, "tanh", "first", f->w, NULL, NULL, 0);
    tri_node *large = add(f, "multiply", "large", f->w, NULL, NULL, huge), *larger = add(f, "multiply", "larger", large, NULL, NULL, huge);
    tri_node *second = add(f, "multiply", "second", larger, f->v, NULL, 0), *third = add(f, "multiply", "third", f->w, f->v, NULL, 0);
    tri_node *inner = add(f, "cond", "inner", f->q, second, third, 0), *outer = add(f, "cond", "outer", f->p, first, inner, 0), *loss;
    assert_ok(tri_graph_add(f->graph, "sum", "loss", &outer, 1, &(tri_attributes){.axis = TRI_AXIS_ALL}, &loss));
    assert_ok(tri_graph_output(f->graph, "loss", loss));
}

static void compile(fixture *f, bool training)
{
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f->graph), &(tri_rule){0}, &f->store));
    tri_graph_initialise(f->graph, 3, tri_store_parameters(f->store));
    assert_ok(tri_plan_create(f->graph, &(tri_plan_options){.batch = 1, .threads = 1, .training = training}, f->store, &f->plan));
    tri_plan_time(f->plan, true);
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static float *values(fixture *f, const tri_node *parameter)
{
    return tri_store_parameters(f->store) + tri_node_range(parameter).first;
}

/* Whether the call whose text has this name was made. */
static bool was_made(fixture *f, const char *name)
{
    for (int i = 0; i < tri_plan_calls(f->plan); i++)
        if (strstr(tri_plan_call_text(f->plan, i), name))
            return tri_plan_call_seconds(f->plan, i) > 0;
    fail_msg("no call is for %s", name);
    return false;
}

static double loss_of(fixture *f)
{
    tri_tensor loss;
    assert_ok(tri_plan_run(f->plan, NULL));
    assert_ok(tri_plan_value(f->plan, "loss", &loss));
    return (double)*(const float *)loss.data;
}

static void only_the_branch_that_is_taken_is_computed(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        fixture f;
        const bool p = which & 1, q = which & 2;
        build(&f, p ? 1 : -1, q ? 1 : 0, 2);
        compile(&f, false);
        loss_of(&f);
        assert_int_equal(was_made(&f, " first "), p);
        assert_int_equal(was_made(&f, " large "), !p && q);
        assert_int_equal(was_made(&f, " second "), !p && q);
        assert_int_equal(was_made(&f, " third "), !p && !q);
        assert_int_equal(was_made(&f, " inner "), !p);
        assert_true(was_made(&f, " outer "));
        drop(&f);
    }
}

/* One step of gradient descent with rate 1 takes the gradient off. */
static void check_gradient(fixture *trained, fixture *run, const tri_node *parameter)
{
    const float *after = values(trained, parameter);
    for (size_t i = 0; i < tri_node_range(parameter).count; i++) {
        float *x = &values(run, parameter)[i], kept = *x, step = 1e-2F;
        *x = kept + step;
        double above = loss_of(run);
        *x = kept - step;
        double below = loss_of(run), expected = (above - below) / (2 * (double)step), got = (double)kept - (double)after[i];
        *x = kept;
        if (fabs(expected - got) > 2e-3)
            fail_msg("d loss / d %s[%zu] is %g, expected %g", tri_node_name(parameter), i, got, expected);
    }
}

static void gradients_through_branches_match_finite_differences(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        fixture trained, run;
        double loss;
        const float p = which & 1 ? 1 : -1, q = which & 2 ? 1 : -1;
        build(&trained, p, q, 1.5F);
        build(&run, p, q, 1.5F);
        compile(&trained, true);
        compile(&run, false);
        assert_ok(tri_store_begin(trained.store, &(tri_step){0, 1}));
        assert_ok(tri_plan_train(trained.plan, &(tri_batch){.rows = 1, .weights = (float[]){1}}, &loss));
        assert_ok(tri_store_flush(trained.store));
        assert_true(fabs(loss - loss_of(&run)) < 1e-5);
        check_gradient(&trained, &run, run.w);
        check_gradient(&trained, &run, run.v);
        check_gradient(&trained, &run, run.p);
        drop(&trained);
        drop(&run);
    }
}

static void a_branch_that_overflows_and_is_not_taken_leaves_gradients_alone(void **state)
{
    (void)state;
    fixture f;
    double loss;
    build(&f, 1, 1, 3e38F);
    compile(&f, true);
    float v = values(&f, f.v)[0];
    assert_ok(tri_store_begin(f.store, &(tri_step){0, 1}));
    assert_ok(tri_plan_train(f.plan, &(tri_batch){.rows = 1, .weights = (float[]){1}}, &loss));
    assert_ok(tri_store_flush(f.store));
    assert_true(isfinite(loss) && values(&f, f.v)[0] == v);
    assert_true(isfinite(values(&f, f.w)[0]));
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_branch_that_is_taken_is_computed),
        cmocka_unit_test(gradients_through_branches_match_finite_differences),
        cmocka_unit_test(a_branch_that_overflows_and_is_not_taken_leaves_gradients_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
