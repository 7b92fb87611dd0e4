/* plan_test.c: plans with rewrites and kernels switched off and on compute the same; running one allocates nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "graph/plan/plan.h"
#include "support.h"
#include "trireme/trireme.h"

typedef struct {
    const char *model;
    tri_shape input;
    int64_t classes;
    int64_t batch;
} subject;

/* ---- a batch of random bytes ---- */

typedef struct {
    tri_batch batch;
    uint8_t *x;
    int32_t *labels;
    float *weights;
    int64_t *ids;
} fixture;

static void make_batch(const subject *s, fixture *f)
{
    int64_t pixels = s->batch * tri_shape_count(s->input);
    f->x = malloc((size_t)pixels + 1);
    f->labels = malloc((size_t)s->batch * sizeof *f->labels + 1);
    f->weights = malloc((size_t)s->batch * sizeof *f->weights + 1);
    f->ids = malloc((size_t)s->batch * sizeof *f->ids + 1);
    tri__key key = tri__key_of(7);
    tri__random_fill_bytes(key, 0, pixels, f->x);
    for (int64_t i = 0; i < s->batch; i++) {
        f->labels[i] = (int32_t)tri__random_below(tri__key_split(key, 1), (uint64_t)i, (uint64_t)s->classes);
        f->weights[i] = i + 1 == s->batch && s->batch > 1 ? 0.0f : 1.0f;
        f->ids[i] = 1000 + i;
    }
    f->batch = (tri_batch){
        .rows = s->batch, .count = s->batch, .type = TRI_U8, .x = f->x, .labels = f->labels, .weights = f->weights, .ids = f->ids};
}

static void drop_batch(fixture *f)
{
    free(f->x);
    free(f->labels);
    free(f->weights);
    free(f->ids);
}

/* ---- one step ---- */

static tri_graph *build(const subject *s)
{
    tri_model *model;
    tri_graph *graph;
    assert_ok(tri_model_open(s->model, &model));
    const tri_model_input input = {.type = TRI_U8, .shape = s->input, .classes = s->classes};
    assert_ok(tri_model_build(model, &input, s->batch, &graph));
    tri_model_destroy(model);
    return graph;
}

/* A subject with all that it takes to run. */
typedef struct {
    tri_graph *graph;
    fixture data;
    tri_store *store;
    tri_plan *plan;
} machine;

static machine make_machine(const subject *s, const tri_plan_options *options)
{
    machine m = {.graph = build(s)};
    make_batch(s, &m.data);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(m.graph), &(tri_rule){.name = "sgd"}, &m.store));
    tri_graph_initialise(m.graph, 3, tri_store_parameters(m.store));
    assert_ok(tri_plan_create(m.graph, options, m.store, &m.plan));
    return m;
}

static void drop_machine(machine *m)
{
    tri_plan_destroy(m->plan);
    tri_store_destroy(m->store);
    tri_graph_destroy(m->graph);
    drop_batch(&m->data);
}

/* An example of LeNet: two convolutions and three products, each with two gradients, except that the first needs none by the image. */
static void flops_of_training_count_the_gradients(void **state)
{
    (void)state;
    const double first = 2.0 * 6 * 26 * 26 * 9, second = 2.0 * 16 * 11 * 11 * 6 * 9, dense = 2.0 * (400 * 120 + 120 * 84 + 84 * 10);
    const subject lenet = {"lenet", TRI_SHAPE(28, 28, 1), 10, 4};
    machine m = make_machine(&lenet, &(tri_plan_options){.batch = 4, .training = true});
    assert_float_equal(tri_plan_flops(m.plan), 4 * (2 * first + 3 * second + 3 * dense), 0.5);
    drop_machine(&m);
}

/* Each call reads or writes all of its arguments: at least the images, and all parameters twice, forwards and for their gradients. */
static void traffic_of_training_has_images_parameters_and_gradients(void **state)
{
    (void)state;
    const subject lenet = {"lenet", TRI_SHAPE(28, 28, 1), 10, 4};
    machine m = make_machine(&lenet, &(tri_plan_options){.batch = 4, .training = true});
    const double least = 4.0 * 28 * 28 + 2.0 * (double)tri_store_floats(m.store) * sizeof(float);
    assert_true(tri__plan_traffic(m.plan) >= least);
    assert_true(tri__plan_traffic(m.plan) <= 100 * least + 100 * (double)tri_plan_bytes(m.plan));
    drop_machine(&m);
}

/* Loss and gradient of one step from the same weights; the store is the caller's. */
static double step(const subject *s, unsigned without, int threads, tri_store **store)
{
    tri_graph *graph = build(s);
    fixture f;
    make_batch(s, &f);
    const tri_rule rule = {.name = "sgd"};
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &rule, store));
    tri_graph_initialise(graph, 3, tri_store_parameters(*store));
    const tri_plan_options options = {.batch = s->batch, .training = true, .threads = threads, .seed = 5, .without = without};
    tri_plan *plan;
    assert_ok(tri_plan_create(graph, &options, *store, &plan));
    const tri_step now = {.step = 0, .rate = 0.0f};
    assert_ok(tri_store_begin(*store, &now));
    double loss;
    assert_ok(tri_plan_train(plan, &f.batch, &loss));
    assert_ok(tri_store_flush(*store));
    tri_plan_destroy(plan);
    tri_graph_destroy(graph);
    drop_batch(&f);
    return loss;
}

/* |a − b| relative to the largest element of a. */
static double distance(const float *a, const float *b, size_t count)
{
    double largest = 1e-6, worst = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)a[i]));
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    }
    return worst / largest;
}

static void compare(const subject *s, unsigned without, int threads)
{
    tri_store *oracle, *store;
    double expected = step(s, TRI_PLAN_ALL, 1, &oracle);
    double loss = step(s, without, threads, &store);
    assert_true(isfinite(expected));
    if (fabs(loss - expected) > 1e-4 * fabs(expected))
        fail_msg("%s, batch %d, without %u: loss %g, expected %g", s->model, (int)s->batch, without, loss, expected);
    double error = distance(tri_store_gradient(oracle), tri_store_gradient(store), tri_store_floats(store));
    if (!(error < 1e-4))
        fail_msg("%s, batch %d, without %u: the gradient differs by %g", s->model, (int)s->batch, without, error);
    tri_store_destroy(oracle);
    tri_store_destroy(store);
}

/* ---- the tests ---- */

static void every_optimisation_of_a_plan_keeps_its_results(void **state)
{
    (void)state;
    static const unsigned switches[] = {0,
                                        TRI_PLAN_FUSE,
                                        TRI_PLAN_DEAD,
                                        TRI_PLAN_INPUT_GRADIENT,
                                        TRI_PLAN_FOLD,
                                        TRI_PLAN_TRACE,
                                        TRI_PLAN_POOL_RELU,
                                        TRI_PLAN_ONEDNN,
                                        TRI_PLAN_NARROW,
                                        TRI_PLAN_IN_PLACE,
                                        TRI_PLAN_ONEDNN | TRI_PLAN_NARROW,
                                        TRI_PLAN_NARROW | TRI_PLAN_FUSE};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        for (int64_t batch = 1; batch <= 17; batch += 8) {
            compare(&(subject){"softmax", TRI_SHAPE(28, 28, 1), 10, batch}, switches[i], 2);
            compare(&(subject){"lenet", TRI_SHAPE(28, 28, 1), 10, batch}, switches[i], 2);
        }
}

static void a_plan_of_alexnet_agrees_with_plain_c(void **state)
{
    (void)state;
    const subject s = {"alexnet", TRI_SHAPE(95, 95, 3), 7, 3};
    compare(&s, 0, 2);
    compare(&s, TRI_PLAN_POOL_RELU, 1);
}

/* Parameters after some steps with momentum; the store is the caller's. */
static void train_some(const subject *s, bool drop, unsigned without, tri_store **store)
{
    tri_graph *graph = build(s);
    fixture f;
    make_batch(s, &f);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.name = "momentum"}, store));
    tri_graph_initialise(graph, 3, tri_store_parameters(*store));
    if (drop)
        tri_store_drop_gradient(*store);
    assert_true(drop == !tri_store_gradient(*store));
    tri_plan *plan;
    assert_ok(tri_plan_create(graph, &(tri_plan_options){.batch = s->batch, .training = true, .without = without}, *store, &plan));
    for (int64_t step = 0; step < 3; step++) {
        double loss;
        assert_ok(tri_store_begin(*store, &(tri_step){.step = step, .rate = 0.01f}));
        assert_ok(tri_plan_train(plan, &f.batch, &loss));
        assert_ok(tri_store_flush(*store));
    }
    tri_plan_destroy(plan);
    tri_graph_destroy(graph);
    drop_batch(&f);
}

static void a_store_that_dropped_its_gradient_trains_the_same(void **state)
{
    (void)state;
    static const unsigned switches[] = {0, TRI_PLAN_NARROW, TRI_PLAN_NARROW | TRI_PLAN_ONEDNN, TRI_PLAN_IN_PLACE | TRI_PLAN_FUSE};
    static const char *const models[] = {"softmax", "lenet"};
    for (int i = 0; i < 8; i++) {
        const subject s = {models[i % 2], TRI_SHAPE(28, 28, 1), 10, 9};
        tri_store *kept, *dropped;
        train_some(&s, false, switches[i / 2], &kept);
        train_some(&s, true, switches[i / 2], &dropped);
        for (size_t p = 0; p < tri_store_floats(kept); p++)
            if (tri_store_parameters(kept)[p] != tri_store_parameters(dropped)[p])
                fail_msg("%s without %u: parameter %zu differs", s.model, switches[i / 2], p);
        tri_store_destroy(kept);
        tri_store_destroy(dropped);
    }
}

static void a_plan_refuses_batches_it_was_not_made_for(void **state)
{
    (void)state;
    const subject s = {"softmax", TRI_SHAPE(4, 4, 1), 3, 2};
    machine m = make_machine(&s, &(tri_plan_options){.batch = 2, .training = true, .threads = 1});
    double loss;
    m.data.labels[1] = 3;
    assert_fails(tri_plan_train(m.plan, &m.data.batch, &loss), TRI_BAD_DATA, NULL);
    m.data.labels[1] = 0;
    m.data.batch.rows = 1;
    assert_fails(tri_plan_train(m.plan, &m.data.batch, &loss), TRI_BAD_CALL, NULL);
    drop_machine(&m);
}

static double seconds_of(const tri_plan *plan)
{
    double sum = 0;
    for (int i = 0; i < tri_plan_calls(plan); i++) {
        assert_true(*tri_plan_call_text(plan, i) && tri_plan_call_seconds(plan, i) >= 0);
        sum += tri_plan_call_seconds(plan, i);
    }
    return sum;
}

static void a_plan_tells_the_seconds_of_its_calls_where_timing_is_on(void **state)
{
    (void)state;
    const subject s = {"lenet", TRI_SHAPE(28, 28, 1), 10, 16};
    machine m = make_machine(&s, &(tri_plan_options){.batch = s.batch, .threads = 1});
    assert_ok(tri_plan_run(m.plan, &m.data.batch));
    assert_float_equal(seconds_of(m.plan), 0, 0);
    tri_plan_time(m.plan, true);
    assert_ok(tri_plan_run(m.plan, &m.data.batch));
    double once = seconds_of(m.plan);
    assert_true(once > 0);
    tri_plan_time(m.plan, false);
    assert_ok(tri_plan_run(m.plan, &m.data.batch));
    assert_float_equal(seconds_of(m.plan), once, 0);
    drop_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flops_of_training_count_the_gradients),
        cmocka_unit_test(traffic_of_training_has_images_parameters_and_gradients),
        cmocka_unit_test(every_optimisation_of_a_plan_keeps_its_results),
        cmocka_unit_test(a_plan_of_alexnet_agrees_with_plain_c),
        cmocka_unit_test(a_store_that_dropped_its_gradient_trains_the_same),
        cmocka_unit_test(a_plan_refuses_batches_it_was_not_made_for),
        cmocka_unit_test(a_plan_tells_the_seconds_of_its_calls_where_timing_is_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
