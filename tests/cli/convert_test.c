/* convert_test.c: trireme data convert and data speed as processes:
 * several at once, killed and resumed, under mpirun where there is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/json.h"
#include "cli/binary.h"

#define SOURCE "fake:64x64x3:5:3000"

static void a_killed_conversion_is_finished_by_the_next_call(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    const char *script =
        "cd \"$1\" && \"$0\" data convert " SOURCE " --out whole --partitions 20 --workers 1 --quiet >/dev/null || exit 1\n"
        "for finished in 1 5 9; do\n" /* files that are there when it is killed, or more */
        "  \"$0\" data convert " SOURCE " --out killed --partitions 20 --workers 2 --quiet >/dev/null & pid=$!\n"
        "  until [ \"$(ls killed 2>/dev/null | wc -l)\" -ge $finished ]; do kill -0 $pid 2>/dev/null || break; done\n"
        "  kill -9 $pid; wait $pid\n"
        "  for file in killed/*.tfrecord; do [ ! -e \"$file\" ] || cmp \"$file\" \"whole/${file#killed/}\" || exit 3; done\n"
        "done\n"
        "\"$0\" data convert " SOURCE " --out killed --partitions 20 --quiet >/dev/null || exit 4\n"
        "diff -r -x .convert whole killed && ls -A killed/.convert | grep -v json; true";
    test_result result = SHELL(NULL, script, folder);
    if (result.status || strcmp(result.out, ""))
        fail_msg("exit %d\n%s\n%s", result.status, result.out, result.err);
    test_result_fini(&result);
    test_folder_remove(folder);
}

/* Three processes write each record once, and all of them end well. */
static void several_processes_convert_into_one_folder(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    const char *script = "cd \"$1\"; for i in 1 2 3; do \"$0\" data convert " SOURCE " --out many --partitions 20 --workers 1 --json "
                         "--quiet >$i.json & pids=\"$pids $!\"; done; for pid in $pids; do wait $pid || exit 1; done\n"
                         "\"$0\" data convert " SOURCE " --out one --partitions 20 --quiet >/dev/null && diff -r -x .convert one many";
    expect(SHELL(NULL, script, folder), 0, "", "");
    json_int_t written = 0;
    for (int i = 1; i <= 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d.json", i);
        char *path = test_path(folder, name);
        json_t *result;
        assert_ok(tri__json_read(path, &result));
        assert_int_equal(json_integer_value(json_object_get(result, "records")), 3500);
        written += json_integer_value(json_object_get(result, "written"));
        json_decref(result);
        free(path);
    }
    assert_int_equal(written, 3500);
    test_folder_remove(folder);
}

static void ranks_of_mpirun_convert_into_one_folder(void **state)
{
    (void)state;
    if (system("command -v mpirun >/dev/null"))
        skip();
    char *folder = test_folder_create();
    const char *script = "cd \"$1\" && mpirun --allow-run-as-root --oversubscribe -n 3 \"$0\" data convert " SOURCE
                         " --out many --partitions 20 --workers 1 --quiet >/dev/null && "
                         "\"$0\" data convert " SOURCE " --out one --partitions 20 --quiet >/dev/null && diff -r -x .convert one many";
    expect(SHELL(NULL, script, folder), 0, "", "");
    test_folder_remove(folder);
}

static void wrong_calls_of_convert_and_speed_are_refused(void **state)
{
    (void)state;
    expect(RUN(NULL, "data", "convert", SOURCE), 2, "", "needs --out DIR");
    expect(RUN(NULL, "data", "convert", SOURCE, "--out", "x", "--resize", "12"), 2, "", "WIDTHxHEIGHT");
    char *folder = test_folder_create();
    expect(SHELL(folder, "printf 'a,b,y\\n1,2,3\\n2,3,4\\n' >table.csv"), 0, "", "");
    expect(RUN(folder, "data", "convert", "table.csv", "--out", "x"), 2, "", "train reads any other source as it is");
    test_folder_remove(folder);
    expect(RUN(NULL, "data", "speed", SOURCE, "--batch", "2,,4"), 2, "", "--batch 2,,4: should be whole numbers");
    expect(RUN(NULL, "data", "speed", SOURCE, "--batch", "2,2"), 2, "", "stands there twice");
    expect(RUN(NULL, "data", "speed", SOURCE, "--workers", "0"), 2, "", "from 1 to 64");
}

static void data_speed_measures_every_combination(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    test_result result = RUN(NULL, "data", "speed", SOURCE, "--json", "--quiet", "--out", folder);
    assert_int_equal(result.status, 0);
    json_t *json;
    assert_ok(tri__json_parse("speed", result.out, strlen(result.out), &json));
    assert_int_equal(json_array_size(json_object_get(json, "cells")), 8);
    const json_t *fits = json_object_get(json, "fits");
    assert_int_equal(json_array_size(fits), 4); /* batch, batches, repeat, and the size of the data set */
    static const char *const keys[] = {"parameter", "slope", "stderr", "t", "p", "r2"};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 6; k++)
            assert_non_null(json_object_get(json_array_get(fits, i), keys[k]));
    static const char *const cell_keys[] = {"batch", "batches", "repeat", "items_per_second"};
    for (size_t k = 0; k < 4; k++)
        assert_non_null(json_object_get(json_array_get(json_object_get(json, "cells"), 0), cell_keys[k]));
    json_decref(json);
    test_result_fini(&result);
    expect(RUN(NULL, "data", "speed", SOURCE, "--quiet", "--cache"), 0, "together", "");
    test_folder_remove(folder);
}

/* Change a bit within the data of one record of folder/set. */
static void damage_set(const char *folder, const char *name)
{
    char *set = test_path(folder, "set"), *file = test_path(set, name);
    size_t size;
    char *bytes = test_read(file, &size);
    bytes[size / 2 + 300] ^= 1;
    test_write(file, bytes, size);
    free(bytes);
    free(file);
    free(set);
}

/* A converted set, of which one record is damaged: training tells of it, or goes on without it. */
static void training_leaves_out_damaged_records_with_skip_bad(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *set = test_path(folder, "set");
    expect(RUN(NULL, "data", "convert", "digits:200", "--out", set, "--partitions", "1"), 0, "class", "");
    damage_set(folder, "train-00000-of-00001.tfrecord");
    const char *script = "cd \"$1\" && \"$0\" train softmax --data set --epochs 3 --out \"$2\" --skip-bad $3 --json --quiet";
    expect(SHELL(NULL, script, folder, "first", "0"), 1, "", "checksum does not match");
    expect(SHELL(NULL, script, folder, "second", "1"), 0, "\"damaged\":1", "left out: set/train-00000-of-00001.tfrecord: record");
    expect(SHELL(NULL, script, folder, "third", "1 --cache --augment crop"), 0, "\"damaged\":1", "");
    const char *again = "cd \"$1\" && \"$0\" data convert set --out \"$2\" --partitions 2 --skip-bad $3 --json --quiet";
    expect(SHELL(NULL, again, folder, "fourth", "0"), 1, "", "checksum does not match");
    expect(SHELL(NULL, again, folder, "fourth", "1"), 0, "\"damaged\":1", "");
    free(set);
    test_folder_remove(folder);
}

/* What was found damaged stays known when a run goes on, though it goes on behind it; test records are counted, too. */
static void damaged_records_stay_counted_after_a_resume(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *set = test_path(folder, "set");
    expect(RUN(NULL, "data", "convert", "digits:200", "--out", set, "--partitions", "1"), 0, "class", "");
    damage_set(folder, "train-00000-of-00001.tfrecord");
    damage_set(folder, "test-00000-of-00001.tfrecord");
    const char *begin =
        "cd \"$1\" && \"$0\" train softmax --data set --shuffle 0 --batch 150 --steps 1 --out run --skip-bad 1 --json --quiet";
    expect(SHELL(NULL, begin, folder), 0, "\"damaged\":1,\"test_damaged\":1", "left out: set/test-00000-of-00001.tfrecord: record");
    const char *go_on = "cd \"$1\" && \"$0\" train --resume run --steps 2 --json --quiet";
    expect(SHELL(NULL, go_on, folder), 0, "\"damaged\":1,\"test_damaged\":1", "");
    const char *look = "cd \"$1\" && \"$0\" eval run --skip-bad $2";
    expect(SHELL(NULL, look, folder, "0"), 1, "", "checksum does not match");
    expect(SHELL(NULL, look, folder, "1"), 0, "damaged     1 records left out", "");
    const char *predict = "cd \"$1\" && \"$0\" predict run --skip-bad $2 >lines && wc -l <lines && grep -c '^-' lines";
    expect(SHELL(NULL, predict, folder, "0"), 1, "", "checksum does not match");
    expect(SHELL(NULL, predict, folder, "1"), 0, "\n1\n", "");
    const char *speed = "cd \"$1\" && \"$0\" data speed set --batch 50,100 --batches 2 --skip-bad $2";
    expect(SHELL(NULL, speed, folder, "0"), 1, "", "checksum does not match");
    expect(SHELL(NULL, speed, folder, "1"), 0, "damaged: up to 1 records", "");
    free(set);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_conversion_is_finished_by_the_next_call),
        cmocka_unit_test(several_processes_convert_into_one_folder),
        cmocka_unit_test(ranks_of_mpirun_convert_into_one_folder),
        cmocka_unit_test(wrong_calls_of_convert_and_speed_are_refused),
        cmocka_unit_test(data_speed_measures_every_combination),
        cmocka_unit_test(training_leaves_out_damaged_records_with_skip_bad),
        cmocka_unit_test(damaged_records_stay_counted_after_a_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
