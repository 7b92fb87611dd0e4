/* strategies_test.c: which strategy options mean, in which mode and with how many workers, and those that do not go together. */
#include "train/options/strategies.h"

#include <stdio.h>
#include <string.h>

#include "support.h"
#include "train/ps/settings/settings.h"

/* Options from words: "strategy=ps", "sync=on", … */
static void read_words(const char *const *words, tri__train_options *out)
{
    tri__train_options_init(out);
    for (; *words; words++) {
        char name[32] = "";
        const char *equals = strchr(*words, '=');
        memcpy(name, *words, (size_t)(equals - *words));
        bool known = false;
        assert_ok(tri__train_options_set(out, name, equals + 1, &known));
        assert_true(known);
    }
}

static tri_status check(const char *const *words)
{
    tri__train_options options;
    read_words(words, &options);
    tri_status status = tri__strategies_check(tri__strategies_find(options.strategy), &options);
    tri__train_options_fini(&options);
    return status;
}

static tri__ps_settings servers(const char *const *words)
{
    tri__train_options options;
    tri__ps_settings settings;
    read_words(words, &options);
    assert_ok(tri__ps_settings_resolve(&options, &settings));
    tri__train_options_fini(&options);
    return settings;
}

#define WORDS(...)            ((const char *[]){__VA_ARGS__, NULL})
#define REFUSED(message, ...) assert_fails(check(WORDS(__VA_ARGS__)), TRI_BAD_CALL, message)

static void strategies_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(tri__strategies_find(NULL)->name, "local");
    for (int i = 0; tri__strategies[i]; i++)
        assert_ptr_equal(tri__strategies_find(tri__strategies[i]->name), tri__strategies[i]);
    assert_string_equal(tri__strategies_meeting(TRI_MEET_RANKS)->name, "allreduce");
    assert_string_equal(tri__strategies_meeting(TRI_MEET_CLUSTER)->name, "ps");
}

/* A strategy that trains in this process needs a store; one of several processes must be able to start them. */
static void every_strategy_has_what_its_kind_needs(void **state)
{
    (void)state;
    tri__train_options options;
    tri__train_options_init(&options);
    for (int i = 0; tri__strategies[i]; i++) {
        const tri__strategy *row = tri__strategies[i];
        bool several = row->meeting != TRI_MEET_NOBODY;
        assert_true(row->create_store || row->run_task);
        assert_int_equal(row->launch != NULL, several);
        assert_int_equal(row->launcher_options != NULL, several);
        assert_int_equal(row->run_task != NULL, row->meeting == TRI_MEET_CLUSTER);
        assert_ok(tri__strategies_check(row, &options));
        for (int j = 0; row->options && row->options[j]; j++) {
            bool known = false;
            assert_ok(tri__train_options_set(&options, row->options[j], "1", &known));
            assert_true(known && tri__train_options_given(&options, row->options[j]));
        }
        tri__train_options_fini(&options);
    }
}

static void options_select_the_mode_of_parameter_servers(void **state)
{
    (void)state;
    assert_ok(check((const char *[]){NULL}));
    tri__ps_settings ps = servers((const char *[]){NULL});
    assert_true(ps.mode == TRI_PS_ASYNC && ps.workers == 1 && ps.servers == 1);
    assert_int_equal(ps.timeout, INT64_C(60000000000));
    assert_int_equal(ps.heartbeat, INT64_C(1000000000));
    ps = servers(WORDS("sync=on", "workers=4", "backup=3", "combine=sum"));
    assert_true(ps.mode == TRI_PS_SYNC && ps.backup == 3 && ps.sum);
    assert_int_equal(tri__ps_together(&ps), 4);
    ps = servers(WORDS("staleness=5", "timeout=2s", "heartbeat=500ms", "workers=4"));
    assert_true(ps.mode == TRI_PS_STALENESS && ps.staleness == 5);
    assert_string_equal(tri__ps_mode_name(ps.mode), "staleness");
    assert_int_equal(tri__ps_together(&ps), 1);
    assert_int_equal(ps.timeout, INT64_C(2000000000));
    assert_int_equal(ps.heartbeat, INT64_C(500000000));
    ps = servers(WORDS("staleness=0", "workers=2", "backup=1"));
    assert_true(ps.mode == TRI_PS_SYNC);
}

static void options_that_do_not_fit_the_strategy_are_refused_with_a_reason(void **state)
{
    (void)state;
    REFUSED("replicas of one process read the same files", "strategy=mirrored", "shard=files");
    REFUSED("--sync belongs to --strategy ps, and the strategy is mirrored", "strategy=mirrored", "sync=on");
    REFUSED("--servers belongs to --strategy ps, and the strategy is allreduce", "strategy=allreduce", "servers=1");
    REFUSED("--restarts belongs to --strategy allreduce and placed, and the strategy is ps", "strategy=ps", "restarts=2");
    REFUSED("--timeout belongs to --strategy ps, allreduce and placed, and the strategy is mirrored", "strategy=mirrored", "timeout=9s");
    REFUSED("--min-workers 1 goes with --restarts", "strategy=allreduce", "workers=2", "min-workers=1");
    REFUSED("--min-workers 3: there are 2 (--workers)", "strategy=allreduce", "workers=2", "min-workers=3", "restarts=1");
    REFUSED("strategy local has one worker", "workers=2");
    REFUSED("--servers belongs to --strategy ps", "servers=1");
    REFUSED("--sync belongs to --strategy ps", "sync=on");
    REFUSED("--async and --sync are different modes", "strategy=ps", "async=on", "sync=on");
    REFUSED("--sync and --staleness are different modes", "strategy=ps", "staleness=2", "sync=on");
    REFUSED("--backup needs --sync", "strategy=ps", "workers=3", "backup=1");
    REFUSED("--combine needs --sync", "strategy=ps", "staleness=2", "combine=mean");
    REFUSED("a job has at most 1024", "strategy=ps", "workers=1025");
    REFUSED("with 3 workers at most 2", "strategy=ps", "workers=3", "sync=on", "backup=3");
    REFUSED("--replicas 2 needs at least 2 servers", "strategy=ps", "servers=1", "replicas=2");
    REFUSED("--replicas belongs to --strategy ps", "strategy=mirrored", "replicas=2");
    REFUSED("expected a time such as", "strategy=ps", "timeout=60");
    REFUSED("--timeout 2s with --heartbeat 1s", "strategy=ps", "timeout=2s");
    REFUSED("longer than two heartbeats", "strategy=ps", "heartbeat=30s");
}

static void a_flag_that_is_off_is_accepted_by_every_strategy(void **state)
{
    (void)state;
    assert_ok(check(WORDS("strategy=mirrored", "workers=2", "sync=off", "log-updates=off")));
    REFUSED("--staleness belongs to --strategy ps, and the strategy is mirrored", "strategy=mirrored", "staleness=0");
}

static void only_strategies_that_read_streams_accept_standard_input(void **state)
{
    (void)state;
    for (int i = 0; tri__strategies[i]; i++) {
        char strategy[32];
        snprintf(strategy, sizeof strategy, "strategy=%s", tri__strategies[i]->name);
        if (tri__strategies[i]->reads_stream)
            assert_ok(check(WORDS(strategy, "data=-")));
        else
            REFUSED("it is for --strategy local, not", strategy, "data=-");
    }
}

static void each_strategy_knows_what_helps_against_a_straggler(void **state)
{
    (void)state;
    tri__train_options sync, async;
    tri__train_options_init(&sync);
    tri__train_options_init(&async);
    sync.sync = async.async = 1;
    assert_string_equal(tri__strategy_ps.straggler_remedy(&sync), "give --backup 1");
    sync.backup = 1;
    assert_string_equal(tri__strategy_ps.straggler_remedy(&sync), "give a larger --backup");
    assert_null(tri__strategy_ps.straggler_remedy(&async));
    assert_string_equal(tri__strategy_placed.straggler_remedy(&sync), "move layers from it to other tasks (place=)");
    assert_null(tri__strategy_allreduce.straggler_remedy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_strategy_knows_what_helps_against_a_straggler),
        cmocka_unit_test(strategies_are_found_by_name),
        cmocka_unit_test(every_strategy_has_what_its_kind_needs),
        cmocka_unit_test(options_select_the_mode_of_parameter_servers),
        cmocka_unit_test(options_that_do_not_fit_the_strategy_are_refused_with_a_reason),
        cmocka_unit_test(a_flag_that_is_off_is_accepted_by_every_strategy),
        cmocka_unit_test(only_strategies_that_read_streams_accept_standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
