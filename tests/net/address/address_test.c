/* Addresses: what is one and what is not, names, loopback, ports in use. */
#include "support.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address/address.h"

static void check(const char *text, const char *host, int port)
{
    tri__address address;
    assert_ok(tri__address_parse(text, &address));
    assert_string_equal(address.host, host);
    assert_int_equal(address.port, port);
    tri__address_fini(&address);
}

static void addresses_are_parsed(void **state)
{
    (void)state;
    check("10.0.0.2:4000", "10.0.0.2", 4000);
    check("worker-0.job:1", "worker-0.job", 1);
    check("[::1]:65535", "::1", 65535);
    check("localhost:0", "localhost", 0);
}

static void a_malformed_address_is_refused_with_advice(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",        "host",       ":4000",   "host:",    "host:x",      "host:-1",      "host:65536",
                                        "host:4 ", "ho st:4000", "[]:4000", "[::1:400", "[::1]x:4000", "host:1000000", "tcp://host:1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tri__address address;
        assert_fails(tri__address_parse(wrong[i], &address), TRI_BAD_CALL, "write host:port");
        tri__address_fini(&address);
    }
    tri__address address;
    assert_fails(tri__address_parse("::1:4000", &address), TRI_BAD_CALL, "[::1]:4000");
}

static void loopback_addresses_are_recognised(void **state)
{
    (void)state;
    assert_true(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "127.0.0.1", 1}));
    assert_true(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "127.8.9.10", 1}));
    assert_true(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "::1", 1}));
    assert_false(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "10.0.0.1", 1}));
    assert_false(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "0.0.0.0", 1}));
    assert_false(tri__address_is_loopback(&(tri__address){(char *)(uintptr_t) "no-such-host.invalid", 1}));
}

static void an_unknown_host_name_is_reported(void **state)
{
    (void)state;
    struct sockaddr_storage out;
    socklen_t size;
    tri__address address = {(char *)(uintptr_t) "no-such-host.invalid", 1};
    assert_fails(tri__address_resolve(&address, &out, &size), TRI_NOT_FOUND, "no-such-host.invalid");
}

static void listening_on_a_port_in_use_fails_and_names_it(void **state)
{
    (void)state;
    tri__address address = {(char *)(uintptr_t) "127.0.0.1", 0};
    int fd = -1, second = -1;
    uint16_t port = 0;
    assert_ok(tri__address_listen(&address, &fd, &port));
    assert_int_not_equal(port, 0);
    address.port = port;
    assert_fails(tri__address_listen(&address, &second, &port), TRI_IO, "in use");
    close(fd);
    assert_ok(tri__address_listen(&address, &fd, &port));
    close(fd);
    address.host = (char *)(uintptr_t) "192.0.2.1"; /* reserved for documents: no host has it */
    assert_fails(tri__address_listen(&address, &fd, &port), TRI_IO, "no such address");
}

static void socket_addresses_are_written(void **state)
{
    (void)state;
    static const char *const hosts[] = {"127.0.0.1", "::1"};
    static const char *const texts[] = {"127.0.0.1:4242", "[::1]:4242"};
    for (int i = 0; i < 2; i++) {
        struct sockaddr_storage where;
        socklen_t size;
        char text[TRI_ADDRESS_TEXT];
        assert_ok(tri__address_resolve(&(tri__address){(char *)(uintptr_t)hosts[i], 4242}, &where, &size));
        tri__address_write(&where, text);
        assert_string_equal(text, texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_parsed),
        cmocka_unit_test(a_malformed_address_is_refused_with_advice),
        cmocka_unit_test(loopback_addresses_are_recognised),
        cmocka_unit_test(an_unknown_host_name_is_reported),
        cmocka_unit_test(listening_on_a_port_in_use_fails_and_names_it),
        cmocka_unit_test(socket_addresses_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
