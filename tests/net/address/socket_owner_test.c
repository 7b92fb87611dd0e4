/* socket_owner_test.c: on loopback a user's own processes are admitted, those of other users are not. */
#include "net/address/socket_owner.h"

#include <sys/wait.h>

#include "net/fixture.h"

enum { NOBODY = 65534 };

static void own_process_is_admitted(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened);
    assert_false(f.ends[0].closed);
    close(fd);
    fixture_fini(&f);
}

/* A process of another user that connects, writes a head and waits until it is cut off. */
static pid_t start_as_nobody(const fixture *f)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    char byte;
    if (setuid(NOBODY))
        _exit(1);
    int fd = fixture_connect_bare(f);
    (void)!write(fd, (char[TRI_HEAD_SIZE]){1}, TRI_HEAD_SIZE);
    _exit(read(fd, &byte, 1) > 0);
}

static void another_users_process_is_refused_by_name(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can become somebody else */
    fixture f = {0};
    fixture_listen(&f, 4);
    pid_t child = start_as_nobody(&f);
    assert_true(child > 0);
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_int_equal(f.ends[0].begun + f.ends[0].frames, 0);
    assert_fails(f.ends[0].why, TRI_BAD_CALL, "another user of this machine (65534)");
    f.ends[0].why = NULL;
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    fixture_fini(&f);
}

/* What a connection sent before its process closed it may still be read: nobody can say whose it was. */
static void a_connection_that_was_closed_at_once_is_not_admitted(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    close(fd);
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_fails(f.ends[0].why, TRI_IO, "has ended already");
    f.ends[0].why = NULL;
    fixture_fini(&f);
}

/* Connect by an IPv6 or (mapped) IPv4 address to a socket that listens on every address of both. */
static void check_dual_stack(const struct sockaddr *to, socklen_t size)
{
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
    struct sockaddr_storage peer = {0}, where;
    socklen_t length = sizeof any, peer_length = sizeof peer;
    int listening = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), client = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (const struct sockaddr *)&any, sizeof any) | listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&any, &length), 0);
    memcpy(&where, to, size);
    ((struct sockaddr_in *)&where)->sin_port = any.sin6_port; /* at the same place in both kinds */
    assert_int_equal(connect(client, (const struct sockaddr *)&where, size), 0);
    int fd = accept(listening, (struct sockaddr *)&peer, &peer_length);
    assert_true(fd >= 0);
    assert_ok(tri__socket_owner_check(fd, &peer));
    close(fd);
    close(client);
    close(listening);
}

static void the_owner_of_an_ipv4_or_ipv6_connection_is_known(void **state)
{
    (void)state;
    if (access("/proc/net/if_inet6", F_OK))
        skip(); /* a kernel without IPv6 */
    check_dual_stack((const struct sockaddr *)&(struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback},
                     sizeof(struct sockaddr_in6));
    check_dual_stack((const struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                     sizeof(struct sockaddr_in));
}

static void peers_beyond_loopback_are_left_to_tls(void **state)
{
    (void)state;
    struct sockaddr_storage far = {0};
    *(struct sockaddr_in *)&far = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xC0000201)};
    assert_ok(tri__socket_owner_check(-1, &far));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_process_is_admitted),
        cmocka_unit_test(another_users_process_is_refused_by_name),
        cmocka_unit_test(a_connection_that_was_closed_at_once_is_not_admitted),
        cmocka_unit_test(the_owner_of_an_ipv4_or_ipv6_connection_is_known),
        cmocka_unit_test(peers_beyond_loopback_are_left_to_tls),
    };
    return cmocka_run_group_tests_name("net/socket_owner", tests, NULL, NULL);
}
