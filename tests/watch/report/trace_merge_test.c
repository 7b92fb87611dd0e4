/* trace_merge_test.c: parts of several hosts become one timeline whose clocks agree. */
#include "watch/report/trace_merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/json.h"
#include "base/trace/trace.h"
#include "base/trace/trace_file.h"
#include "support.h"

#define MILLISECOND INT64_C(1000000)

enum { MESSAGES = 50 };

typedef struct {
    char *path;
    tri__trace *trace;
    tri__trace_lane *lane;
} writer;

static writer begin_part(const char *folder, const char *file, const char *task)
{
    writer w;
    char name[64], *parts = test_path(folder, "trace");
    mkdir(parts, 0755);
    free(parts);
    snprintf(name, sizeof name, "trace/%s.part", file);
    w.path = test_path(folder, name);
    assert_ok(tri__trace_create(w.path, task, &w.trace));
    w.lane = tri__trace_lane_add(w.trace, "network");
    return w;
}

static void end_part(writer *w)
{
    tri__trace_flush(w->trace);
    tri__trace_close(w->trace);
    free(w->path);
}

/* As if another host had written it, one whose clock began elsewhere. */
static void move_to_host(const char *path, const char *host)
{
    tri__trace_task about;
    FILE *file = fopen(path, "r+e");
    assert_non_null(file);
    assert_int_equal(fseek(file, sizeof(tri__trace_block), SEEK_SET), 0);
    assert_int_equal(fread(&about, sizeof about, 1, file), 1);
    snprintf(about.host, sizeof about.host, "%s", host);
    snprintf(about.clock, sizeof about.clock, "boot of %s", host);
    assert_int_equal(fseek(file, sizeof(tri__trace_block), SEEK_SET), 0);
    assert_int_equal(fwrite(&about, sizeof about, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void end_elsewhere(writer *w)
{
    char *path = strdup(w->path);
    end_part(w);
    move_to_host(path, "elsewhere");
    free(path);
}

/* A worker whose clock is `offset` ahead pushes every 10 ms; each message travels at least 50 µs, and up to 3 ms more. */
static void exchange(const writer *server, const writer *worker, int64_t offset)
{
    for (int i = 0; i < MESSAGES; i++) {
        const int64_t sent = 1000 * MILLISECOND + 10 * MILLISECOND * i, there = 50000 + (i * 7 % 13) * MILLISECOND / 4;
        const int64_t arrived = sent + there, answered = arrived + MILLISECOND, back = 50000 + (i * 5 % 11) * MILLISECOND / 4;
        const uint64_t push = tri__trace_message(TRI_SPAN_PUSH, 0, 0, i), answer = tri__trace_message(TRI_SPAN_ANSWER, 0, 0, i);
        tri__trace_add(worker->lane, TRI_SPAN_PUSH, sent + offset, sent + offset + 1000, i, TRI_FLOW_SENDS, push);
        tri__trace_add(server->lane, TRI_SPAN_GATHER, arrived - 500, arrived, i, TRI_FLOW_RECEIVES, push);
        tri__trace_add(server->lane, TRI_SPAN_ANSWER, answered, answered + 1000, i, TRI_FLOW_SENDS, answer);
        tri__trace_add(worker->lane, TRI_SPAN_RECEIVE, answered + back + offset - 500, answered + back + offset, i, TRI_FLOW_RECEIVES,
                       answer);
    }
}

static json_t *merged(const char *folder)
{
    char *path = test_path(folder, "trace.json");
    json_t *timeline = NULL;
    assert_ok(tri__trace_merge(folder, NULL));
    assert_ok(tri__json_read(path, &timeline));
    free(path);
    return timeline;
}

static const json_t *clock_of(const json_t *timeline, const char *task)
{
    return json_object_get(json_object_get(json_object_get(timeline, "otherData"), "clocks"), task);
}

/* Arrows, and those that lead back in time. */
static int count_arrows(const json_t *timeline, int *backwards)
{
    const json_t *events = json_object_get(timeline, "traceEvents"), *event;
    json_t *sent = json_object();
    size_t index;
    int count = 0;
    *backwards = 0;
    json_array_foreach(events, index, event)
    {
        if (!strcmp(json_string_value(json_object_get(event, "ph")), "s"))
            json_object_set(sent, json_string_value(json_object_get(event, "id")), json_object_get(event, "ts"));
    }
    json_array_foreach(events, index, event)
    {
        const json_t *id = json_object_get(event, "id"), *from = id ? json_object_get(sent, json_string_value(id)) : NULL;
        if (!from || strcmp(json_string_value(json_object_get(event, "ph")), "f") != 0)
            continue;
        count++;
        *backwards += json_number_value(json_object_get(event, "ts")) < json_number_value(from);
    }
    json_decref(sent);
    return count;
}

static void the_clock_of_another_host_is_aligned_by_messages(void **state)
{
    const int64_t offset = 12345 * MILLISECOND + 678;
    writer server = begin_part(*state, "ps-0", "ps:0"), worker = begin_part(*state, "worker-0", "worker:0");
    exchange(&server, &worker, offset);
    end_part(&server);
    end_elsewhere(&worker);
    json_t *timeline = merged(*state);
    const json_t *clock = clock_of(timeline, "worker:0");
    assert_string_equal(json_string_value(json_object_get(clock, "by")), "messages both ways");
    assert_true(fabs(json_number_value(json_object_get(clock, "offset_us")) - (double)offset / 1e3) < 100);
    int backwards;
    assert_int_equal(count_arrows(timeline, &backwards), 2 * MESSAGES);
    assert_int_equal(backwards, 0);
    json_decref(timeline);
}

static void tasks_of_one_machine_share_its_clock(void **state)
{
    writer server = begin_part(*state, "ps-0", "ps:0"), worker = begin_part(*state, "worker-0", "worker:0");
    exchange(&server, &worker, 0);
    end_part(&server);
    end_part(&worker);
    json_t *timeline = merged(*state);
    const json_t *clock = clock_of(timeline, "worker:0");
    assert_string_equal(json_string_value(json_object_get(clock, "by")), "shared clock");
    assert_true(json_number_value(json_object_get(clock, "offset_us")) == 0);
    json_decref(timeline);
}

static int count_of(const json_t *timeline, const char *kind)
{
    const json_t *event;
    size_t index;
    int count = 0;
    json_array_foreach(json_object_get(timeline, "traceEvents"), index, event) count +=
        !strcmp(json_string_value(json_object_get(event, "ph")), kind);
    return count;
}

/* A reader of timelines counts half an arrow as an error. */
static void a_message_that_lacks_an_end_has_no_arrow(void **state)
{
    writer server = begin_part(*state, "ps-0", "ps:0"), worker = begin_part(*state, "worker-0", "worker:0");
    exchange(&server, &worker, 0);
    const uint64_t lost = tri__trace_message(TRI_SPAN_PUSH, 1, 0, 0), unexpected = tri__trace_message(TRI_SPAN_ANSWER, 1, 0, 0);
    tri__trace_add(worker.lane, TRI_SPAN_PUSH, 5000 * MILLISECOND, 5001 * MILLISECOND, 0, TRI_FLOW_SENDS, lost);
    tri__trace_add(worker.lane, TRI_SPAN_RECEIVE, 5002 * MILLISECOND, 5003 * MILLISECOND, 0, TRI_FLOW_RECEIVES, unexpected);
    end_part(&server);
    end_part(&worker);
    json_t *timeline = merged(*state);
    assert_int_equal(count_of(timeline, "X"), 4 * MESSAGES + 2); /* the spans are there */
    assert_int_equal(count_of(timeline, "s"), 2 * MESSAGES);
    assert_int_equal(count_of(timeline, "f"), 2 * MESSAGES);
    json_decref(timeline);
}

static void a_host_that_sent_nothing_is_aligned_by_the_wall_clock(void **state)
{
    writer server = begin_part(*state, "ps-0", "ps:0"), worker = begin_part(*state, "worker-0", "worker:0");
    tri__trace_add(server.lane, TRI_SPAN_STEP, 100, 200, 0, TRI_FLOW_NONE, 0);
    tri__trace_add(worker.lane, TRI_SPAN_STEP, 100, 200, 0, TRI_FLOW_NONE, 0);
    end_part(&server);
    end_elsewhere(&worker);
    json_t *timeline = merged(*state);
    assert_string_equal(json_string_value(json_object_get(clock_of(timeline, "worker:0"), "by")), "wall clock");
    json_decref(timeline);
}

static void a_part_without_events_gives_no_clock(void **state)
{
    writer empty = begin_part(*state, "aside-0", "aside:0");
    writer server = begin_part(*state, "ps-0", "ps:0"), worker = begin_part(*state, "worker-0", "worker:0");
    exchange(&server, &worker, 0);
    end_elsewhere(&empty);
    end_part(&server);
    end_part(&worker);
    json_t *timeline = merged(*state);
    assert_null(clock_of(timeline, "aside:0"));
    assert_string_equal(json_string_value(json_object_get(clock_of(timeline, "ps:0"), "by")), "shared clock");
    assert_string_equal(json_string_value(json_object_get(clock_of(timeline, "worker:0"), "by")), "shared clock");
    json_decref(timeline);
}

static void parts_without_events_make_an_empty_timeline(void **state)
{
    writer empty = begin_part(*state, "worker-0", "worker:0");
    end_part(&empty);
    json_t *timeline = merged(*state);
    assert_int_equal(json_array_size(json_object_get(timeline, "traceEvents")), 0);
    json_decref(timeline);
}

static void a_part_that_was_cut_short_gives_what_it_has(void **state)
{
    writer worker = begin_part(*state, "worker-0", "worker:0");
    for (int i = 0; i < 10; i++)
        tri__trace_add(worker.lane, TRI_SPAN_STEP, i, i + 1, i, TRI_FLOW_NONE, 0);
    tri__trace_flush(worker.trace);
    tri__trace_add(worker.lane, TRI_SPAN_STEP, 11, 12, 11, TRI_FLOW_NONE, 0);
    char *path = strdup(worker.path);
    end_part(&worker);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(truncate(path, about.st_size - 5), 0);
    free(path);
    json_t *timeline = merged(*state);
    assert_int_equal(json_array_size(json_object_get(timeline, "traceEvents")), 2 + 10); /* names of process and lane */
    json_decref(timeline);
}

static void a_run_that_was_not_traced_gets_no_timeline(void **state)
{
    char *path = test_path(*state, "trace.json");
    struct stat about;
    assert_ok(tri__trace_merge(*state, NULL));
    assert_int_not_equal(stat(path, &about), 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_clock_of_another_host_is_aligned_by_messages),
        FOLDER_TEST(tasks_of_one_machine_share_its_clock),
        FOLDER_TEST(a_message_that_lacks_an_end_has_no_arrow),
        FOLDER_TEST(a_host_that_sent_nothing_is_aligned_by_the_wall_clock),
        FOLDER_TEST(a_part_without_events_gives_no_clock),
        FOLDER_TEST(parts_without_events_make_an_empty_timeline),
        FOLDER_TEST(a_part_that_was_cut_short_gives_what_it_has),
        FOLDER_TEST(a_run_that_was_not_traced_gets_no_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
