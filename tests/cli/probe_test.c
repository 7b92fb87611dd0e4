/* probe_test.c: trireme watch --probe measures a link whose other end answers. */
#include <stdlib.h>

#include "cli/binary_json.h"

/* Starts who answers, with these options; the script has its port as $port, and ends it. */
#define ANSWER(options)                                                                                                                    \
    "\"$0\" watch --answer " options " --json >port 2>said & until [ -s port ]; do kill -0 $! || exit 9; sleep 0.02; done\n"               \
    "port=$(sed 's/.*\"port\":\\([0-9]*\\).*/\\1/' port)\n"
#define ENDED "kill -INT $!; wait $!; echo answerer $?\n"

static void a_link_is_measured_in_both_directions(void **state)
{
    expect(SHELL(*state, ANSWER("") "\"$0\" watch --probe 127.0.0.1:$port --json >result || exit 1\n" ENDED), 0, "answerer 130", "");
    json_t *result = json_of(SHELL(*state, "cat result"));
    assert_true(number(result, "sent_mbit") > 0);
    assert_true(number(result, "received_mbit") > 0);
    assert_true(number(result, "least_round_trip_ms") > 0);
    assert_true(number(result, "round_trip_ms") >= number(result, "least_round_trip_ms"));
    json_decref(result);
}

static void only_who_shows_the_same_identity_is_answered(void **state)
{
    expect(SHELL(*state, "\"$0\" keygen a.pem && \"$0\" keygen b.pem"), 0, "", "");
    expect(SHELL(*state, ANSWER("--key a.pem") "\"$0\" watch --probe 127.0.0.1:$port --key a.pem || exit 1\n"
                                               "\"$0\" watch --probe 127.0.0.1:$port --key b.pem; echo stranger $?\n"
                                               "\"$0\" watch --probe 127.0.0.1:$port; echo clear $?\n" ENDED),
           0, "stranger 1\nclear 1\nanswerer 130", "");
}

static void bytes_that_are_no_probe_do_no_harm(void **state)
{
    expect(SHELL(*state, ANSWER("") "openssl s_client -connect 127.0.0.1:$port </dev/null >/dev/null 2>&1 && exit 2\n"
                                    "\"$0\" watch --probe 127.0.0.1:$port >/dev/null || exit 1\n" ENDED),
           0, "answerer 130", "");
}

static void wrong_calls_of_probes_are_refused(void **state)
{
    expect(RUN(*state, "watch", "--probe", "10.1.2.3:5"), 2, "", "beyond loopback: give both sides the cluster's identity");
    expect(RUN(*state, "watch", "--answer", "--bind", "0.0.0.0"), 2, "", "beyond loopback");
    expect(RUN(*state, "watch", "--key", "x"), 2, "", "go with --probe or --answer");
    expect(RUN(*state, "watch", "--probe", "localhost:1", "--answer"), 2, "", "one on each host");
    expect(RUN(*state, "watch", "--probe", "localhost:1", "--csv", "x"), 2, "", "--csv has no part in a probe");
    expect(RUN(*state, "watch", "--probe", "localhost:1", "--bind", "127.0.0.1"), 2, "", "--bind goes with --answer");
    expect(RUN(*state, "watch", "run", "--probe", "localhost:1"), 2, "", "not about a run");
    expect(RUN(*state, "watch", "--probe", "nowhere"), 2, "", "--probe");
    expect(RUN(*state, "watch", "--probe", "localhost:1"), 1, "", "nobody listens there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_link_is_measured_in_both_directions),
        FOLDER_TEST(only_who_shows_the_same_identity_is_answered),
        FOLDER_TEST(bytes_that_are_no_probe_do_no_harm),
        FOLDER_TEST(wrong_calls_of_probes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
