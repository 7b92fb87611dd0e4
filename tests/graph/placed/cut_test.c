/* cut_test.c: a graph that several tasks run together, each its own part, gives what one task gives. The tasks are threads here. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"
#include "graph/placed/exchange.h"
#include "graph/plan/plan.h"
#include "support.h"
#include "trireme/trireme.h"

enum { MOST_TASKS = 5, SIZE = 6, MOST_NODES = 40 };

/* ---- an exchange between threads ---- */

/* A value that has been sent, or is expected, or both: then it is there. */
typedef struct letter {
    struct letter *next;
    int from, to, value;
    size_t bytes;
    bool sent, wanted;
    int64_t expected; /* of one that was sent */
    void *data;       /* of one that is wanted */
    char copy[];      /* of one that was sent */
} letter;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    letter *first;    /* under lock */
    int sent, waited; /* under lock */
} post_office;

typedef struct {
    tri_exchange exchange;
    post_office *office;
} counter;

static letter **find(post_office *office, int from, int to, int value, bool sent)
{
    letter **at = &office->first;
    while (*at && ((*at)->from != from || (*at)->to != to || (*at)->value != value || (sent ? (*at)->sent : (*at)->wanted)))
        at = &(*at)->next;
    return at;
}

static letter *add_letter(post_office *office, letter **at, int from, int to, int value, size_t bytes)
{
    letter *made = *at ? *at : malloc(sizeof *made + bytes);
    if (!*at)
        *made = (letter){.from = from, .to = to, .value = value, .bytes = bytes};
    assert_int_equal(made->bytes, bytes);
    *at = made;
    pthread_cond_broadcast(&office->changed);
    return made;
}

#define DEADLINE INT64_C(300000000000)

static tri_status expect_letter(tri_exchange *exchange, int from, int value, void *data, size_t bytes)
{
    post_office *office = ((counter *)exchange)->office;
    pthread_mutex_lock(&office->lock);
    letter *made = add_letter(office, find(office, from, exchange->task, value, false), from, exchange->task, value, bytes);
    made->wanted = true;
    made->data = data;
    if (made->sent)
        memcpy(data, made->copy, bytes);
    pthread_mutex_unlock(&office->lock);
    return NULL;
}

static tri_status receive(tri_exchange *exchange, int from, int value)
{
    post_office *office = ((counter *)exchange)->office;
    int64_t deadline = tri__clock_now() + DEADLINE;
    pthread_mutex_lock(&office->lock);
    letter **at = &office->first;
    for (;;) {
        for (at = &office->first; *at && ((*at)->from != from || (*at)->to != exchange->task || (*at)->value != value);)
            at = &(*at)->next;
        assert_non_null(*at); /* it was expected */
        if ((*at)->sent || tri__clock_now() >= deadline)
            break;
        tri__condition_wait(&office->changed, &office->lock, deadline);
    }
    letter *got = *at;
    bool come = got->sent && got->wanted;
    if (come)
        *at = got->next;
    pthread_mutex_unlock(&office->lock);
    if (!come)
        return tri_fail(TRI_INTERNAL, "value %d of task %d did not come to task %d", value, from, exchange->task);
    free(got);
    return NULL;
}

/* Bytes that nobody is ready for yet, and whether waiting for some of them is allowed. */
static size_t under_way(const post_office *office, int from, int64_t now, bool *may_wait)
{
    size_t bytes = 0;
    *may_wait = false;
    for (const letter *at = office->first; at; at = at->next)
        if (at->from == from && at->sent && !at->wanted) {
            bytes += at->bytes;
            *may_wait |= at->expected < now;
        }
    return bytes;
}

/* Stricter than MPI: a value stays under way until the other task is ready for it. */
static tri_status send(tri_exchange *exchange, int to, int value, const void *data, size_t bytes, int64_t now, int64_t expected)
{
    post_office *office = ((counter *)exchange)->office;
    int64_t deadline = tri__clock_now() + DEADLINE;
    bool may_wait;
    pthread_mutex_lock(&office->lock);
    while (under_way(office, exchange->task, now, &may_wait) + bytes > exchange->window && may_wait && tri__clock_now() < deadline) {
        office->waited++;
        tri__condition_wait(&office->changed, &office->lock, deadline);
    }
    letter *made = add_letter(office, find(office, exchange->task, to, value, true), exchange->task, to, value, bytes);
    made->sent = true;
    made->expected = expected;
    office->sent++;
    if (made->wanted)
        memcpy(made->data, data, bytes);
    else
        memcpy(made->copy, data, bytes);
    pthread_mutex_unlock(&office->lock);
    return tri__clock_now() < deadline ? NULL
                                       : tri_fail(TRI_INTERNAL, "task %d could not send value %d to task %d", exchange->task, value, to);
}

/* ---- random graphs ---- */

typedef struct {
    tri__key key;
    uint64_t drawn;
} dice;

static int roll(dice *d, int sides)
{
    return (int)tri__random_below(d->key, d->drawn++, (uint64_t)sides);
}

static void place_somewhere(dice *d, tri_graph *graph, tri_node *node, int tasks)
{
    char place[64];
    snprintf(place, sizeof place, "/job:worker/task:%d", roll(d, tasks));
    if (roll(d, 3))
        assert_ok(tri_node_place(graph, node, place));
}

static tri_node *draw_source(dice *d, tri_graph *graph, int index)
{
    char name[24];
    tri_node *node;
    snprintf(name, sizeof name, "source%d", index);
    tri_shape shape = TRI_SHAPE(SIZE, SIZE);
    switch (roll(d, 3)) {
    case 0:
        assert_ok(tri_graph_parameter(graph, name, shape, TRI_INIT_UNIFORM, 1, &node));
        return node;
    case 1:
        assert_ok(tri_graph_add(graph, "constant", name, NULL, 0, &(tri_attributes){.shape = shape, .value = 0.5F}, &node));
        return node;
    default:
        assert_ok(
            tri_graph_add(graph, "random", name, NULL, 0, &(tri_attributes){.shape = shape, .init = TRI_INIT_UNIFORM, .value = 1}, &node));
        return node;
    }
}

/* One of two nodes, by the mean of a third. */
static tri_node *draw_cond(tri_graph *graph, tri_node *decides, tri_node *const *branches)
{
    tri_node *condition, *node;
    assert_ok(tri_graph_add(graph, "mean", NULL, &decides, 1, &(tri_attributes){.axis = TRI_AXIS_ALL}, &condition));
    assert_ok(tri_graph_add(graph, "cond", NULL, (tri_node *[]){condition, branches[0], branches[1]}, 3, NULL, &node));
    return node;
}

static tri_node *draw_node(dice *d, tri_graph *graph, tri_node *const *before, int count)
{
    static const struct {
        const char *name;
        int inputs;
    } operators[] = {{"matmul", 2}, {"add", 2}, {"multiply", 2}, {"relu", 1}, {"tanh", 1}, {"transpose", 1}, {"sigmoid", 1}};
    int chosen = roll(d, 1 + sizeof operators / sizeof *operators) - 1;
    tri_node *inputs[2], *node;
    for (int i = 0; i < 2; i++)
        inputs[i] = before[roll(d, count)];
    if (chosen < 0)
        return draw_cond(graph, before[roll(d, count)], inputs);
    assert_ok(tri_graph_add(graph, operators[chosen].name, NULL, inputs, operators[chosen].inputs, NULL, &node));
    return node;
}

/* The loss is the trace of the last node and the mean of another. */
static tri_graph *draw_graph(uint64_t seed, int tasks)
{
    dice d = {tri__key_of(seed), 0};
    tri_graph *graph;
    tri_node *nodes[MOST_NODES];
    int count = 3 + roll(&d, MOST_NODES - 3);
    assert_ok(tri_graph_create(1, &graph));
    assert_ok(tri_graph_parameter(graph, "always", TRI_SHAPE(SIZE, SIZE), TRI_INIT_UNIFORM, 1, &nodes[0]));
    for (int i = 1; i < count; i++) {
        nodes[i] = i < 3 || !roll(&d, 6) ? draw_source(&d, graph, i) : draw_node(&d, graph, nodes, i);
        place_somewhere(&d, graph, nodes[i], tasks);
    }
    tri_node *squashed, *trace, *both[2], *mean, *loss;
    assert_ok(tri_graph_add(graph, "tanh", NULL, &nodes[count - 1], 1, NULL, &squashed));
    assert_ok(tri_graph_add(graph, "trace", NULL, &squashed, 1, NULL, &trace));
    assert_ok(tri_graph_add(graph, "matmul", NULL, (tri_node *[]){nodes[0], nodes[roll(&d, count)]}, 2, NULL, &both[0]));
    assert_ok(tri_graph_add(graph, "tanh", NULL, &both[0], 1, NULL, &both[1]));
    assert_ok(tri_graph_add(graph, "mean", NULL, &both[1], 1, &(tri_attributes){.axis = TRI_AXIS_ALL}, &mean));
    assert_ok(tri_graph_add(graph, "add", NULL, (tri_node *[]){trace, mean}, 2, NULL, &loss));
    place_somewhere(&d, graph, loss, tasks);
    assert_ok(tri_graph_output(graph, "loss", loss));
    assert_ok(tri_graph_output(graph, "logits", squashed));
    return graph;
}

/* ---- a task ---- */

typedef struct {
    const tri_graph *graph;
    counter counter;
    bool training, alone;
    tri_store *store;
    tri_plan *plan;
    double loss;
    float logits[SIZE * SIZE];
    tri_status status;
    pthread_t thread;
} task;

enum { STEPS = 3 };

static tri_status train(task *self)
{
    for (int step = 0; step < STEPS; step++) {
        TRI_TRY(tri_store_begin(self->store, &(tri_step){step, 0.01F}));
        TRI_TRY(tri_plan_train(self->plan, &(tri_batch){.rows = 1, .weights = (float[]){1}}, &self->loss));
    }
    return tri_store_flush(self->store);
}

static tri_status evaluate(task *self)
{
    tri_tensor loss, logits;
    for (int run = 0; run < STEPS; run++)
        TRI_TRY(tri_plan_run(self->plan, NULL));
    if (!self->alone && self->counter.exchange.task)
        return NULL;
    TRI_TRY(tri_plan_value(self->plan, "loss", &loss));
    TRI_TRY(tri_plan_value(self->plan, "logits", &logits));
    self->loss = (double)*(float *)loss.data;
    memcpy(self->logits, logits.data, sizeof self->logits);
    return NULL;
}

static tri_status work(task *self)
{
    const tri_plan_options options = {
        .batch = 1, .training = self->training, .threads = 1, .seed = 5, .exchange = self->alone ? NULL : &self->counter.exchange};
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(self->graph), &(tri_rule){0}, &self->store));
    tri_graph_initialise(self->graph, 9, tri_store_parameters(self->store));
    TRI_TRY(tri_plan_create(self->graph, &options, self->store, &self->plan));
    return self->training ? train(self) : evaluate(self);
}

static void *run_task(void *context)
{
    task *self = context;
    self->status = work(self);
    return NULL;
}

static void drop(task *self)
{
    tri_plan_destroy(self->plan);
    tri_store_destroy(self->store);
}

/* ---- comparing ---- */

static void assert_close(float a, float b)
{
    assert_true(a - b <= 1e-5F * (1 + (a < 0 ? -a : a)) && b - a <= 1e-5F * (1 + (a < 0 ? -a : a)));
}

/* Each parameter where it lives. */
static void assert_same_parameters(task *alone, task *tasks, int count)
{
    const tri_graph *graph = tasks[0].plan->graph;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *node = graph->node[i];
        if (strcmp(tri_node_operator(node), "parameter") != 0)
            continue;
        assert_in_range(node->task, 0, count - 1);
        const float *expected = tri_store_parameters(alone->store) + node->range.first;
        const float *got = tri_store_parameters(tasks[node->task].store) + node->range.first;
        for (size_t k = 0; k < node->range.count; k++)
            assert_close(expected[k], got[k]);
    }
}

/* Nothing fits, one value, a few, all. */
static const size_t windows[] = {0, 4 * SIZE *SIZE, 16 * SIZE *SIZE, 1 << 20};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* waited: how often a task had to wait until it could send. */
static int compare(uint64_t seed, bool training, int *waited)
{
    int tasks = 1 + (int)(seed % MOST_TASKS);
    tri_graph *graph = draw_graph(seed, tasks);
    post_office office = {.lock = PTHREAD_MUTEX_INITIALIZER};
    tri__condition_init(&office.changed);
    const tri_exchange exchange = {
        .tasks = tasks, .window = windows[seed / MOST_TASKS % WINDOWS], .expect = expect_letter, .receive = receive, .send = send};
    task alone = {.graph = graph, .training = training, .alone = true}, all[MOST_TASKS] = {{0}};
    run_task(&alone);
    assert_ok(alone.status);
    for (int i = 0; i < tasks; i++) {
        all[i] = (task){.graph = graph, .training = training, .counter = {exchange, &office}};
        all[i].counter.exchange.task = i;
        assert_int_equal(pthread_create(&all[i].thread, NULL, run_task, &all[i]), 0);
    }
    for (int i = 0; i < tasks; i++)
        pthread_join(all[i].thread, NULL);
    for (int i = 0; i < tasks; i++)
        assert_ok(all[i].status);
    assert_null(office.first); /* nothing is sent that nobody reads */
    for (int i = 0; i < (training ? tasks : 1); i++)
        assert_close((float)alone.loss, (float)all[i].loss);
    if (training)
        assert_same_parameters(&alone, all, tasks);
    else
        for (int i = 0; i < SIZE * SIZE; i++)
            assert_close(alone.logits[i], all[0].logits[i]);
    for (int i = 0; i < tasks; i++)
        drop(&all[i]);
    drop(&alone);
    tri_graph_destroy(graph);
    pthread_cond_destroy(&office.changed);
    *waited += office.waited;
    return office.sent;
}

static void random_graphs_give_on_many_tasks_what_they_give_on_one(void **state)
{
    (void)state;
    int sent = 0, waited = 0;
    for (uint64_t seed = 0; seed < 1500; seed++)
        sent += compare(seed, false, &waited);
    assert_true(sent > 1500);
    assert_true(waited > 0);
}

static void random_graphs_learn_on_many_tasks_what_they_learn_on_one(void **state)
{
    (void)state;
    int sent = 0, waited = 0;
    for (uint64_t seed = 0; seed < 1500; seed++)
        sent += compare(seed, true, &waited);
    assert_true(sent > 1500);
    assert_true(waited > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_give_on_many_tasks_what_they_give_on_one),
        cmocka_unit_test(random_graphs_learn_on_many_tasks_what_they_learn_on_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
