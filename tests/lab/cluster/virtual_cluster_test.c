/* virtual_cluster_test.c: descriptions of virtual clusters, and the mistakes in them. */
#include "lab/cluster/virtual_cluster.h"

#include <string.h>

#include "support.h"

static tri__virtual_cluster cluster;

static void rates_of_links_have_a_number_and_a_unit(void **state)
{
    (void)state;
    double mbit;
    assert_ok(tri__rate_parse("1.8gbit", &mbit));
    assert_float_equal(mbit, 1800, 1e-9);
    assert_ok(tri__rate_parse("500kbit", &mbit));
    assert_float_equal(mbit, 0.5, 1e-9);
    static const char *const wrong[] = {"", "fast", "100", "-1mbit", "0gbit", "nanmbit", "1e9gbit", "10 mbit"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri__rate_parse(wrong[i], &mbit), TRI_BAD_CALL, "is not a rate");
}

static void memory_of_hosts_has_a_unit_or_is_in_megabytes(void **state)
{
    (void)state;
    static const char *const texts[] = {"512", "512mb", "0.5gb", "512MB"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t mb = 0;
        assert_ok(tri__memory_parse(texts[i], &mb));
        assert_int_equal(mb, 512);
    }
    int64_t none;
    assert_fails(tri__memory_parse("512kb", &none), TRI_BAD_CALL, "'512kb' is not an amount of memory");
    assert_fails(tri__memory_parse("0", &none), TRI_BAD_CALL, "not an amount of memory");
    assert_fails(tri__memory_parse("", &none), TRI_BAD_CALL, "not an amount of memory");
}

static void hosts_that_are_alike_are_numbered(void **state)
{
    (void)state;
    assert_ok(tri__virtual_cluster_alike("study", 3, &(tri__virtual_host){.rate_mbit = 100, .cpus = 0.5}, &cluster));
    assert_int_equal(cluster.hosts, 3);
    assert_string_equal(cluster.host[2].name, "host3");
    assert_string_equal(cluster.host[2].address, "10.77.0.3");
    assert_float_equal(cluster.host[2].cpus, 0.5, 0);
    assert_ptr_equal(tri__virtual_cluster_find(&cluster, "10.77.0.2"), tri__virtual_cluster_find(&cluster, "host2"));
    assert_null(tri__virtual_cluster_find(&cluster, "host4"));
    assert_fails(tri__virtual_cluster_alike("study", 0, &(tri__virtual_host){0}, &cluster), TRI_BAD_CALL, "1 to 200");
    assert_fails(tri__virtual_cluster_alike("a:b", 1, &(tri__virtual_host){0}, &cluster), TRI_BAD_CALL, "cannot be the name of a cluster");
    assert_fails(tri__virtual_cluster_alike("", 1, &(tri__virtual_host){0}, &cluster), TRI_BAD_CALL, "cannot be the name");
}

static tri_status read_text(const char *folder, const char *text)
{
    char *path = test_path(folder, "cluster.yaml");
    test_write(path, text, strlen(text));
    tri_status status = tri__virtual_cluster_read(path, "study", &cluster);
    free(path);
    return status;
}

static void a_file_gives_each_host_its_limits(void **state)
{
    assert_ok(read_text(*state, "rate: 1.8gbit\nmemory: 2gb\nhosts:\n  - {name: server, rate: 2.5gbit, cpus: 1}\n  - left\n"));
    assert_int_equal(cluster.hosts, 2);
    assert_string_equal(cluster.host[0].name, "server");
    assert_float_equal(cluster.host[0].rate_mbit, 2500, 0);
    assert_float_equal(cluster.host[1].rate_mbit, 1800, 0);
    assert_int_equal(cluster.host[0].memory_mb, 2048);
    assert_float_equal(cluster.host[1].cpus, 0, 0);
}

static void a_file_may_have_a_number_of_hosts(void **state)
{
    assert_ok(read_text(*state, "hosts: 3\nrate: 1gbit\n"));
    assert_int_equal(cluster.hosts, 3);
    assert_string_equal(cluster.host[2].name, "host3");
    assert_float_equal(cluster.host[2].rate_mbit, 1000, 0);
    assert_fails(read_text(*state, "hosts: many\n"), TRI_BAD_DATA, "neither a number of hosts nor a list");
    assert_fails(read_text(*state, "hosts: 100000000000\n"), TRI_BAD_CALL, "hosts");
}

static void mistakes_in_a_file_of_virtual_hosts_are_named(void **state)
{
    assert_fails(read_text(*state, "rate: 1gbit\n"), TRI_BAD_DATA, "no list `hosts`");
    assert_fails(read_text(*state, "hosts: [a, a]\n"), TRI_BAD_DATA, "two hosts are called a");
    assert_fails(read_text(*state, "hosts: [{name: a, speed: 3}]\n"), TRI_BAD_DATA, "no setting 'speed'; there are: name rate cpus memory");
    assert_fails(read_text(*state, "hosts: [{name: a, rate: fast}]\n"), TRI_BAD_CALL, "host a: 'fast' is not a rate");
    assert_fails(read_text(*state, "hosts: [{rate: 1gbit}]\n"), TRI_BAD_DATA, "host 1 has no name");
    assert_fails(read_text(*state, "hosts: [{name: a, memory: much}]\n"), TRI_BAD_CALL, "not an amount of memory");
    assert_fails(read_text(*state, "hosts: [../etc]\n"), TRI_BAD_CALL, "cannot be the name of a host");
}

static void the_kept_description_of_a_virtual_cluster_is_read_back(void **state)
{
    assert_ok(read_text(*state, "hosts:\n  - {name: server, rate: 2.5gbit, cpus: 1.5, memory: 300mb}\n  - left\n"));
    tri__virtual_cluster back;
    json_t *kept = tri__virtual_cluster_json(&cluster);
    assert_ok(tri__virtual_cluster_parse(kept, "study", &back));
    assert_memory_equal(&back, &cluster, sizeof back);
    json_decref(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_links_have_a_number_and_a_unit),
        cmocka_unit_test(memory_of_hosts_has_a_unit_or_is_in_megabytes),
        cmocka_unit_test(hosts_that_are_alike_are_numbered),
        FOLDER_TEST(a_file_gives_each_host_its_limits),
        FOLDER_TEST(a_file_may_have_a_number_of_hosts),
        FOLDER_TEST(mistakes_in_a_file_of_virtual_hosts_are_named),
        FOLDER_TEST(the_kept_description_of_a_virtual_cluster_is_read_back),
    };
    return cmocka_run_group_tests_name("lab/cluster/virtual_cluster", tests, NULL, NULL);
}
