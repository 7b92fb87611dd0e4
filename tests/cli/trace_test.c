/* trace_test.c: --trace with every strategy: steps, phases within them, layers, and arrows that lead from one task to another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/json.h"
#include "base/thread/clock.h"
#include "cli/binary.h"

enum { STEPS = 6 };

static json_t *timeline_of(const char *folder)
{
    char *path = test_path(folder, "run/trace.json");
    json_t *timeline = NULL;
    assert_ok(tri__json_read(path, &timeline));
    free(path);
    return timeline;
}

static bool says(const json_t *event, const char *key, const char *value)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text && !strcmp(text, value);
}

static double number(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static int count(const json_t *timeline, const char *key, const char *value)
{
    const json_t *event;
    size_t index;
    int found = 0;
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event) found += says(event, key, value);
    return found;
}

/* The span of this name that has all of another one in it, on the same lane. */
static bool lies_within(const json_t *timeline, const json_t *inner, const char *name)
{
    const json_t *event;
    size_t index;
    const double slack = 0.002; /* times are written to the nanosecond */
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        if (says(event, "name", name) && number(event, "pid") == number(inner, "pid") && number(event, "tid") == number(inner, "tid") &&
            number(event, "ts") <= number(inner, "ts") + slack &&
            number(event, "ts") + number(event, "dur") + slack >= number(inner, "ts") + number(inner, "dur"))
            return true;
    }
    return false;
}

static void expect_nesting(const json_t *timeline)
{
    const json_t *event;
    size_t index;
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        if (says(event, "cat", "layer") && !lies_within(timeline, event, "compute"))
            fail_msg("a layer lies outside of compute: %s", json_string_value(json_object_get(event, "name")));
        if (says(event, "name", "compute") && !lies_within(timeline, event, "step"))
            fail_msg("compute lies outside of a step");
    }
}

/* Every message that arrived was sent before, and at least `least` of them by another process or thread. */
static void expect_arrows(const json_t *timeline, int least)
{
    json_t *sent = json_object();
    const json_t *event;
    size_t index;
    int across = 0;
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        if (says(event, "ph", "s"))
            json_object_set(sent, json_string_value(json_object_get(event, "id")), (json_t *)event);
    }
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        if (!says(event, "ph", "f"))
            continue;
        const json_t *from = json_object_get(sent, json_string_value(json_object_get(event, "id")));
        if (!from || number(from, "ts") > number(event, "ts"))
            fail_msg("a message arrives that nobody sent before");
        across += number(from, "pid") != number(event, "pid") || number(from, "tid") != number(event, "tid");
    }
    json_decref(sent);
    assert_true(across >= least);
}

/* Of one machine all tasks read one clock, and the timeline says so. */
static void expect_one_clock(const json_t *timeline)
{
    const json_t *clocks = json_object_get(json_object_get(timeline, "otherData"), "clocks"), *clock;
    const char *task;
    assert_true(json_object_size(clocks) > 0);
    json_object_foreach((json_t *)clocks, task, clock)
    {
        if (number(clock, "offset_us") != 0 || !says(clock, "by", "shared clock"))
            fail_msg("the clock of %s is moved", task);
    }
}

/* From the first step of a lane's process to its last, in seconds. */
static double wall_of(const json_t *timeline, const char *task)
{
    const json_t *event;
    size_t index;
    double pid = -1, begin = INFINITY, end = 0;
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        const char *name = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
        if (says(event, "name", "process_name") && !strncmp(name, task, strlen(task))) /* "worker:0 on host1" */
            pid = number(event, "pid");
    }
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event)
    {
        if (!says(event, "name", "step") || number(event, "pid") != pid)
            continue;
        begin = fmin(begin, number(event, "ts"));
        end = fmax(end, number(event, "ts") + number(event, "dur"));
    }
    return (end - begin) * 1e-6;
}

/* The phases of each worker account for 99 % of the time that the timeline shows, which keeps its own times. */
static void expect_phases(const char *folder, const json_t *timeline)
{
    char *path = test_path(folder, "run/summary.json");
    json_t *summary = NULL;
    const json_t *worker;
    size_t index;
    assert_ok(tri__json_read(path, &summary));
    json_array_foreach(json_object_get(summary, "worker_stats"), index, worker)
    {
        const char *phase;
        const json_t *share;
        double sum = 0;
        json_object_foreach(json_object_get(worker, "phases"), phase, share) sum += json_number_value(share);
        const double wall = wall_of(timeline, json_string_value(json_object_get(worker, "task")));
        const double began = number(worker, "began"), ended = number(worker, "ended");
        if (!(ended - began >= 0.99 * wall) || !(ended <= tri__clock_wall() + 1) || !(began > tri__clock_wall() - 3600))
            fail_msg("began at %f and ended at %f, with steps of %g s", began, ended, wall);
        if (!(wall > 0) || !(number(worker, "seconds") * sum >= 0.99 * wall))
            fail_msg("phases of %g s in %g s", number(worker, "seconds") * sum, wall);
    }
    json_decref(summary);
    free(path);
}

#define TRACED                                                                                                                             \
    "train", "lenet", "--data", "digits:300", "--batch", "16", "--steps", "6", "--threads", "1", "--trace", "--quiet", "--out", "run",     \
        "--strategy"

static void a_local_run_has_a_span_for_each_step_phase_and_layer(void **state)
{
    expect(RUN(*state, TRACED, "local"), 0, "6 steps", "");
    json_t *timeline = timeline_of(*state);
    assert_int_equal(count(timeline, "name", "step"), STEPS);
    assert_int_equal(count(timeline, "name", "compute"), STEPS);
    assert_true(count(timeline, "name", "update") >= STEPS && count(timeline, "cat", "layer") >= 5 * STEPS);
    assert_true(count(timeline, "name", "evaluation") >= 1 && count(timeline, "cat", "mark") >= 1);
    expect_nesting(timeline);
    expect_one_clock(timeline);
    expect_phases(*state, timeline);
    json_decref(timeline);
}

static void replicas_are_lanes_with_arrows_between_them(void **state)
{
    expect(RUN(*state, TRACED, "mirrored", "--workers", "2"), 0, "6 steps", "");
    json_t *timeline = timeline_of(*state);
    assert_int_equal(count(timeline, "name", "step"), 2 * STEPS);
    expect_nesting(timeline);
    expect_arrows(timeline, STEPS);
    json_decref(timeline);
}

static void a_sync_job_shows_every_gradient_on_its_way_and_its_answer(void **state)
{
    expect(RUN(*state, TRACED, "ps", "--sync", "--workers", "2", "--servers", "2"), 0, "6 steps", "");
    json_t *timeline = timeline_of(*state);
    assert_int_equal(count(timeline, "name", "step"), 2 * STEPS);
    assert_int_equal(count(timeline, "name", "push"), 2 * 2 * STEPS);
    assert_int_equal(count(timeline, "name", "gather"), 2 * 2 * STEPS);
    expect_nesting(timeline);
    expect_arrows(timeline, 2 * 2 * STEPS);
    expect_one_clock(timeline);
    expect_phases(*state, timeline);
    json_decref(timeline);
}

static void an_async_job_shows_every_gradient_on_its_way_and_its_answer(void **state)
{
    expect(RUN(*state, TRACED, "ps", "--async", "--workers", "2"), 0, "6 steps", "");
    json_t *timeline = timeline_of(*state);
    assert_int_equal(count(timeline, "name", "step"), STEPS);
    expect_arrows(timeline, STEPS);
    expect_one_clock(timeline);
    expect_phases(*state, timeline);
    json_decref(timeline);
}

static void a_run_that_is_not_traced_leaves_no_timeline(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "2", "--quiet", "--out", "run"), 0, "2 steps", "");
    char *parts = test_path(*state, "run/trace"), *timeline = test_path(*state, "run/trace.json");
    assert_true(access(parts, F_OK) != 0 && access(timeline, F_OK) != 0);
    free(parts);
    free(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_local_run_has_a_span_for_each_step_phase_and_layer),
        FOLDER_TEST(replicas_are_lanes_with_arrows_between_them),
        FOLDER_TEST(a_sync_job_shows_every_gradient_on_its_way_and_its_answer),
        FOLDER_TEST(an_async_job_shows_every_gradient_on_its_way_and_its_answer),
        FOLDER_TEST(a_run_that_is_not_traced_leaves_no_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
