/* consumption_test.c: what tasks and hosts used, added up from files of samples. */
#include "watch/sample/consumption.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define NAMES                                                                                                                              \
    "\"epoch\",\"usr\",\"sys\",\"used\",\"recv\",\"send\",\"seconds\",\"process:cpu\",\"process:used\",\"training:send\",\"training:"      \
    "recv\"\n"

static void write_samples(const char *folder, const char *file, const char *host, const char *lines)
{
    char text[1024], *path = test_path(folder, file);
    snprintf(text, sizeof text, "\"Trireme CSV output\"\n\"Layout:\",\"dstat\"\n\"Host:\",\"%s\"\n\"Cmdline:\"\n\n" NAMES "%s", host,
             lines);
    test_write(path, text, strlen(text));
    free(path);
}

static void means_are_weighted_by_time_and_bytes_are_rates_times_seconds(void **state)
{
    tri__consumption all;
    write_samples(*state, "worker-0.csv", "one",
                  "100,10,5,1000000,7,9,1,50,2000000,100,200\n"
                  "103,40,5,4000000,7,9,3,90,6000000,100,200\n");
    assert_ok(tri__consumption_read(*state, 0, &all));
    assert_int_equal(all.tasks, 1);
    assert_string_equal(all.task[0].name, "worker:0");
    assert_float_equal(all.task[0].seconds, 4, 1e-9);
    assert_float_equal(all.task[0].cpu_percent, (50 + 3 * 90) / 4.0, 1e-9);
    assert_float_equal(all.task[0].memory_mb, (2 + 3 * 6) / 4.0, 1e-9);
    assert_float_equal(all.task[0].peak_mb, 6, 1e-9);
    assert_float_equal(all.task[0].sent, 400, 1e-9);
    assert_float_equal(all.task[0].received, 800, 1e-9);
    assert_int_equal(all.hosts, 1);
    assert_string_equal(all.host[0].name, "one");
    assert_float_equal(all.host[0].cpu_percent, (15 + 3 * 45) / 4.0, 1e-9);
    assert_float_equal(all.host[0].sent, 36, 1e-9);
    tri__consumption_fini(&all);
}

static void samples_from_before_a_resume_do_not_count(void **state)
{
    tri__consumption all;
    write_samples(*state, "worker-0.csv", "one",
                  "100,10,5,1000000,7,9,1,50,2000000,100,200\n"
                  "203,40,5,4000000,7,9,1,90,6000000,100,200\n");
    assert_ok(tri__consumption_read(*state, 150, &all));
    assert_float_equal(all.task[0].seconds, 1, 1e-9);
    assert_float_equal(all.task[0].cpu_percent, 90, 1e-9);
    tri__consumption_fini(&all);
    assert_ok(tri__consumption_read(*state, 1000, &all));
    assert_true(all.tasks == 0 && all.hosts == 0);
    tri__consumption_fini(&all);
}

static void a_host_of_several_tasks_counts_once(void **state)
{
    tri__consumption all;
    write_samples(*state, "ps-0.csv", "one", "100,10,0,1000000,7,9,1,50,2000000,,\n");
    write_samples(*state, "worker-0.csv", "one", "102,20,0,1000000,7,9,2,50,2000000,100,200\n");
    write_samples(*state, "worker-1.csv", "two", "100,30,0,1000000,7,9,1,50,2000000,100,200\n102,3"); /* still being written */
    assert_ok(tri__consumption_read(*state, 0, &all));
    assert_int_equal(all.tasks, 3);
    assert_int_equal(all.hosts, 2);
    for (int i = 0; i < all.hosts; i++)
        assert_float_equal(all.host[i].cpu_percent, strcmp(all.host[i].name, "one") ? 30 : 20, 1e-9);
    tri__consumption_fini(&all);
}

static void hosts_come_in_the_order_of_their_tasks_and_that_of_the_supervisor_last(void **state)
{
    static const char *const file[] = {"ps-0", "supervisor", "worker-0", "worker-1", "worker-2", "worker-10", "evaluator-0"};
    static const char *const on[] = {"host1", "machine", "host1", "host2", "host3", "host11", "host1"};
    static const char *const tasks[] = {"ps:0", "worker:0", "worker:1", "worker:2", "worker:10", "evaluator:0", "supervisor"};
    static const char *const hosts[] = {"host1", "host2", "host3", "host11", "machine"};
    tri__consumption all;
    for (int i = 0; i < 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.csv", file[i]);
        write_samples(*state, name, on[i], "100,10,0,1000000,7,9,1,50,2000000,,\n");
    }
    assert_ok(tri__consumption_read(*state, 0, &all));
    assert_int_equal(all.tasks, 7);
    for (int i = 0; i < all.tasks; i++)
        assert_string_equal(all.task[i].name, tasks[i]);
    assert_int_equal(all.hosts, 5);
    for (int i = 0; i < all.hosts; i++)
        assert_string_equal(all.host[i].name, hosts[i]);
    tri__consumption_fini(&all);
}

/* The last sample is a tenth of a second long: what it has of one read is no rate that the disk keeps up. */
static void the_most_that_a_disk_read_is_that_of_a_whole_sample(void **state)
{
    static const char samples[] = "\"a\"\n\"Layout:\",\"dstat\",,,,\"Every:\",\"1.000\"\n\"Host:\",\"one\"\n\"c\"\n\n"
                                  "\"epoch\",\"seconds\",\"read\",\"writ\",\"process:read\",\"process:writ\"\n"
                                  "101,1,95,0,90,0\n"
                                  "102,1,100,0,80,0\n"
                                  "102.1,0.1,900,0,900,0\n";
    char *path = test_path(*state, "worker-0.csv");
    tri__consumption all;
    test_write(path, samples, sizeof samples - 1);
    free(path);
    assert_ok(tri__consumption_read(*state, 0, &all));
    assert_float_equal(all.host[0].best_read, 100, 1e-9);
    assert_float_equal(all.task[0].best_read, 90, 1e-9);
    assert_float_equal(all.host[0].disk_read, 95 + 100 + 90, 1e-9);
    tri__consumption_fini(&all);
}

static void the_fullest_link_is_told_with_its_direction(void **state)
{
    static const char samples[] =
        "\"a\"\n\"b\"\n\"Host:\",\"one\"\n\"c\"\n\n"
        "\"epoch\",\"seconds\",\"net/lo:recv\",\"net/lo:send\",\"net/lo:most\",\"net/eth0:recv\",\"net/eth0:send\",\"net/eth0:most\"\n"
        "100,1,900,900,,0,0,1000\n" /* before the beginning; the speed of lo is not known */
        "101,1,900,900,,300,955,1000\n"
        "102,1,900,900,,300,955,1000\n";
    char *path = test_path(*state, "worker-0.csv");
    tri__consumption all;
    test_write(path, samples, sizeof samples - 1);
    free(path);
    assert_ok(tri__consumption_read(*state, 0, &all));
    assert_string_equal(all.host[0].link.name, "eth0");
    assert_true(all.host[0].link.sends && all.host[0].link.most == 1000);
    assert_float_equal(all.host[0].link.fill, 0.95, 1e-9);
    tri__consumption_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(means_are_weighted_by_time_and_bytes_are_rates_times_seconds),
        FOLDER_TEST(samples_from_before_a_resume_do_not_count),
        FOLDER_TEST(a_host_of_several_tasks_counts_once),
        FOLDER_TEST(hosts_come_in_the_order_of_their_tasks_and_that_of_the_supervisor_last),
        FOLDER_TEST(the_most_that_a_disk_read_is_that_of_a_whole_sample),
        FOLDER_TEST(the_fullest_link_is_told_with_its_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
