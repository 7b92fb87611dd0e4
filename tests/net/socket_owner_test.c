/* socket_owner_test.c: on loopback a user's own processes are admitted, those of other users are not. */
#include "net/socket_owner.h"

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
        cmocka_unit_test(peers_beyond_loopback_are_left_to_tls),
    };
    return cmocka_run_group_tests_name("net/socket_owner", tests, NULL, NULL);
}
