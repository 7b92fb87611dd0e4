/* join_test.c: workers come to a job that runs, take part, and leave again; those that come in a dead one's place are taken for themselves. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

/* Who joins first reads its data. */
#define LONG_SYNC  (3 * SYNC_STEPS)
#define LONG_ASYNC (3 * ASYNC_STEPS)

/* "127.0.0.1:4000" of ps:0, from the cluster file that the supervisor wrote. */
static char *address_of_job(const char *folder)
{
    char *path = test_path(folder, "run/cluster.yaml");
    await_text(path, "worker");
    char *text = test_read(path, NULL), *at = strstr(text, "127.0.0.1:");
    assert_non_null(at);
    char *address = strndup(at, strspn(at, "0123456789.:"));
    free(text);
    free(path);
    return address;
}

static const json_t *stats_of(const json_t *summary, const char *task)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(summary, "worker_stats"), index, item)
    {
        if (!strcmp(json_string_value(json_object_get(item, "task")), task))
            return item;
    }
    fail_msg("the summary knows no %s", task);
    return NULL;
}

static void join(const char *folder, const char *mode, int steps)
{
    process job = process_start(folder, "job", "train " SOFTMAX "--json --out run --eval-every 100 --workers 2 --servers 2 --steps %d %s",
                                steps, mode);
    char *address = address_of_job(folder);
    process_await_step(&job, STRIKE);
    process joiner = process_start(folder, "joiner", "train " SOFTMAX "--steps %d --join %s", steps, address);
    await_member(folder, "worker:2");
    json_t *summary = process_end(&job, 0);
    json_decref(process_end(&joiner, 0));
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_true(integer_of(stats_of(summary, "worker:2"), "steps") > 0);
    assert_true(number_of(summary, "test_accuracy") > ACCURATE);
    json_decref(summary);
    free(address);
}

static void a_worker_joins_in_sync(void **state)
{
    join(*state, "--sync", LONG_SYNC);
}

static void a_worker_joins_in_async(void **state)
{
    join(*state, "--async", LONG_ASYNC);
}

static process start_sync_job(const char *folder, char **address)
{
    process job =
        process_start(folder, "job", "train " SOFTMAX "--json --out run --eval-every 100 --workers 2 --sync --steps %d", LONG_SYNC);
    *address = address_of_job(folder);
    process_await_step(&job, STRIKE);
    return job;
}

static void a_worker_that_joined_may_die(void **state)
{
    char *address;
    process job = start_sync_job(*state, &address);
    process joiner = process_start(*state, "joiner", "train " SOFTMAX "--steps %d --join %s", LONG_SYNC, address);
    await_member(*state, "worker:2");
    process_kill(&joiner);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), LONG_SYNC);
    json_decref(summary);
    free(address);
}

/* What it would compute is not what the others do: it is told, and the job does not notice. */
static void a_worker_with_other_terms_may_not_join(void **state)
{
    char *address;
    process job = start_sync_job(*state, &address);
    process joiner = process_start(*state, "joiner", "train " SOFTMAX "--steps %d --seed 7 --join %s", LONG_SYNC, address);
    process_await(&joiner, "--seed 7 ");
    json_decref(process_end(&joiner, 2));
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), LONG_SYNC);
    json_decref(summary);
    free(address);
}

/* Its pushes are its own, though an earlier process of the same number has pushed to the same servers. */
static void a_successor_takes_the_place_of_a_dead_worker(void **state)
{
    process job = process_start(
        *state, "job", "train " SOFTMAX "--json --out run --eval-every 100 --workers 2 --servers 2 --async --steps %d", LONG_ASYNC);
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:1");
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "worker:1 is gone");
    process heir =
        process_start(*state, "heir", "train " SOFTMAX "--async --steps %d --cluster run/cluster.yaml --task worker:1", LONG_ASYNC);
    json_t *summary = process_end(&job, 0);
    json_decref(process_end(&heir, 0));
    assert_int_equal(integer_of(summary, "steps"), LONG_ASYNC);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_worker_joins_in_sync),
        PROCESS_TEST(a_worker_joins_in_async),
        PROCESS_TEST(a_worker_that_joined_may_die),
        PROCESS_TEST(a_worker_with_other_terms_may_not_join),
        PROCESS_TEST(a_successor_takes_the_place_of_a_dead_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
