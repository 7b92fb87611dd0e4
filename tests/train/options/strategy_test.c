/* strategy_test.c: what options about strategy, mode and workers come to, and those that do not go together. */
#include "train/options/strategy.h"

#include <string.h>

#include "support.h"
#include "train/options/options.h"

/* Options from words: "strategy=ps", "sync=on", … */
static tri_status resolve(const char *const *words, tri__strategy_settings *out)
{
    tri__train_options options;
    tri__train_options_init(&options);
    for (; *words; words++) {
        char name[32] = "";
        const char *equals = strchr(*words, '=');
        memcpy(name, *words, (size_t)(equals - *words));
        bool known = false;
        assert_ok(tri__train_options_set(&options, name, equals + 1, &known));
        assert_true(known);
    }
    tri_status status = tri__strategy_resolve(&options, out);
    tri__train_options_fini(&options);
    return status;
}

#define RESOLVE(out, ...)     resolve((const char *[]){__VA_ARGS__, NULL}, out)
#define REFUSED(message, ...) assert_fails(RESOLVE(&(tri__strategy_settings){0}, __VA_ARGS__), TRI_BAD_CALL, message)

static void modes_are_told_apart(void **state)
{
    (void)state;
    tri__strategy_settings settings;
    assert_ok(resolve((const char *[]){NULL}, &settings));
    assert_true(settings.kind == TRI_STRATEGY_LOCAL && settings.ps.workers == 1 && settings.ps.servers == 0);
    assert_ok(RESOLVE(&settings, "strategy=ps"));
    assert_true(settings.kind == TRI_STRATEGY_PS && settings.ps.mode == TRI_PS_ASYNC);
    assert_true(settings.ps.workers == 1 && settings.ps.servers == 1);
    assert_int_equal(settings.ps.timeout, INT64_C(60000000000));
    assert_int_equal(settings.ps.heartbeat, INT64_C(1000000000));
    assert_ok(RESOLVE(&settings, "strategy=ps", "sync=on", "workers=4", "backup=3", "combine=sum"));
    assert_true(settings.ps.mode == TRI_PS_SYNC && settings.ps.backup == 3 && settings.ps.sum);
    assert_ok(RESOLVE(&settings, "strategy=ps", "staleness=5", "timeout=2s", "heartbeat=500ms"));
    assert_true(settings.ps.mode == TRI_PS_STALENESS && settings.ps.staleness == 5);
    assert_string_equal(tri__ps_mode_name(settings.ps.mode), "staleness");
    assert_int_equal(settings.ps.timeout, INT64_C(2000000000));
    assert_int_equal(settings.ps.heartbeat, INT64_C(500000000));
    assert_string_equal(tri__strategy_name(settings.kind), "ps");
    assert_ok(RESOLVE(&settings, "strategy=ps", "staleness=0", "workers=2", "backup=1"));
    assert_true(settings.ps.mode == TRI_PS_SYNC);
}

static void what_does_not_go_together_is_told(void **state)
{
    (void)state;
    REFUSED("replicas of one process read the same files", "strategy=mirrored", "shard=files");
    REFUSED("--sync belongs to --strategy ps, and the strategy is mirrored", "strategy=mirrored", "sync=on");
    REFUSED("--servers belongs to --strategy ps, and the strategy is allreduce", "strategy=allreduce", "servers=1");
    REFUSED("--restarts belongs to --strategy allreduce, and the strategy is ps", "strategy=ps", "restarts=2");
    REFUSED("--timeout belongs to --strategy ps and allreduce, and the strategy is mirrored", "strategy=mirrored", "timeout=9s");
    REFUSED("--min-workers 1 goes with --restarts", "strategy=allreduce", "workers=2", "min-workers=1");
    REFUSED("--min-workers 3: there are 2 (--workers)", "strategy=allreduce", "workers=2", "min-workers=3", "restarts=1");
    REFUSED("strategy local has one worker", "workers=2");
    REFUSED("--servers belongs to --strategy ps", "servers=1");
    REFUSED("--sync belongs to --strategy ps", "sync=on");
    REFUSED("--async and --sync are two modes", "strategy=ps", "async=on", "sync=on");
    REFUSED("--sync and --staleness are two modes", "strategy=ps", "staleness=2", "sync=on");
    REFUSED("--backup goes with --sync", "strategy=ps", "workers=3", "backup=1");
    REFUSED("--combine goes with --sync", "strategy=ps", "staleness=2", "combine=mean");
    REFUSED("a job has at most 1024", "strategy=ps", "workers=1025");
    REFUSED("with 3 workers at most 2", "strategy=ps", "workers=3", "sync=on", "backup=3");
    REFUSED("expected a time such as", "strategy=ps", "timeout=60");
    REFUSED("--timeout 2s with --heartbeat 1s", "strategy=ps", "timeout=2s");
    REFUSED("longer than two heartbeats", "strategy=ps", "heartbeat=30s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modes_are_told_apart), cmocka_unit_test(what_does_not_go_together_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
