/* Connections in clear: many frames both ways, torn and hostile bytes, ends in every handler, pauses, deadlines. */
#include "net/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void frames_of_all_sizes_go_both_ways_at_once(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_exchange(&f, 120);
    fixture_fini(&f);
}

static void frames_are_assembled_from_any_pieces(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_checker c = {.expected = malloc(FIXTURE_BODY)};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened);
    f.ends[0].got = fixture_check;
    f.ends[0].owner = &c;
    for (int i = 0; i < 2; i++) { /* an empty frame and one of a byte, byte by byte: each has been read before the next is sent */
        uint8_t bytes[TRI_HEAD_SIZE + 1];
        tri__frame frame = fixture_frame_of(i);
        tri__head_write(&frame, bytes);
        fixture_fill(bytes + TRI_HEAD_SIZE, i, frame.size);
        for (size_t k = 0; k < TRI_HEAD_SIZE + frame.size; k++) {
            assert_int_equal(f.ends[0].frames, i);
            assert_int_equal(write(fd, bytes + k, 1), 1);
            int64_t sent = 0, received = 0, before = 0;
            tri__connection_count(f.ends[0].connection, &sent, &before);
            for (received = before; received == before;) {
                tri__loop_turn(f.loop, tri__clock_now() + 1000000);
                tri__connection_count(f.ends[0].connection, &sent, &received);
            }
        }
        assert_int_equal(f.ends[0].frames, i + 1);
    }
    close(fd);
    fixture_until(&f, f.ends[0].closed);
    assert_null(f.ends[0].why);
    fixture_fini(&f);
    free(c.expected);
}

static void send_head(int fd, uint32_t size, size_t bytes)
{
    uint8_t head[TRI_HEAD_SIZE];
    tri__head_write(&(tri__frame){1, size, {0}}, head);
    assert_int_equal(write(fd, head, bytes), bytes);
}

static void a_body_that_is_too_large_is_refused_before_it_is_read(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    send_head(fd, UINT32_MAX, TRI_HEAD_SIZE);
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_fails(f.ends[0].why, TRI_BAD_DATA, "4294967295 bytes");
    f.ends[0].why = NULL;
    assert_int_equal(read(fd, &(char){0}, 1), 0);
    close(fd);
    fixture_fini(&f);
}

static void a_connection_that_ends_within_a_frame_says_so(void **state)
{
    (void)state;
    for (int with_body = 0; with_body < 2; with_body++) {
        fixture f = {0};
        fixture_listen(&f, 4);
        int fd = fixture_connect_bare(&f);
        fixture_until(&f, f.accepted == 1 && f.ends[0].opened); /* one that has closed before it is admitted is not read from */
        send_head(fd, 10, with_body ? TRI_HEAD_SIZE : 11);
        close(fd);
        fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
        assert_fails(f.ends[0].why, TRI_IO, "in the middle of a message");
        f.ends[0].why = NULL;
        fixture_fini(&f);
    }
}

static void every_handler_may_close_its_connection(void **state)
{
    (void)state;
    for (fixture_habit habit = CLOSE_IN_OPEN; habit <= FAIL_IN_FRAME; habit++) {
        fixture f = {.habit = habit, .echoes = true};
        static const uint8_t body[5000];
        fixture_listen(&f, 4);
        fixture_connect(&f);
        for (int i = 0; i < 3; i++)
            tri__connection_send(f.client.connection, &(tri__frame){1, sizeof body, {0}}, body, false);
        fixture_until(&f, f.client.closed && f.accepted == 1 && f.ends[0].closed);
        fixture_end *end = &f.ends[0];
        if (habit == CLOSE_IN_DRAINED) { /* of which there may be one for several frames */
            assert_int_equal(end->drained, 1);
        } else {
            assert_int_equal(end->begun, habit != CLOSE_IN_OPEN);
            assert_int_equal(end->frames, habit == CLOSE_IN_FRAME || habit == FAIL_IN_FRAME);
        }
        assert_true((end->why != NULL) == (habit == FAIL_IN_BEGIN || habit == FAIL_IN_FRAME));
        fixture_fini(&f);
    }
}

static void a_stalled_frame_times_out_and_an_idle_connection_does_not(void **state)
{
    (void)state;
    fixture f = {.timeout = 50 * 1000000};
    fixture_listen(&f, FIXTURE_MOST);
    int fds[FIXTURE_MOST];
    for (int i = 0; i < FIXTURE_MOST; i++) {
        fds[i] = fixture_connect_bare(&f);
        if (i > 0) /* the first one is idle, the others stop at each place in a head and behind it */
            send_head(fds[i], 10, i * 7 < TRI_HEAD_SIZE ? (size_t)i * 7 : TRI_HEAD_SIZE);
    }
    fixture_until(&f, f.accepted == FIXTURE_MOST);
    for (int i = 1; i < FIXTURE_MOST; i++) {
        fixture_until(&f, f.ends[i].closed);
        assert_fails(f.ends[i].why, TRI_TIMEOUT, "middle of a message");
        f.ends[i].why = NULL;
    }
    assert_false(f.ends[0].closed);
    send_head(fds[0], 0, TRI_HEAD_SIZE);
    fixture_until(&f, f.ends[0].frames == 1);
    for (int i = 0; i < FIXTURE_MOST; i++)
        close(fds[i]);
    fixture_fini(&f);
}

static void a_connection_ends_when_its_peer_reads_nothing_for_too_long(void **state)
{
    (void)state;
    fixture f = {.timeout = 50 * 1000000};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened);
    uint8_t *body = calloc(1, FIXTURE_BODY);
    for (int i = 0; i < 64; i++)
        tri__connection_send(f.ends[0].connection, &(tri__frame){1, FIXTURE_BODY, {0}}, body, false);
    assert_true(tri__connection_unsent(f.ends[0].connection) > 0);
    fixture_until(&f, f.ends[0].closed);
    assert_int_equal(tri_status_code(f.ends[0].why), TRI_TIMEOUT);
    close(fd);
    free(body);
    fixture_fini(&f);
}

static void a_paused_connection_reads_nothing_and_does_not_time_out(void **state)
{
    (void)state;
    fixture f = {.timeout = 40 * 1000000, .echoes = true};
    fixture_listen(&f, 4);
    fixture_connect(&f);
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened && f.client.opened);
    tri__connection_pause(f.ends[0].connection, true);
    static const uint8_t body[5000];
    for (int i = 0; i < 3; i++)
        tri__connection_send(f.client.connection, &(tri__frame){1, sizeof body, {0}}, body, false);
    int64_t deadline = tri__clock_now() + 4 * f.timeout;
    while (tri__clock_now() < deadline)
        tri__loop_turn(f.loop, deadline);
    assert_int_equal(f.ends[0].begun, 0);
    assert_false(f.ends[0].closed);
    tri__connection_pause(f.ends[0].connection, false);
    fixture_until(&f, f.client.frames == 3);
    fixture_fini(&f);
}

static void a_connection_ends_as_soon_as_its_peer_is_killed(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    pid_t child = fork();
    if (child == 0) {
        int fd = fixture_connect_bare(&f);
        send_head(fd, 10, TRI_HEAD_SIZE);
        pause();
        _exit(0);
    }
    fixture_until(&f, f.accepted == 1 && f.ends[0].begun == 1);
    kill(child, SIGKILL);
    fixture_until(&f, f.ends[0].closed);
    assert_fails(f.ends[0].why, TRI_IO, "killed");
    f.ends[0].why = NULL;
    assert_int_equal(waitpid(child, NULL, 0), child);
    fixture_fini(&f);
}

static void sending_to_a_peer_that_is_gone_ends_the_connection_only(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened);
    send_head(fd, 0, TRI_HEAD_SIZE);
    const struct linger at_once = {1, 0}; /* a reset instead of an end in good order */
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
    for (int i = 0; i < 3; i++)
        tri__connection_send(f.ends[0].connection, &(tri__frame){1, 0, {0}}, NULL, false);
    fixture_until(&f, f.ends[0].closed);
    assert_fails(f.ends[0].why, TRI_IO, "cut by the peer");
    f.ends[0].why = NULL;
    fixture_fini(&f);
}

static void connecting_to_a_port_nobody_listens_on_is_reported(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    tri__listener_destroy(f.listener);
    f.listener = NULL;
    fixture_connect(&f);
    fixture_until(&f, f.client.closed);
    assert_false(f.client.opened);
    assert_fails(f.client.why, TRI_IO, "nobody listens there");
    f.client.why = NULL;
    fixture_fini(&f);
}

static void a_listener_limits_the_number_of_connections(void **state)
{
    (void)state;
    fixture f = {.echoes = true};
    fixture_listen(&f, 2);
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 2 && f.ends[1].opened);
    assert_true(fcntl(fds[2], F_SETFL, O_NONBLOCK) == 0);
    char byte;
    while (read(fds[2], &byte, 1) != 0) /* the third is closed, and nothing else happens */
        tri__loop_turn(f.loop, tri__clock_now() + 1000000);
    assert_int_equal(f.accepted, 2);
    close(fds[0]);
    fixture_until(&f, f.ends[0].closed);
    fixture_connect(&f); /* there is place again */
    fixture_until(&f, f.client.opened && f.accepted == 3);
    close(fds[1]);
    close(fds[2]);
    fixture_fini(&f);
}

static void silent_strangers_in_clear_give_way_to_peers_that_say_who_they_are(void **state)
{
    (void)state;
    fixture f = {.echoes = true, .awaits_hello = true};
    fixture_listen(&f, 3);
    int member = fixture_connect_bare(&f), strangers[8];
    fixture_until(&f, f.accepted == 1 && f.ends[0].opened);
    tri__connection_greeted(f.ends[0].connection);
    for (int i = 0; i < 8; i++)
        strangers[i] = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 9);
    fixture_connect(&f);
    fixture_until(&f, f.client.opened && f.accepted == 10 && f.ends[9].opened && f.ends[7].closed);
    assert_false(f.ends[0].closed);
    assert_false(f.ends[9].closed);
    for (int i = 0; i < 8; i++)
        close(strangers[i]);
    close(member);
    fixture_fini(&f);
}

static void a_connection_without_a_context_is_closed_and_its_handlers_are_not_called(void **state)
{
    (void)state;
    fixture f = {.refuses = true};
    fixture_listen(&f, 1);
    fixture_connect(&f);
    fixture_until(&f, f.client.closed);
    f.refuses = false; /* and its place is free again */
    f.client = (fixture_end){.why = NULL};
    fixture_connect(&f);
    fixture_until(&f, f.client.opened && f.accepted == 1);
    fixture_fini(&f);
}

static void a_closed_connection_reports_its_end_from_the_loop(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_listen(&f, 4);
    fixture_connect(&f);
    tri__connection_close(f.client.connection);
    tri__connection_close(f.client.connection);
    tri__connection_send(f.client.connection, &(tri__frame){1, 0, {0}}, NULL, true); /* in vain, and harmless */
    assert_false(f.client.closed);
    fixture_until(&f, f.client.closed);
    assert_null(f.client.why);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_all_sizes_go_both_ways_at_once),
        cmocka_unit_test(frames_are_assembled_from_any_pieces),
        cmocka_unit_test(a_body_that_is_too_large_is_refused_before_it_is_read),
        cmocka_unit_test(a_connection_that_ends_within_a_frame_says_so),
        cmocka_unit_test(every_handler_may_close_its_connection),
        cmocka_unit_test(a_stalled_frame_times_out_and_an_idle_connection_does_not),
        cmocka_unit_test(a_connection_ends_when_its_peer_reads_nothing_for_too_long),
        cmocka_unit_test(a_paused_connection_reads_nothing_and_does_not_time_out),
        cmocka_unit_test(a_connection_ends_as_soon_as_its_peer_is_killed),
        cmocka_unit_test(sending_to_a_peer_that_is_gone_ends_the_connection_only),
        cmocka_unit_test(connecting_to_a_port_nobody_listens_on_is_reported),
        cmocka_unit_test(a_listener_limits_the_number_of_connections),
        cmocka_unit_test(silent_strangers_in_clear_give_way_to_peers_that_say_who_they_are),
        cmocka_unit_test(a_connection_without_a_context_is_closed_and_its_handlers_are_not_called),
        cmocka_unit_test(a_closed_connection_reports_its_end_from_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
