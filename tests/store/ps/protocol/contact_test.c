/* contact_test.c: a contact with a server that is a bare socket of this process: it is not there yet, hangs up, comes back, is silent. The
 * time at which a contact is looked at is given to it, so that nothing here waits for a timeout. */
#include "store/ps/protocol/contact.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread/clock.h"
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
    scene *here = (scene *)log;
    size_t used = strlen(here->said);
    (void)level;
    snprintf(here->said + used, sizeof here->said - used, "%s\n", line);
}

static void on_open(void *context, tri__connection *connection)
{
    scene *here = context;
    (void)connection;
    here->open = true;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    scene *here = context;
    (void)connection, (void)body;
    tri__contact_heard(&here->contact);
    return frame->type == 1 ? NULL : tri_fail(TRI_BAD_DATA, "a type of %u", frame->type);
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    scene *here = context;
    (void)connection;
    here->open = false;
    here->closings++;
    here->failure = tri__contact_closed(&here->contact, why, false);
}

static const tri__connection_handlers handlers = {.open = on_open, .frame = on_frame, .closed = on_closed};

static void begin(scene *here)
{
    *here = (scene){.log = {.write = hear_log}, .settings = {.timeout = TIMEOUT * SECOND, .heartbeat = SECOND}};
    assert_ok(tri__address_parse("127.0.0.1:0", &here->address));
    assert_ok(tri__address_listen(&here->address, &here->fd, &here->address.port));
    assert_ok(tri__loop_create(&here->loop));
    tri__contact_init(&here->contact, 1, &here->address, &here->settings, &here->log);
}

/* Turn the loop until the connection is open, or until it has ended so many times. */
static void turn_until(scene *here, bool open, int closings)
{
    int64_t deadline = tri__clock_now() + PATIENCE * SECOND;
    while (here->open != open || here->closings < closings) {
        assert_true(tri__clock_now() < deadline);
        if (open && tri__contact_is_due(&here->contact, tri__clock_now()))
            tri__contact_open(&here->contact, here->loop, &handlers, here, NULL);
        tri__loop_turn(here->loop, tri__clock_now() + SECOND / 100);
    }
}

static int connect_both(scene *here)
{
    turn_until(here, true, here->closings);
    int fd = accept(here->fd, NULL, NULL);
    assert_true(fd >= 0);
    return fd;
}

static void end(scene *here)
{
    if (here->contact.connection) {
        tri__connection_close(here->contact.connection);
        turn_until(here, false, here->closings + 1);
    }
    assert_ok(here->failure);
    tri__loop_destroy(here->loop);
    tri__address_fini(&here->address);
    close(here->fd);
}

static void a_connection_that_breaks_is_made_again(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    for (int i = 0; i < 3; i++) {
        int fd = connect_both(&here);
        assert_false(tri__contact_is_due(&here.contact, tri__clock_now() + SECOND));
        tri__contact_welcomed(&here.contact);
        close(fd);
        turn_until(&here, false, i + 1);
        assert_ok(here.failure);
        assert_false(here.contact.welcome);
        assert_true(here.contact.lost > 0);
    }
    assert_non_null(strstr(here.said, "the connection to ps:1 is lost; trying again"));
    end(&here);
}

/* What nobody understands would be said again. */
static void a_contact_that_spoke_nonsense_is_not_tried_again(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    int fd = connect_both(&here);
    static const uint8_t head[40] = {2};
    assert_int_equal(send(fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    turn_until(&here, false, 1);
    assert_fails(here.failure, TRI_BAD_DATA, "ps:1");
    here.failure = NULL;
    close(fd);
    end(&here);
}

/* It is told once that a server is waited for; after the timeout that is a failure, which says what was wrong with it. */
static void a_missing_server_is_awaited_until_the_deadline(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    int64_t start = here.contact.lost;
    int fd = connect_both(&here);
    close(fd);
    turn_until(&here, false, 1);
    assert_ok(tri__contact_check(&here.contact, start, start + SECOND));
    assert_string_equal(here.said, "");
    for (int i = 3; i < TIMEOUT; i++)
        assert_ok(tri__contact_check(&here.contact, start, start + i * SECOND));
    char *told = strstr(here.said, "waiting for ps:1 at 127.0.0.1:");
    assert_non_null(told);
    assert_null(strstr(told + 1, "waiting for ps:1"));
    assert_fails(tri__contact_check(&here.contact, start, start + (TIMEOUT + 1) * SECOND), TRI_TIMEOUT, "it hung up on our hello");
    end(&here);
}

/* A task that did not run for longer than the timeout has not tried to reach the server meanwhile. */
static void a_server_is_not_given_up_for_a_time_in_which_we_were_stopped(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    close(connect_both(&here));
    turn_until(&here, false, 1);
    int64_t woken = here.contact.lost + 3 * TIMEOUT * SECOND;
    for (int i = 0; i < TIMEOUT; i++)
        assert_ok(tri__contact_check(&here.contact, 0, woken + i * SECOND));
    assert_fails(tri__contact_check(&here.contact, 0, woken + (TIMEOUT + 1) * SECOND), TRI_TIMEOUT, "cannot be reached");
    end(&here);
}

/* From its welcome on a server is to be heard. Silence counts from when we began to listen, and ends with a word. */
static void a_silent_server_is_named_and_given_up_at_the_deadline(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    int fd = connect_both(&here);
    tri__contact_welcomed(&here.contact);
    int64_t heard = here.contact.heard;
    assert_ok(tri__contact_check(&here.contact, 0, heard + SECOND));
    assert_string_equal(here.said, "");
    assert_ok(tri__contact_check(&here.contact, 0, heard + 3 * SECOND));
    assert_non_null(strstr(here.said, "has been silent for 3.0 s; waiting for it"));
    assert_fails(tri__contact_check(&here.contact, 0, heard + (TIMEOUT + 1) * SECOND), TRI_TIMEOUT, "has been silent for 11 s");
    assert_ok(tri__contact_check(&here.contact, heard + 5 * SECOND, heard + (TIMEOUT + 1) * SECOND)); /* we were stopped ourselves */
    static const uint8_t head[40] = {1};
    assert_int_equal(send(fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    while (here.contact.heard == heard)
        tri__loop_turn(here.loop, tri__clock_now() + SECOND / 100);
    assert_ok(tri__contact_check(&here.contact, 0, here.contact.heard + SECOND));
    assert_non_null(strstr(here.said, "ps:1 is heard again"));
    close(fd);
    end(&here);
}

static void a_server_is_heard_only_from_its_welcome_on(void **state)
{
    (void)state;
    tri__contact contact = {0};
    assert_ok(tri__contact_expects(&contact, TRI_MSG_BEAT));
    assert_ok(tri__contact_expects(&contact, TRI_MSG_BYE));
    assert_ok(tri__contact_expects(&contact, TRI_MSG_REFUSED));
    assert_fails(tri__contact_expects(&contact, TRI_MSG_TOKEN), TRI_BAD_DATA, "a token before its welcome");
    assert_fails(tri__contact_expects(&contact, TRI_MSG_CHUNK), TRI_BAD_DATA, "a chunk before its welcome");
    assert_ok(tri__contact_expects(&contact, TRI_MSG_WELCOME));
    tri__contact_welcomed(&contact);
    assert_ok(tri__contact_expects(&contact, TRI_MSG_TOKEN));
    assert_fails(tri__contact_expects(&contact, TRI_MSG_WELCOME), TRI_BAD_DATA, "a second welcome");
}

/* A pause of this task is no silence of the server, and does not end one. */
static void pauses_are_left_out_of_silence(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    tri__contact_excuse(&here.contact, SECOND, 2 * SECOND);
    assert_int_equal(here.contact.heard, 0); /* it was never heard */
    int fd = connect_both(&here);
    tri__contact_welcomed(&here.contact);
    int64_t now = here.contact.heard;
    for (int i = 0; i < TIMEOUT; i++) {
        assert_ok(tri__contact_check(&here.contact, 0, now));
        now += 6 * SECOND; /* of which 5 are a pause */
        tri__contact_excuse(&here.contact, 5 * SECOND, now);
    }
    assert_fails(tri__contact_check(&here.contact, 0, now + 1), TRI_TIMEOUT, "has been silent for 10 s");
    tri__contact_heard(&here.contact);
    tri__contact_excuse(&here.contact, 5 * SECOND, here.contact.heard); /* it was heard after the pause */
    assert_true(here.contact.heard <= tri__clock_now());
    close(fd);
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_is_heard_only_from_its_welcome_on),
        cmocka_unit_test(a_connection_that_breaks_is_made_again),
        cmocka_unit_test(a_contact_that_spoke_nonsense_is_not_tried_again),
        cmocka_unit_test(a_missing_server_is_awaited_until_the_deadline),
        cmocka_unit_test(a_server_is_not_given_up_for_a_time_in_which_we_were_stopped),
        cmocka_unit_test(a_silent_server_is_named_and_given_up_at_the_deadline),
        cmocka_unit_test(pauses_are_left_out_of_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
