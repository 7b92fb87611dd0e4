/* contact_test.c: a contact with a server that is a bare socket of this process: it is not there yet, hangs up, comes back, is silent. The
 * time at which a contact is judged is given to it, so that nothing here waits for a timeout. */
#include "store/ps/protocol/contact.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support.h"

#define SECOND INT64_C(1000000000)

enum { TIMEOUT = 10, PATIENCE = 60 }; /* seconds; the contact's, and this test's with the loop */

typedef struct {
    tri__log log; /* first: what is said to it ends up in said */
    char said[4096];
    tri__ps_settings settings;
    tri__address address;
    int fd; /* which listens */
    tri__loop *loop;
    tri__contact contact;
    bool open;
    int closings;
    tri_status failure; /* of the last closing */
} scene;

static void hear_log(tri__log *log, tri__log_level level, const char *line)
{
    scene *of = (scene *)log;
    size_t used = strlen(of->said);
    (void)level;
    snprintf(of->said + used, sizeof of->said - used, "%s\n", line);
}

static void on_open(void *context, tri__connection *connection)
{
    scene *of = context;
    (void)connection;
    of->open = true;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    scene *of = context;
    (void)connection, (void)body;
    tri__contact_heard(&of->contact);
    return frame->type == 1 ? NULL : tri_fail(TRI_BAD_DATA, "a type of %u", frame->type);
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    scene *of = context;
    (void)connection;
    of->open = false;
    of->closings++;
    of->failure = tri__contact_closed(&of->contact, why, false);
}

static const tri__connection_handlers handlers = {.open = on_open, .frame = on_frame, .closed = on_closed};

static void begin(scene *of)
{
    *of = (scene){.log = {.write = hear_log}, .settings = {.timeout = TIMEOUT * SECOND, .heartbeat = SECOND}};
    assert_ok(tri__address_parse("127.0.0.1:0", &of->address));
    assert_ok(tri__address_listen(&of->address, &of->fd, &of->address.port));
    assert_ok(tri__loop_create(&of->loop));
    tri__contact_init(&of->contact, 1, &of->address, &of->settings, &of->log);
}

/* Turn the loop until the connection is open, or until it has ended so many times. */
static void turn_until(scene *of, bool open, int closings)
{
    int64_t deadline = tri__clock_now() + PATIENCE * SECOND;
    while (of->open != open || of->closings < closings) {
        assert_true(tri__clock_now() < deadline);
        if (open && tri__contact_is_due(&of->contact, tri__clock_now()))
            tri__contact_open(&of->contact, of->loop, &handlers, of, NULL);
        tri__loop_turn(of->loop, tri__clock_now() + SECOND / 100);
    }
}

static int connect_both(scene *of)
{
    turn_until(of, true, of->closings);
    int fd = accept(of->fd, NULL, NULL);
    assert_true(fd >= 0);
    return fd;
}

static void end(scene *of)
{
    if (of->contact.connection) {
        tri__connection_close(of->contact.connection);
        turn_until(of, false, of->closings + 1);
    }
    assert_ok(of->failure);
    tri__loop_destroy(of->loop);
    tri__address_fini(&of->address);
    close(of->fd);
}

static void a_connection_that_breaks_is_made_again(void **state)
{
    (void)state;
    scene of;
    begin(&of);
    for (int i = 0; i < 3; i++) {
        int fd = connect_both(&of);
        assert_false(tri__contact_is_due(&of.contact, tri__clock_now() + SECOND));
        tri__contact_welcomed(&of.contact);
        close(fd);
        turn_until(&of, false, i + 1);
        assert_ok(of.failure);
        assert_false(of.contact.welcome);
        assert_true(of.contact.lost > 0);
    }
    assert_non_null(strstr(of.said, "the connection to ps:1 is lost; trying again"));
    end(&of);
}

/* What nobody understands would be said again. */
static void nonsense_is_not_tried_again(void **state)
{
    (void)state;
    scene of;
    begin(&of);
    int fd = connect_both(&of);
    static const uint8_t head[40] = {2};
    assert_int_equal(send(fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    turn_until(&of, false, 1);
    assert_fails(of.failure, TRI_BAD_DATA, "ps:1");
    of.failure = NULL;
    close(fd);
    end(&of);
}

/* It is told once that a server is waited for; after the timeout that is a failure, which says what was wrong with it. */
static void who_is_not_there_is_waited_for_until_the_deadline(void **state)
{
    (void)state;
    scene of;
    begin(&of);
    int64_t start = of.contact.lost;
    int fd = connect_both(&of);
    close(fd);
    turn_until(&of, false, 1);
    assert_ok(tri__contact_check(&of.contact, start, start + SECOND));
    assert_string_equal(of.said, "");
    for (int i = 3; i < TIMEOUT; i++)
        assert_ok(tri__contact_check(&of.contact, start, start + i * SECOND));
    char *told = strstr(of.said, "waiting for ps:1 at 127.0.0.1:");
    assert_non_null(told);
    assert_null(strstr(told + 1, "waiting for ps:1"));
    assert_fails(tri__contact_check(&of.contact, start, start + (TIMEOUT + 1) * SECOND), TRI_TIMEOUT, "it hung up on our hello");
    end(&of);
}

/* From its welcome on a server is to be heard. Silence counts from when we began to listen, and ends with a word. */
static void silence_is_named_and_has_a_deadline(void **state)
{
    (void)state;
    scene of;
    begin(&of);
    int fd = connect_both(&of);
    tri__contact_welcomed(&of.contact);
    int64_t heard = of.contact.heard;
    assert_ok(tri__contact_check(&of.contact, 0, heard + SECOND));
    assert_string_equal(of.said, "");
    assert_ok(tri__contact_check(&of.contact, 0, heard + 3 * SECOND));
    assert_non_null(strstr(of.said, "has been silent for 3.0 s; waiting for it"));
    assert_fails(tri__contact_check(&of.contact, 0, heard + (TIMEOUT + 1) * SECOND), TRI_TIMEOUT, "has been silent for 11 s");
    assert_ok(tri__contact_check(&of.contact, heard + 5 * SECOND, heard + (TIMEOUT + 1) * SECOND)); /* we were stopped ourselves */
    static const uint8_t head[40] = {1};
    assert_int_equal(send(fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    while (of.contact.heard == heard)
        tri__loop_turn(of.loop, tri__clock_now() + SECOND / 100);
    assert_ok(tri__contact_check(&of.contact, 0, of.contact.heard + SECOND));
    assert_non_null(strstr(of.said, "ps:1 is heard again"));
    close(fd);
    end(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_that_breaks_is_made_again),
        cmocka_unit_test(nonsense_is_not_tried_again),
        cmocka_unit_test(who_is_not_there_is_waited_for_until_the_deadline),
        cmocka_unit_test(silence_is_named_and_has_a_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
