/* tls_test.c: TLS between two ends: which peers are admitted, which are refused and why, and that a recorded session is refused. */
#include "net/fixture.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include "net/certificate.h"
#include "net/stream/identity.h"
#include "net/stream/tls.h"

static tri__tls *tls_of(const char *path)
{
    tri__tls *tls = NULL;
    assert_ok(tri__tls_create(&(tri__tls_options){.identity = path}, &tls));
    return tls;
}

typedef struct {
    char *folder, *ours, *other; /* two identities */
} identities;

static identities make_identities(void)
{
    identities ids = {.folder = test_folder_create()};
    ids.ours = test_path(ids.folder, "ours.pem");
    ids.other = test_path(ids.folder, "other.pem");
    assert_ok(tri__identity_create(ids.ours, 30));
    assert_ok(tri__identity_create(ids.other, 30));
    return ids;
}

static void free_identities(identities *ids)
{
    test_folder_remove(ids->folder);
    free(ids->ours);
    free(ids->other);
}

static void fini(fixture *f)
{
    fixture_fini(f);
    if (f->client_tls != f->server_tls)
        tri__tls_destroy(f->client_tls);
    tri__tls_destroy(f->server_tls);
}

static void the_same_identity_is_admitted_and_frames_go_both_ways(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours), .client_tls = tls_of(ids.ours)};
    fixture_exchange(&f, 120);
    fini(&f);
    free_identities(&ids);
}

/* Nothing but an end at the server, whatever the client saw. */
static void assert_refused(fixture *f, const char *server_says, const char *client_says)
{
    static const uint8_t body[100];
    fixture_listen(f, 4);
    fixture_connect(f);
    tri__connection_send(f->client.connection, &(tri__frame){1, sizeof body, {0}}, body, false);
    fixture_until(f, f->client.closed && f->accepted == 1 && f->ends[0].closed);
    assert_false(f->ends[0].opened);
    assert_int_equal(f->ends[0].begun, 0);
    assert_fails(f->ends[0].why, TRI_BAD_DATA, server_says);
    assert_fails(f->client.why, TRI_BAD_DATA, client_says);
    f->ends[0].why = f->client.why = NULL;
    fini(f);
}

static void a_peer_with_another_identity_is_refused(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours), .client_tls = tls_of(ids.other)};
    assert_refused(&f, "refused our certificate", "shows another certificate than ours"); /* the client looks first */
    free_identities(&ids);
}

static void an_expired_identity_is_refused_by_name(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    char *path = test_path(folder, "old.pem");
    tri__tls *tls = NULL;
    issued old = issue("old", -2 * DAY, -DAY, false, NULL);
    write_pem(path, old.certificate, old.key);
    assert_fails(tri__tls_create(&(tri__tls_options){.identity = path}, &tls), TRI_BAD_DATA, "expired on");
    issued early = issue("early", DAY, 2 * DAY, false, NULL);
    write_pem(path, early.certificate, early.key);
    assert_fails(tri__tls_create(&(tri__tls_options){.identity = path}, &tls), TRI_BAD_DATA, "valid only from");
    free_issued(&old);
    free_issued(&early);
    free(path);
    test_folder_remove(folder);
}

/* Writes a certificate to the files of options. It is valid when it is loaded, and no longer when this returns. On a busy machine it may
 * expire before it is loaded; then the next one lives longer. */
static tri__tls *load_and_outlive(const tri__tls_options *options, const issued *authority)
{
    tri__tls *tls = NULL;
    for (long seconds = 1; !tls; seconds *= 2) {
        issued brief = issue("brief", -DAY, seconds, false, authority);
        if (options->identity) {
            write_pem(options->identity, brief.certificate, brief.key);
        } else {
            write_pem(options->cert, brief.certificate, NULL);
            write_pem(options->key, NULL, brief.key);
        }
        tri_status failure = tri__tls_create(options, &tls);
        if (failure)
            assert_fails(failure, TRI_BAD_DATA, "expired on");
        while (X509_cmp_current_time(X509_get0_notAfter(brief.certificate)) > 0)
            usleep(20000);
        free_issued(&brief);
    }
    return tls;
}

static void an_identity_that_expires_meanwhile_is_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    char *path = test_path(folder, "short.pem");
    tri__tls *tls = load_and_outlive(&(tri__tls_options){.identity = path}, NULL);
    fixture f = {.server_tls = tls, .client_tls = tls};
    assert_refused(&f, "certificate has expired", "has expired");
    free(path);
    test_folder_remove(folder);
}

static void certificates_of_an_authority_are_admitted_and_others_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    issued authority = issue("authority", -DAY, DAY, true, NULL), stranger = issue("stranger", -DAY, DAY, true, NULL);
    issued one = issue("one", -DAY, DAY, false, &authority), two = issue("two", -DAY, DAY, false, &authority);
    issued bad = issue("bad", -DAY, DAY, false, &stranger), old = issue("old", -2 * DAY, -DAY, false, &authority);
    const issued *all[] = {&authority, &stranger, &one, &two, &bad, &old};
    static const char *const names[] = {"authority", "stranger", "one", "two", "bad", "old"};
    tri__tls_options options[6];
    char *paths[6][2];
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.crt", names[i]);
        paths[i][0] = test_path(folder, name);
        snprintf(name, sizeof name, "%s.key", names[i]);
        paths[i][1] = test_path(folder, name);
        write_pem(paths[i][0], all[i]->certificate, NULL);
        write_pem(paths[i][1], NULL, all[i]->key);
        options[i] = (tri__tls_options){.cert = paths[i][0], .key = paths[i][1], .authority = paths[i == 4][0]};
    }
    fixture f = {0};
    assert_ok(tri__tls_create(&options[2], &f.server_tls));
    assert_ok(tri__tls_create(&options[3], &f.client_tls));
    fixture_exchange(&f, 20);
    fini(&f);

    f = (fixture){0};
    assert_ok(tri__tls_create(&options[2], &f.server_tls));
    assert_ok(tri__tls_create(&options[4], &f.client_tls));
    assert_refused(&f, "refused our certificate", "our authority (--ca) has not signed");

    f = (fixture){0};
    assert_ok(tri__tls_create(&options[2], &f.server_tls));
    f.client_tls = load_and_outlive(&options[5], &authority);
    assert_refused(&f, "shows a certificate that has expired", "says that our certificate has expired");

    tri__tls *tls = NULL;
    options[2].key = paths[3][1];
    assert_fails(tri__tls_create(&options[2], &tls), TRI_BAD_DATA, "does not belong to the certificate");
    options[2].key = paths[2][1];
    options[2].authority = paths[1][0];
    assert_fails(tri__tls_create(&options[2], &tls), TRI_BAD_DATA, "was not signed by the authority");
    options[2].authority = paths[0][1];
    assert_fails(tri__tls_create(&options[2], &tls), TRI_BAD_DATA, "holds no certificate");
    options[2].authority = NULL;
    assert_fails(tri__tls_create(&options[2], &tls), TRI_BAD_CALL, "--ca");
    for (int i = 0; i < 6; i++) {
        free(paths[i][0]);
        free(paths[i][1]);
        X509_free(all[i]->certificate);
        EVP_PKEY_free(all[i]->key);
    }
    test_folder_remove(folder);
}

static void a_tls_server_refuses_bytes_that_are_not_tls(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours)};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    static const char bytes[100] = "\1\0\0\0\1\0\0\0 and so on";
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_false(f.ends[0].opened);
    assert_fails(f.ends[0].why, TRI_BAD_DATA, "speaks no TLS (is it started with --insecure?)");
    f.ends[0].why = NULL;
    close(fd);
    fini(&f);
    free_identities(&ids);
}

static void a_tls_server_refuses_a_client_in_clear(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours)};
    fixture_listen(&f, 4);
    fixture_connect(&f);
    tri__connection_send(f.client.connection, &(tri__frame){1, 0, {0}}, NULL, false);
    fixture_until(&f, f.client.closed && f.accepted == 1 && f.ends[0].closed);
    assert_false(f.ends[0].opened);
    assert_int_equal(f.client.frames, 0);
    fini(&f);
    free_identities(&ids);
}

/* OpenSSL's own client, which believes every server, on a bare socket beside the loop.
 * It shows an identity, or nothing where that is NULL. */
static void assert_server_refuses(const identities *ids, const char *shown, const char *server_says)
{
    fixture f = {.server_tls = tls_of(ids->ours)};
    fixture_listen(&f, 4);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (shown) {
        assert_int_equal(SSL_CTX_use_certificate_file(context, shown, SSL_FILETYPE_PEM), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey_file(context, shown, SSL_FILETYPE_PEM), 1);
    }
    SSL *ssl = SSL_new(context);
    int fd = fixture_connect_bare(&f);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    SSL_set_fd(ssl, fd);
    int result = 0;
    while ((result = SSL_connect(ssl)) != 1 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ)
        tri__loop_turn(f.loop, tri__clock_now() + 1000000);
    static const uint8_t bytes[TRI_HEAD_SIZE];
    SSL_write(ssl, bytes, sizeof bytes); /* a frame, sent before the server's verdict */
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_false(f.ends[0].opened);
    assert_int_equal(f.ends[0].frames, 0);
    assert_fails(f.ends[0].why, TRI_BAD_DATA, server_says);
    f.ends[0].why = NULL;
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    fini(&f);
}

static void a_tls_server_refuses_a_client_that_checks_nothing(void **state)
{
    (void)state;
    identities ids = make_identities();
    assert_server_refuses(&ids, NULL, "shows no certificate");
    assert_server_refuses(&ids, ids.other, "shows another certificate than ours (all tasks need the same --key)");
    free_identities(&ids);
}

/* Move what has come from one socket to another, and keep a copy. */
static void relay(int from, int to, uint8_t *copy, size_t *size)
{
    uint8_t bytes[65536];
    ssize_t got = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0)
        return;
    assert_int_equal(send(to, bytes, (size_t)got, 0), got);
    memcpy(copy + *size, bytes, (size_t)got);
    *size += (size_t)got;
}

static void replaying_a_recorded_tls_session_is_refused(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours), .client_tls = tls_of(ids.ours)};
    fixture_listen(&f, 4);
    uint16_t server = f.port, middle = 0;
    int listener = -1;
    assert_ok(tri__address_listen(&(tri__address){(char *)(uintptr_t) "127.0.0.1", 0}, &listener, &middle));
    f.port = middle;
    fixture_connect(&f);
    f.port = server;
    int left = -1, right = fixture_connect_bare(&f);
    while ((left = accept(listener, NULL, NULL)) < 0)
        tri__loop_turn(f.loop, tri__clock_now() + 1000000);
    static uint8_t up[1 << 20], down[1 << 20];
    size_t up_size = 0, down_size = 0;
    tri__connection_send(f.client.connection, &(tri__frame){1, 0, {42}}, NULL, false);
    while (f.accepted == 0 || f.ends[0].frames == 0) {
        tri__loop_turn(f.loop, tri__clock_now() + 1000000);
        relay(left, right, up, &up_size);
        relay(right, left, down, &down_size);
    }
    assert_int_equal(f.ends[0].last.word[0], 42);
    int again = fixture_connect_bare(&f);
    assert_int_equal(send(again, up, up_size, 0), up_size);
    fixture_until(&f, f.accepted == 2 && f.ends[1].closed);
    assert_false(f.ends[1].opened);
    assert_int_equal(f.ends[1].frames, 0);
    assert_false(f.ends[0].closed);
    assert_non_null(f.ends[1].why);
    /* the same into the session that is open: its sequence numbers have moved on */
    assert_int_equal(send(right, up, up_size, 0), up_size);
    fixture_until(&f, f.ends[0].closed);
    assert_int_equal(f.ends[0].frames, 1);
    assert_non_null(f.ends[0].why);
    close(again);
    close(left);
    close(right);
    close(listener);
    fini(&f);
    free_identities(&ids);
}

static void silent_strangers_do_not_keep_real_peers_out(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours), .client_tls = tls_of(ids.ours)};
    fixture_listen(&f, 3);
    fixture_connect(&f);
    fixture_until(&f, f.client.opened && f.accepted == 1 && f.ends[0].opened);
    int strangers[8];
    for (int i = 0; i < 8; i++)
        strangers[i] = fixture_connect_bare(&f);
    fixture_until(&f, f.accepted == 9);
    fixture_end member = f.client; /* a second real peer comes while two strangers are connected, and no more connections are allowed */
    tri__connection_set_context(member.connection, &member);
    f.client = (fixture_end){0};
    fixture_connect(&f);
    fixture_until(&f, f.client.opened && f.accepted == 10 && f.ends[9].opened);
    assert_false(member.closed);
    assert_false(f.ends[0].closed);
    int standing = 0;
    for (int i = 0; i < f.accepted; i++)
        standing += !f.ends[i].closed;
    assert_true(standing <= 3);
    for (int i = 0; i < 8; i++)
        close(strangers[i]);
    fixture_end_fini(&f, &member);
    fini(&f);
    free_identities(&ids);
}

static void a_tls_handshake_has_a_deadline(void **state)
{
    (void)state;
    identities ids = make_identities();
    fixture f = {.server_tls = tls_of(ids.ours), .timeout = 50 * 1000000};
    fixture_listen(&f, 4);
    int fd = fixture_connect_bare(&f);
    assert_int_equal(write(fd, "\x16\x03\x01", 3), 3); /* as TLS begins */
    fixture_until(&f, f.accepted == 1 && f.ends[0].closed);
    assert_fails(f.ends[0].why, TRI_TIMEOUT, "handshake");
    f.ends[0].why = NULL;
    close(fd);
    fini(&f);
    free_identities(&ids);
}

static void identities_are_secret_and_not_replaced(void **state)
{
    (void)state;
    identities ids = make_identities();
    struct stat about;
    assert_int_equal(stat(ids.ours, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    char *before = test_read(ids.ours, NULL), *other = test_read(ids.other, NULL);
    assert_string_not_equal(before, other);
    assert_fails(tri__identity_create(ids.ours, 30), TRI_BAD_CALL, "already there");
    char *after = test_read(ids.ours, NULL);
    assert_string_equal(before, after);
    assert_int_equal(chmod(ids.ours, 0640), 0);
    tri__tls *tls = NULL;
    assert_fails(tri__tls_create(&(tri__tls_options){.identity = ids.ours}, &tls), TRI_BAD_CALL, "chmod 600");
    assert_fails(tri__tls_create(&(tri__tls_options){.identity = "/no/such/file"}, &tls), TRI_NOT_FOUND, "/no/such/file");
    write_pem(ids.other, NULL, NULL);
    assert_fails(tri__tls_create(&(tri__tls_options){.identity = ids.other}, &tls), TRI_BAD_DATA, "holds no private key");
    assert_fails(tri__identity_create(ids.ours, 0), TRI_BAD_CALL, "days");
    free(before);
    free(after);
    free(other);
    free_identities(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_identity_is_admitted_and_frames_go_both_ways),
        cmocka_unit_test(a_peer_with_another_identity_is_refused),
        cmocka_unit_test(an_expired_identity_is_refused_by_name),
        cmocka_unit_test(an_identity_that_expires_meanwhile_is_refused),
        cmocka_unit_test(certificates_of_an_authority_are_admitted_and_others_refused),
        cmocka_unit_test(a_tls_server_refuses_bytes_that_are_not_tls),
        cmocka_unit_test(a_tls_server_refuses_a_client_in_clear),
        cmocka_unit_test(a_tls_server_refuses_a_client_that_checks_nothing),
        cmocka_unit_test(replaying_a_recorded_tls_session_is_refused),
        cmocka_unit_test(silent_strangers_do_not_keep_real_peers_out),
        cmocka_unit_test(a_tls_handshake_has_a_deadline),
        cmocka_unit_test(identities_are_secret_and_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
