/* security_test.c: who has to show an identity, and which options contradict each other. */
#include "train/cluster/security.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/stream/identity.h"
#include "support.h"

typedef struct {
    tri__log log; /* first */
    char said[512];
} listener;

static void keep(tri__log *log, tri__log_level level, const char *line)
{
    if (level == TRI_LOG_WARNING)
        snprintf(((listener *)log)->said, sizeof((listener *)log)->said, "%s", line);
}

static tri_status choose(const char *address, tri__security security, listener *to, tri__tls **out)
{
    tri__cluster cluster;
    char text[128];
    snprintf(text, sizeof text, "ps: [\"%s\"]\nworker: [somewhere]\n", address);
    *to = (listener){.log = {.write = keep}};
    assert_ok(tri__cluster_parse("c.yaml", text, strlen(text), &cluster));
    tri_status status = tri__security_open(&security, &cluster, &to->log, out);
    tri__cluster_fini(&cluster);
    return status;
}

static void beyond_loopback_an_identity_or_insecure_is_required(void **state)
{
    (void)state;
    listener heard;
    tri__tls *tls;
    assert_ok(choose("127.0.0.1:4000", (tri__security){0}, &heard, &tls));
    assert_null(tls);
    assert_string_equal(heard.said, "");
    assert_fails(choose("192.0.2.1:4000", (tri__security){0}, &heard, &tls), TRI_BAD_CALL, "trireme keygen FILE");
    assert_ok(choose("192.0.2.1:4000", (tri__security){.insecure = true}, &heard, &tls));
    assert_null(tls);
    assert_non_null(strstr(heard.said, "goes in clear"));
}

static void an_identity_is_accepted_on_loopback_and_beyond(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *key = test_path(folder, "key.pem");
    listener heard;
    tri__tls *tls = NULL;
    assert_ok(tri__identity_create(key, 30));
    assert_ok(choose("127.0.0.1:4000", (tri__security){.identity = {.identity = key}}, &heard, &tls));
    assert_non_null(tls);
    tri__tls_destroy(tls);
    assert_ok(choose("192.0.2.1:4000", (tri__security){.identity = {.identity = key}}, &heard, &tls));
    assert_non_null(tls);
    assert_string_equal(heard.said, "");
    tri__tls_destroy(tls);
    free(key);
    test_folder_remove(folder);
}

static void contradictory_security_options_are_refused(void **state)
{
    (void)state;
    listener heard;
    tri__tls *tls;
    assert_fails(choose("127.0.0.1:1", (tri__security){.identity = {.identity = "k", .cert = "c"}}, &heard, &tls), TRI_BAD_CALL,
                 "--key is a whole identity");
    assert_fails(choose("127.0.0.1:1", (tri__security){.identity = {.cert = "c", .key = "k"}}, &heard, &tls), TRI_BAD_CALL,
                 "--ca is missing");
    assert_fails(choose("127.0.0.1:1", (tri__security){.identity = {.authority = "c", .key = "k"}}, &heard, &tls), TRI_BAD_CALL,
                 "--cert is missing");
    assert_fails(choose("127.0.0.1:1", (tri__security){.identity = {.identity = "k"}, .insecure = true}, &heard, &tls), TRI_BAD_CALL,
                 "contradict");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_loopback_an_identity_or_insecure_is_required),
        cmocka_unit_test(an_identity_is_accepted_on_loopback_and_beyond),
        cmocka_unit_test(contradictory_security_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
