/* run_test.c: trireme run: a graph file on one task and on several, which mpirun starts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/json.h"
#include "cli/ranks.h"
#include "tensor/safetensors.h"

/* The trace of A·B, of two products of blocks. b1 crosses to task 1, and t1 to task 0. */
#define BLOCKS                                                                                                                             \
    "a0 = random_block(96x96, init=uniform(1), matrix=1, place=0)\n"                                                                       \
    "a1 = random_block(96x96, init=uniform(1), matrix=1, column=96, place=1)\n"                                                            \
    "b0 = random_block(96x96, init=uniform(1), matrix=2, place=0)\n"                                                                       \
    "b1 = random_block(96x96, init=uniform(1), matrix=2, row=96, place=2)\n"                                                               \
    "c0 = matmul(a0, b0)\n"                                                                                                                \
    "c1 = matmul(a1, b1, place=1)\n"                                                                                                       \
    "t0 = trace(c0)\n"                                                                                                                     \
    "t1 = trace(c1)\n"                                                                                                                     \
    "trace = add_n(t0, t1, place=0)\n"

/* The same matrices in one piece. */
#define WHOLE                                                                                                                              \
    "a = random_block(96x192, init=uniform(1), matrix=1)\n"                                                                                \
    "b = random_block(192x96, init=uniform(1), matrix=2)\n"                                                                                \
    "matmul(a, b)\n"                                                                                                                       \
    "trace = trace()\n"

enum { BLOCK_BYTES = 96 * 96 * 4 };

static test_result run(const char *folder, const char *text, const char *words)
{
    char command[512], *path = test_path(folder, "g.graph");
    test_write(path, text, strlen(text));
    free(path);
    snprintf(command, sizeof command, "exec \"$0\" run g.graph %s", words);
    return test_run(folder, (const char *[]){"sh", "-c", command, TEST_BINARY, NULL});
}

static json_t *run_to_json(const char *folder, const char *text, const char *words)
{
    char with_json[256];
    snprintf(with_json, sizeof with_json, "--json %s", words);
    test_result result = run(folder, text, with_json);
    if (result.status)
        fail_msg("%s: exit %d: %s", words, result.status, result.err);
    json_t *json = NULL;
    assert_ok(tri__json_parse("output", result.out, strlen(result.out), &json));
    test_result_fini(&result);
    return json;
}

static double fetched(const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json_object_get(json, "fetched"), name), *values = json_object_get(value, "values");
    if (!values)
        return json_real_value(value);
    assert_int_equal(json_array_size(values), 1);
    return json_real_value(json_array_get(values, 0));
}

static int64_t number(const json_t *json, int task, const char *key)
{
    const json_t *entry = json_object_get(json_array_get(json_object_get(json, "tasks"), (size_t)task), key);
    return json_is_integer(entry) ? json_integer_value(entry) : (int64_t)json_real_value(entry);
}

static void blocks_on_three_tasks_give_what_the_whole_gives_on_one(void **state)
{
    json_t *one = run_to_json(*state, WHOLE, ""), *apart = run_to_json(*state, BLOCKS, "");
    json_t *three = run_to_json(*state, BLOCKS, "--workers 3"), *written = run_to_json(*state, BLOCKS, "--workers 3 --no-rewrite");
    double expected = fetched(one, "trace");
    assert_true(fabs(expected) > 1e-3);
    assert_true(fabs(fetched(apart, "trace") - expected) < 1e-4);
    assert_true(fabs(fetched(three, "trace") - expected) < 1e-4);
    assert_true(fabs(fetched(written, "trace") - expected) < 1e-4);
    assert_int_equal(number(three, 0, "bytes_sent"), 0);
    assert_int_equal(number(three, 1, "bytes_sent"), 4);
    assert_int_equal(number(three, 2, "bytes_sent"), BLOCK_BYTES);
    assert_int_equal(number(three, 1, "flops"), 0); /* no product is needed for its trace */
    assert_int_equal(number(written, 1, "flops"), 2 * 96 * 96 * 96);
    assert_int_equal(json_integer_value(json_object_get(three, "bytes_moved")), 4 + BLOCK_BYTES);
    assert_true(json_real_value(json_object_get(written, "flops")) == 2.0 * 2 * 96 * 96 * 96);
    assert_true(json_real_value(json_object_get(three, "seconds")) > 0 && number(three, 2, "peak_rss_mb") > 0);
    json_decref(one), json_decref(apart), json_decref(three), json_decref(written);
}

static void the_example_gives_the_same_on_one_task_and_on_two(void **state)
{
    const char *here = *state;
    expect(RUN(here, "run", TEST_SOURCE "/examples/product.graph"), 0, "trace = 82.878", "");
    expect(RUN(here, "run", TEST_SOURCE "/examples/product.graph", "--workers", "2"), 0, "trace = 82.878", "");
}

/* The name of the graph file is in the command line of every rank, and in no other. */
static void ranks_end_when_their_launcher_is_killed(void **state)
{
    expect(SHELL(*state, "graph=endless-$$.graph\n"
                         "echo 'a = random_block(64x64, init=uniform(1), matrix=1, place=1)' >$graph\n"
                         "echo 't = trace(a, place=0)' >>$graph\n"
                         "\"$0\" run $graph --workers 2 --repeat 1000000 >/dev/null 2>&1 &\n"
                         "until [ \"$(pgrep -fc -- \"run $graph.*--spawned\")\" -ge 2 ]; do kill -0 $! || exit 1; done\n"
                         "kill -9 $!\n"
                         "while pgrep -f -- \"run $graph\" >/dev/null; do :; done\n"
                         "echo all have ended"),
           0, "all have ended", "");
}

static void only_what_is_fetched_is_computed_and_sent(void **state)
{
    json_t *json = run_to_json(*state, BLOCKS, "--workers 3 --fetch t0 --no-rewrite");
    for (int task = 0; task < 3; task++)
        assert_int_equal(number(json, task, "bytes_sent"), 0);
    assert_int_equal(number(json, 1, "calls"), 0);
    assert_int_equal(number(json, 0, "flops"), 2 * 96 * 96 * 96);
    json_decref(json);
}

static void inputs_are_fed_from_files_and_results_written_to_one(void **state)
{
    char *fed = test_path(*state, "x.safetensors"), *out = test_path(*state, "y.safetensors");
    float x[] = {1, 2, 3, 4, 5, 6};
    const tri__named_tensor named = {.name = "x", .tensor = {TRI_F32, TRI_SHAPE(2, 3), x}};
    assert_ok(tri__safetensors_write(fed, &named, 1, NULL, 0));
    expect(run(*state, "x = input(2x3, place=1)\ny = transpose(place=0)\n", "--workers 2 --feed x=x.safetensors --out y.safetensors"), 0,
           "y [3x2] = 1 4 2 5 3 6\n", "");
    tri__safetensors *file;
    tri_tensor y;
    assert_ok(tri__safetensors_open(out, &file));
    assert_ok(tri__safetensors_find(file, "y", TRI_F32, TRI_SHAPE(3, 2), &y));
    assert_true(((const float *)y.data)[1] == 4);
    tri__safetensors_close(file);
    free(fed);
    free(out);
}

/* w stays on task 1; what reads it sees the value that the run began with. */
#define VARIABLE                                                                                                                           \
    "w = parameter(2x2, init=constant(1), place=1)\n"                                                                                      \
    "one = constant(2x2, value=1)\n"                                                                                                       \
    "twice = multiply(w, scale=2)\n"                                                                                                       \
    "next = assign_add(w, one)\n"                                                                                                          \
    "other = random(3x3, init=normal(1), place=0)\n"

static void variables_stay_on_their_task_between_runs(void **state)
{
    expect(run(*state, VARIABLE, "--workers 2 --repeat 5"), 0, "twice [2x2] = 10 10 10 10\n", "");
    expect(run(*state, VARIABLE, "--workers 2 --repeat 5 --fetch next"), 0, "next [2x2] = 6 6 6 6\n", "");
    expect(run(*state, VARIABLE, "--repeat 5"), 0, "twice [2x2] = 10 10 10 10\n", "");
    json_t *json = run_to_json(*state, VARIABLE, "--workers 2 --repeat 5 --compute next");
    assert_int_equal(number(json, 0, "bytes_sent") + number(json, 1, "bytes_sent"), 0); /* nothing was fetched */
    assert_int_equal(number(json, 0, "calls"), 0);
    assert_int_equal(number(json, 1, "calls"), 1);
    json_decref(json);
}

static void what_is_not_fetched_is_not_assigned(void **state)
{
    json_t *json = run_to_json(*state, VARIABLE, "--workers 2 --repeat 5 --fetch twice");
    assert_int_equal(number(json, 1, "calls"), 2); /* the product, and sending it */
    json_decref(json);
    expect(run(*state, VARIABLE, "--workers 2 --repeat 5 --fetch twice"), 0, "twice [2x2] = 2 2 2 2\n", "");
    expect(run(*state, VARIABLE, "--workers 2 --repeat 5 --fetch twice --compute next"), 0, "twice [2x2] = 10 10 10 10\n", "");
}

static void assignments_that_make_no_sense_are_refused(void **state)
{
    expect(run(*state, VARIABLE "second = assign(w, one)\n", ""), 2, "", "'next' and 'second' both assign to 'w' in one run");
    expect(run(*state, VARIABLE "second = assign(one, w)\n", ""), 1, "", "g.graph:6:10: assign 'second': 'one' (constant) is no variable");
    expect(run(*state, VARIABLE "second = assign(w, other)\n", ""), 1, "", "the value ('other') is 3x3, expected 2x2");
    expect(run(*state, "w = parameter(2x2, init=zero, place=1)\na = assign_add(w, w, place=0)\n", "--workers 2"), 2, "",
           "'a' is placed on /job:worker/task:0 and assigns to 'w', which is on /job:worker/task:1 of 2 tasks: place both on one");
    expect(run(*state, VARIABLE, "--compute nothing"), 2, "", "--compute nothing: no line of g.graph has that name");
}

/* Σ of the entries of Aᵏ·v, of which the loop's task has A and the other one v. */
#define POWERS                                                                                                                             \
    "a = random_block(48x48, init=uniform(0.2), matrix=1, place=1)\n"                                                                      \
    "v0 = random_block(48x1, init=uniform(1), matrix=2, place=0)\n"                                                                        \
    "rounds = constant(1, value=5)\n"                                                                                                      \
    "minus = constant(1, value=-1)\n"                                                                                                      \
    "while(most=MOST, place=1)\n"                                                                                                          \
    "    i = carry(rounds)\n"                                                                                                              \
    "    v = carry(v0)\n"                                                                                                                  \
    "    w = matmul(a, v)\n"                                                                                                               \
    "    fewer = add(i, minus)\n"                                                                                                          \
    "    left = next(i, fewer)\n"                                                                                                          \
    "    last = next(v, w)\n"                                                                                                              \
    "end(i)\n"                                                                                                                             \
    "total = sum(last, axis=all, place=0)\n"

#define UNROLLED                                                                                                                           \
    "a = random_block(48x48, init=uniform(0.2), matrix=1)\n"                                                                               \
    "v0 = random_block(48x1, init=uniform(1), matrix=2)\n"                                                                                 \
    "v1 = matmul(a, v0)\nv2 = matmul(a, v1)\nv3 = matmul(a, v2)\nv4 = matmul(a, v3)\nv5 = matmul(a, v4)\n"                                 \
    "total = sum(v5, axis=all)\n"

static char *powers_of(const char *most)
{
    static char text[sizeof POWERS + 16];
    const char *at = strstr(POWERS, "MOST");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - POWERS), POWERS, most, at + strlen("MOST"));
    return text;
}

static void a_loop_gives_the_same_on_its_task_as_its_rounds_written_out(void **state)
{
    json_t *written = run_to_json(*state, UNROLLED, ""), *one = run_to_json(*state, powers_of("5"), "--fetch total");
    json_t *two = run_to_json(*state, powers_of("5"), "--fetch total,left --workers 2");
    double expected = fetched(written, "total");
    assert_true(fabs(expected) > 1e-3);
    assert_true(fabs(fetched(one, "total") - expected) < 1e-5 && fabs(fetched(two, "total") - expected) < 1e-5);
    assert_true(fetched(two, "left") == 0);
    assert_int_equal(number(two, 1, "flops"), 5 * 2 * 48 * 48);
    assert_int_equal(number(two, 0, "flops"), 0);
    json_decref(written);
    json_decref(one);
    json_decref(two);
}

static void a_loop_that_does_not_end_in_time_is_told_by_its_task(void **state)
{
    const char *const words[] = {"", "--workers 2"};
    for (int i = 0; i < 2; i++) {
        test_result result = run(*state, powers_of("4"), words[i]);
        assert_int_equal(result.status, 1);
        if (!strstr(result.err, "the loop 'while1' is not done after 4 rounds"))
            fail_msg("%s", result.err);
        test_result_fini(&result);
    }
}

static void the_graph_is_drawn_with_the_places_that_were_found(void **state)
{
    expect(run(*state, BLOCKS, "--workers 3 --dot g.dot --events seen"), 0, "trace = ", "");
    expect(run(*state, BLOCKS, "--dot alone.dot"), 0, "trace = ", "");
    char *path = test_path(*state, "g.dot"), *alone = test_path(*state, "alone.dot"), *text = test_read(path, NULL),
         *other = test_read(alone, NULL);
    assert_non_null(strstr(text, "\"b1\" -> \"c1\" [style=bold, label=\"36864 B\"];"));
    assert_non_null(strstr(text, "\"a1\" -> \"c1\";"));
    assert_string_equal(text, other);
    free(path), free(alone), free(text), free(other);
    expect(test_run(*state, (const char *[]){"sh", "-c", "grep -aq /job:worker/task:2 seen/*", NULL}), 0, "", "");
}

static void a_value_that_crosses_is_drawn_with_its_bytes_once(void **state)
{
    static const char text[] = "a = random_block(4x4, init=uniform(1), matrix=1, place=0)\nb = relu(a, place=1)\n"
                               "c = multiply(a, a, place=1)\nd = add(b, c, place=1)\ne = trace(d, place=0)\n";
    json_t *json = run_to_json(*state, text, "--workers 2 --dot g.dot");
    assert_int_equal(number(json, 0, "bytes_sent"), 4 * 4 * 4);
    json_decref(json);
    char *path = test_path(*state, "g.dot"), *drawn = test_read(path, NULL);
    assert_non_null(strstr(drawn, "\"a\" -> \"b\" [style=bold, label=\"64 B\"];\n  \"a\" -> \"c\" [style=dashed];\n  \"b\" -> \"d\";"));
    free(path), free(drawn);
}

static void mistakes_are_told_once_and_by_name(void **state)
{
    expect(run(*state, BLOCKS, "--workers 2"), 2, "",
           "'b1' is placed on /job:worker/task:2, and the last of 2 tasks is /job:worker/task:1");
    expect(run(*state, BLOCKS, "--fetch nothing"), 2, "", "--fetch nothing: no line of g.graph has that name");
    expect(run(*state, BLOCKS, "--feed a0"), 2, "", "expected NAME=FILE");
    expect(run(*state, BLOCKS, "--feed a0=x"), 2, "", "no input or parameter of g.graph has that name");
    expect(run(*state, BLOCKS, "--timeout soon"), 2, "", "--timeout soon: expected a time");
    expect(run(*state, "a = random(3x3, init=normal(1))\nb = trase(a)\n", ""), 1, "", "g.graph:2:5: unknown operator 'trase'");
    expect(run(*state, "a = constant(3x3, value=1, place=-1)\n", ""), 1, "", "g.graph:1:34: place: expected the number of a task");
    expect(run(*state, "relu()\n", ""), 1, "", "g.graph:1:1: there is no line above that relu could read");
    expect(run(*state, "x = input(3x3)\nsoftmax_loss()\n", ""), 1, "", "g.graph:2:1: softmax_loss is for models");
    expect(run(*state, "# nothing\n", ""), 1, "", "the graph is empty");
}

/* This mpirun never starts a task. */
static void tasks_that_do_not_start_end_with_the_timeout(void **state)
{
    expect(run(*state, BLOCKS, ""), 0, "trace = ", "");
    static const char script[] = "printf '#!/bin/sh\\nexec sleep 600\\n' >mpirun; chmod +x mpirun;"
                                 "PATH=\"$PWD:$PATH\" exec \"$0\" run g.graph --workers 3 --timeout 1s";
    expect(SHELL(*state, script), 1, "",
           "the 3 tasks have not all started in 10 s (--timeout): start fewer, or give them a longer timeout");
}

/* As srun without --mpi starts them. */
static void tasks_that_cannot_find_each_other_are_told_what_to_do(void **state)
{
    expect(run(*state, BLOCKS, ""), 0, "trace = ", "");
    static const char script[] = "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 exec \"$0\" run g.graph";
    expect(test_run(*state, (const char *[]){"sh", "-c", script, TEST_BINARY, NULL}), 2, "",
           "rank 0 of 3 cannot find the others: start them with srun --mpi=pmix");
}

/* The last rank is killed at once; the others wait for its value. */
static void a_task_that_dies_ends_the_others(void **state)
{
    char *path = test_path(*state, "g.graph");
    test_write(path, BLOCKS, strlen(BLOCKS));
    free(path);
    static const char script[] = "mpirun --allow-run-as-root --oversubscribe -n 3 sh -c '[ $OMPI_COMM_WORLD_RANK = 2 ] && kill -9 $$; exec "
                                 "\"$0\" run g.graph' \"$0\"";
    test_result result = test_run(*state, (const char *[]){"sh", "-c", script, TEST_BINARY, NULL});
    assert_int_not_equal(result.status, 0);
    test_result_fini(&result);
}

/* Runs for ever on three tasks; when all have met, and the picture has been drawn, the last of them gets the signal. */
static test_result run_and_signal(const char *folder, const char *signal)
{
    static const char script[] =
        "\"$0\" run g.graph --workers 3 --repeat 1000000 --timeout 4s --dot drawn & until [ -s drawn ]; do sleep 0.05; done;"
        "for task in /proc/[0-9]*; do grep -qz '^OMPI_COMM_WORLD_RANK=2$' $task/environ 2>/dev/null &&"
        " [ $(readlink $task/cwd) = $(pwd -P) ] && last=${task#/proc/}; done; kill -$1 $last; wait $!; code=$?;"
        "kill -KILL $last 2>/dev/null; exit $code";
    char *path = test_path(folder, "g.graph");
    test_write(path, BLOCKS, strlen(BLOCKS));
    free(path);
    return test_run(folder, (const char *[]){"sh", "-c", script, TEST_BINARY, signal, NULL});
}

static void a_task_that_is_killed_is_named(void **state)
{
    test_result result = run_and_signal(*state, "KILL");
    assert_int_equal(result.status, 1);
    if (!strstr(result.err, "rank 2"))
        fail_msg("does not name rank 2: %s", result.err);
    test_result_fini(&result);
}

/* b1 goes from it to task 1, and the trace from there to task 0. */
static void a_task_that_is_stopped_is_named_by_all_before_the_timeout_and_after_it(void **state)
{
    test_result result = run_and_signal(*state, "STOP");
    assert_int_equal(result.status, 1);
    const char *early = strstr(result.err, ", and will for"), *late = strstr(result.err, "(--timeout)");
    if (!early || !late || early > late || !strstr(late, ") is stopped") || !strstr(result.err, "rank 0 has waited") ||
        !strstr(result.err, "rank 1 has waited"))
        fail_msg("does not say who is stopped: %s", result.err);
    test_result_fini(&result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_folder_set_up, test_folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_on_three_tasks_give_what_the_whole_gives_on_one),
        TEST(the_example_gives_the_same_on_one_task_and_on_two),
        TEST(ranks_end_when_their_launcher_is_killed),
        TEST(only_what_is_fetched_is_computed_and_sent),
        TEST(inputs_are_fed_from_files_and_results_written_to_one),
        TEST(variables_stay_on_their_task_between_runs),
        TEST(what_is_not_fetched_is_not_assigned),
        TEST(assignments_that_make_no_sense_are_refused),
        TEST(a_loop_gives_the_same_on_its_task_as_its_rounds_written_out),
        TEST(a_loop_that_does_not_end_in_time_is_told_by_its_task),
        TEST(the_graph_is_drawn_with_the_places_that_were_found),
        TEST(a_value_that_crosses_is_drawn_with_its_bytes_once),
        TEST(mistakes_are_told_once_and_by_name),
        TEST(tasks_that_do_not_start_end_with_the_timeout),
        TEST(tasks_that_cannot_find_each_other_are_told_what_to_do),
        TEST(a_task_that_dies_ends_the_others),
        TEST(a_task_that_is_killed_is_named),
        TEST(a_task_that_is_stopped_is_named_by_all_before_the_timeout_and_after_it),
    };
    return ranks_can_run() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
