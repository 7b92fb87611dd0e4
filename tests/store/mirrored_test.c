/* mirrored_test.c: replicas in threads against the local store that gets the sum of their gradients: equal, in whatever order they come. */
#include "store/mirrored.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "support.h"

#define SECOND INT64_C(1000000000)

enum { REPLICAS = 3, STEPS = 40, RANGES = 3, FLOATS = 40000 };

/* Offered last layer first, as plans do: a small range, one of several pieces, a small one. Awaited differently, as plans do. */
static const tri_range offered[RANGES] = {{30000, 10000}, {100, 29900}, {0, 100}};
static const tri_range awaited[2] = {{0, 20000}, {20000, 20000}};

typedef struct {
    tri__rendezvous rendezvous;
    tri__mirrored_group *group;
    tri_store *store[REPLICAS];
} mirrors;

static void open_mirrors(mirrors *all, tri_rule rule, int threads)
{
    tri__rendezvous_init(&all->rendezvous, threads, 2);
    const tri__mirrored_group_options options = {FLOATS, rule, REPLICAS, &all->rendezvous, 30 * SECOND};
    assert_ok(tri__mirrored_group_create(&options, &all->group));
    for (int i = 0; i < REPLICAS; i++) {
        assert_ok(tri__mirrored_store_create(all->group, i, &all->store[i]));
        assert_ok(tri__store_arrange(all->store[i], offered, RANGES, 0));
    }
}

static void close_mirrors(mirrors *all)
{
    for (int i = 0; i < REPLICAS; i++)
        tri_store_destroy(all->store[i]);
    tri__mirrored_group_destroy(all->group);
    tri__rendezvous_fini(&all->rendezvous);
}

static float gradient_of(int replica, int step, size_t i, float parameter)
{
    return (float)((replica + 1) * (step % 3 + 1)) * 0.25F + (float)(i % 7) - parameter;
}

/* Uneven shards: the last replica has no examples in every fourth step. */
static double weight_of(int replica, int step)
{
    return replica == REPLICAS - 1 && step % 4 == 0 ? 0 : replica + 1;
}

static void write_gradient(float *gradient, const float *parameters, tri_range range, int replica, int step)
{
    for (size_t i = range.first; i < range.first + range.count; i++)
        gradient[i] = weight_of(replica, step) > 0 ? gradient_of(replica, step, i, parameters[i]) : 0;
}

static tri_status one_step(tri_store *store, int replica, int step)
{
    TRI_TRY(tri_store_begin(store, &(tri_step){step, 0.01F / (float)(step + 1)}));
    for (int i = 0; i < 2; i++)
        TRI_TRY(tri_store_await(store, awaited[i]));
    for (int i = 0; i < RANGES; i++) {
        write_gradient(tri_store_gradient(store), tri_store_parameters(store), offered[i], replica, step);
        TRI_TRY(tri_store_offer(store, offered[i], weight_of(replica, step)));
    }
    return NULL;
}

typedef struct {
    mirrors *all;
    int replica;
    tri_status status;
} job;

static void *work(void *context)
{
    job *mine = context;
    tri_store *store = mine->all->store[mine->replica];
    for (int step = 0; step < STEPS && !mine->status; step++)
        mine->status = one_step(store, mine->replica, step);
    if (!mine->status)
        mine->status = tri_store_flush(store);
    return NULL;
}

static void run_threads(mirrors *all)
{
    pthread_t thread[REPLICAS];
    job jobs[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
        jobs[i] = (job){all, i, NULL};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < REPLICAS; i++) {
        pthread_join(thread[i], NULL);
        assert_ok(jobs[i].status);
    }
}

/* The same sums, in the same order, into one local store. */
static tri_store *run_local(tri_rule rule)
{
    tri_store *store;
    assert_ok(tri_store_local_create(FLOATS, &rule, &store));
    float *gradient = tri_store_gradient(store), *parameters = tri_store_parameters(store);
    static float part[FLOATS];
    for (int step = 0; step < STEPS; step++) {
        double weight = 0;
        assert_ok(tri_store_begin(store, &(tri_step){step, 0.01F / (float)(step + 1)}));
        memset(gradient, 0, FLOATS * sizeof *gradient);
        for (int r = 0; r < REPLICAS; r++) {
            write_gradient(part, parameters, (tri_range){0, FLOATS}, r, step);
            for (size_t i = 0; i < FLOATS; i++)
                gradient[i] += part[i];
            weight += weight_of(r, step);
        }
        for (int i = 0; i < RANGES; i++)
            assert_ok(tri_store_offer(store, offered[i], weight));
    }
    assert_ok(tri_store_flush(store));
    return store;
}

static void assert_same_as_local(tri_rule rule, int threads)
{
    mirrors all;
    open_mirrors(&all, rule, threads);
    run_threads(&all);
    tri_store *local = run_local(rule);
    assert_memory_equal(tri_store_parameters(all.store[1]), tri_store_parameters(local), FLOATS * sizeof(float));
    for (int slot = 0; slot < tri_rule_slots(&rule); slot++)
        assert_memory_equal(tri_store_slot(all.store[2], slot), tri_store_slot(local, slot), FLOATS * sizeof(float));
    assert_true(isfinite(tri_store_parameters(local)[5]) && tri_store_parameters(local)[5] != 0);
    tri_store_destroy(local);
    close_mirrors(&all);
}

static void replicas_train_as_one_local_store_does(void **state)
{
    (void)state;
    assert_same_as_local((tri_rule){.name = "sgd", .set = {{"l2", 0.01F}}}, 2);
    assert_same_as_local((tri_rule){.name = "adam"}, 100); /* threads that sleep at once */
}

static void replicas_keep_the_averages_that_one_local_store_keeps(void **state)
{
    (void)state;
    assert_same_as_local((tri_rule){.name = "adam", .average = 0.9F}, 2);
    assert_same_as_local((tri_rule){.name = "sgd", .average = 0.5F, .clip = 3}, 2);
}

static void replicas_clip_by_the_norm_of_the_whole_gradient(void **state)
{
    (void)state;
    assert_same_as_local((tri_rule){.name = "momentum", .clip = 3}, 2);
}

static void *wait_alone(void *context)
{
    job *mine = context;
    mine->status = one_step(mine->all->store[0], 0, 0);
    return NULL;
}

static void a_replica_that_gives_up_ends_the_waits_of_the_others(void **state)
{
    (void)state;
    mirrors all;
    open_mirrors(&all, (tri_rule){.name = "sgd"}, 2);
    pthread_t thread;
    job mine = {&all, 0, NULL};
    assert_int_equal(pthread_create(&thread, NULL, wait_alone, &mine), 0);
    tri__mirrored_group_stop(all.group);
    pthread_join(thread, NULL);
    assert_fails(mine.status, TRI_STOPPED, "another replica");
    close_mirrors(&all);
}

static void a_wait_for_replicas_times_out_and_names_them(void **state)
{
    (void)state;
    mirrors all;
    tri__rendezvous_init(&all.rendezvous, 2, 2);
    assert_ok(tri__mirrored_group_create(&(tri__mirrored_group_options){FLOATS, {.name = "sgd"}, REPLICAS, &all.rendezvous, SECOND / 100},
                                         &all.group));
    for (int i = 0; i < REPLICAS; i++) {
        assert_ok(tri__mirrored_store_create(all.group, i, &all.store[i]));
        assert_ok(tri__store_arrange(all.store[i], offered, RANGES, 0));
    }
    assert_fails(one_step(all.store[0], 0, 0), TRI_TIMEOUT, "replica 0 waited 0.01 s");
    assert_true(tri__store_take_times(all.store[0]).peers >= SECOND / 100);
    assert_int_equal(tri__store_take_times(all.store[0]).peers, 0);
    close_mirrors(&all);
}

static void wrong_calls_of_mirrored_stores_are_refused(void **state)
{
    (void)state;
    mirrors all;
    open_mirrors(&all, (tri_rule){.name = "sgd"}, 2);
    assert_ok(tri_store_begin(all.store[0], &(tri_step){0, 1}));
    assert_fails(tri_store_offer(all.store[0], (tri_range){0, 100}, 1), TRI_BAD_CALL, "no plan announced");
    assert_fails(tri_store_begin(all.store[0], &(tri_step){1, 1}), TRI_BAD_CALL, "before all of the last one");
    assert_fails(tri__store_arrange(all.store[1], offered, 2, 0), TRI_INTERNAL, "different orders");
    close_mirrors(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replicas_train_as_one_local_store_does),
        cmocka_unit_test(replicas_keep_the_averages_that_one_local_store_keeps),
        cmocka_unit_test(replicas_clip_by_the_norm_of_the_whole_gradient),
        cmocka_unit_test(a_replica_that_gives_up_ends_the_waits_of_the_others),
        cmocka_unit_test(a_wait_for_replicas_times_out_and_names_them),
        cmocka_unit_test(wrong_calls_of_mirrored_stores_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
