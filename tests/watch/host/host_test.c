/* host_test.c: samples of this host and of this process, against what the kernel and this test say itself. */
#include "watch/host/host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"
#include "watch/host/own_usage.h"

static double memory_total(void)
{
    char line[128];
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && sscanf(line, "MemTotal: %lf", &kilobytes) < 1)
        ;
    fclose(file);
    return kilobytes * 1024;
}

/* Use CPU until the process has used `seconds` more of it. */
static void burn(double seconds)
{
    const double until = tri__own_read().cpu + seconds;
    volatile double sum = 0;
    while (tri__own_read().cpu < until)
        for (int i = 0; i < 100000; i++)
            sum += i;
}

static void cpu_shares_sum_to_100_and_cores_lie_within_it(void **state)
{
    (void)state;
    tri__host *host;
    tri__host_sample sample;
    assert_ok(tri__host_open(&host));
    burn(0.1);
    assert_ok(tri__host_take(host, &sample));
    assert_float_equal(sample.user + sample.system + sample.idle + sample.wait + sample.steal, 100, 1e-6);
    assert_true(sample.user > 0);
    assert_int_equal(sample.cores, sysconf(_SC_NPROCESSORS_CONF));
    for (int i = 0; i < sample.cores; i++)
        assert_true(sample.core[i] >= 0 && sample.core[i] <= 100);
    tri__host_close(host);
}

/* Far more samples than there are ticks of the kernel's clock in the time that they take. */
static void a_sample_shorter_than_a_tick_has_the_shares_of_the_one_before(void **state)
{
    (void)state;
    tri__host *host;
    tri__host_sample sample;
    assert_ok(tri__host_open(&host));
    burn(0.1);
    for (int i = 0; i < 50; i++) {
        assert_ok(tri__host_take(host, &sample));
        assert_float_equal(sample.user + sample.system + sample.idle + sample.wait + sample.steal, 100, 1e-6);
    }
    tri__host_close(host);
}

static void memory_in_use_free_and_cached_is_about_all_memory(void **state)
{
    (void)state;
    tri__host *host;
    tri__host_sample sample;
    assert_ok(tri__host_open(&host));
    assert_ok(tri__host_take(host, &sample));
    const double sum = sample.used + sample.free + sample.buffers + sample.cached, total = memory_total();
    assert_true(sample.used > 0 && sample.free > 0 && sum > 0.7 * total && sum < 1.1 * total);
    tri__host_close(host);
}

/* A datagram to ourselves crosses lo once in each direction, with its headers. */
static void send_datagrams(int count, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char *data = calloc(1, size);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(fd >= 0 && !bind(fd, (struct sockaddr *)&address, length) && !getsockname(fd, (struct sockaddr *)&address, &length));
    for (int i = 0; i < count; i++)
        assert_int_equal(sendto(fd, data, size, 0, (struct sockaddr *)&address, length), size);
    close(fd);
    free(data);
}

static void bytes_over_loopback_are_counted_for_lo_and_not_in_the_total(void **state)
{
    (void)state;
    enum { COUNT = 1000, SIZE = 10000 };
    tri__host *host;
    tri__host_sample sample;
    assert_ok(tri__host_open(&host));
    send_datagrams(COUNT, SIZE);
    assert_ok(tri__host_take(host, &sample));
    double lo = 0, others = 0;
    for (int i = 0; i < sample.links; i++)
        *(strcmp(sample.link[i].name, "lo") ? &others : &lo) += sample.link[i].received;
    assert_true(lo * sample.seconds >= 1.0 * COUNT * SIZE);
    assert_true(sample.received >= 0 && sample.received <= others + 1);
    tri__host_close(host);
}

static void a_process_sample_has_its_cpu_time_and_memory(void **state)
{
    (void)state;
    const tri__own_counters from = tri__own_read();
    burn(0.05);
    const tri__own_counters to = tri__own_read();
    const tri__own_sample sample = tri__own_between(&from, &to);
    const double seconds = (double)(to.time - from.time) * 1e-9;
    assert_true(sample.cpu * seconds / 100 >= 0.049);
    assert_true(sample.resident > 100000);
    const tri__own_sample nothing = tri__own_between(&to, &to);
    assert_true(nothing.cpu == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_shares_sum_to_100_and_cores_lie_within_it),
        cmocka_unit_test(a_sample_shorter_than_a_tick_has_the_shares_of_the_one_before),
        cmocka_unit_test(memory_in_use_free_and_cached_is_about_all_memory),
        cmocka_unit_test(bytes_over_loopback_are_counted_for_lo_and_not_in_the_total),
        cmocka_unit_test(a_process_sample_has_its_cpu_time_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
