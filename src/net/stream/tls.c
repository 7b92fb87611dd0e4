/* tls.c: sets up OpenSSL: TLS 1.3 only, both sides show a certificate, no session can be resumed.
 *
 * With an identity a peer is admitted when it shows our own certificate and proves, as TLS demands, that it has the key. Chains, names and
 * authorities play no part then, so OpenSSL's verification is replaced by a comparison. With an organisation's certificates OpenSSL
 * verifies the chain up to the authority. */
#include "net/stream/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "net/stream/tls_context.h"
#include "net/stream/tls_error.h"
#include "net/stream/tls_stream.h"

enum { LARGEST_FILE = 1 << 20, READ_BUFFER = 64 << 10 };

/* What PEM files contain. */
typedef struct {
    STACK_OF(X509) * certificates; /* ours first, then those between ours and the authority's */
    EVP_PKEY *key;
} papers;

static void free_papers(papers *p)
{
    sk_X509_pop_free(p->certificates, X509_free);
    EVP_PKEY_free(p->key);
    *p = (papers){0};
}

static tri_status open_pem(const char *path, BIO **out)
{
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    TRI_TRY(tri__file_read(path, LARGEST_FILE, &text, &size));
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio && BIO_write(bio, text, (int)size) != (int)size) {
        BIO_free(bio);
        bio = NULL;
    }
    OPENSSL_cleanse(text, size);
    free(text);
    *out = bio;
    return bio ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %s", path);
}

static tri_status read_certificates(const char *path, STACK_OF(X509) * *out)
{
    BIO *bio = NULL;
    *out = NULL;
    TRI_TRY(open_pem(path, &bio));
    STACK_OF(X509) *list = sk_X509_new_null();
    X509 *one = NULL;
    while (list && (one = PEM_read_bio_X509(bio, NULL, NULL, NULL)))
        if (!sk_X509_push(list, one))
            X509_free(one);
    BIO_free(bio);
    ERR_clear_error(); /* there is always an error: no more certificates */
    *out = list;
    if (sk_X509_num(list) > 0)
        return NULL;
    sk_X509_free(list);
    *out = NULL;
    return tri_fail(TRI_BAD_DATA, "%s: holds no certificate (a PEM file with BEGIN CERTIFICATE is wanted)", path);
}

/* Without this, OpenSSL would ask for a passphrase on the terminal. */
static int no_passphrase(char *buffer, int size, int writes, void *context)
{
    (void)buffer, (void)size, (void)writes, (void)context;
    return -1;
}

/* Refuses a key file that other users can read. */
static tri_status check_mode(const char *path)
{
    struct stat about;
    if (stat(path, &about))
        return tri_fail(errno == ENOENT ? TRI_NOT_FOUND : TRI_IO, "%s: cannot read: %s", path, strerror(errno));
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        return tri_fail(TRI_BAD_CALL, "%s: others may read this key (chmod 600 %s)", path, path);
    return NULL;
}

static tri_status read_key(const char *path, EVP_PKEY **out)
{
    BIO *bio = NULL;
    *out = NULL;
    TRI_TRY(check_mode(path));
    TRI_TRY(open_pem(path, &bio));
    *out = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    bool is_locked = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_BAD_PASSWORD_READ;
    ERR_clear_error();
    if (*out)
        return NULL;
    return tri_fail(TRI_BAD_DATA,
                    is_locked ? "%s: the key is protected by a passphrase (write one without: openssl pkey)"
                              : "%s: holds no private key (a PEM file with BEGIN PRIVATE KEY is wanted)",
                    path);
}

static tri_status check_validity(const char *path, const X509 *certificate)
{
    char when[64] = "";
    BIO *bio = BIO_new(BIO_s_mem());
    bool expired = X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0;
    bool early = X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0;
    if (bio && ASN1_TIME_print(bio, expired ? X509_get0_notAfter(certificate) : X509_get0_notBefore(certificate)))
        BIO_read(bio, when, sizeof when - 1);
    BIO_free(bio);
    if (expired)
        return tri_fail(TRI_BAD_DATA, "%s: the certificate expired on %s (make a new one: trireme keygen)", path, when);
    if (early)
        return tri_fail(TRI_BAD_DATA, "%s: the certificate is valid only from %s on (is the clock right?)", path, when);
    return NULL;
}

static tri_status read_papers(const char *certificate_path, const char *key_path, papers *out)
{
    *out = (papers){0};
    tri_status status = read_key(key_path, &out->key);
    if (!status)
        status = read_certificates(certificate_path, &out->certificates);
    if (!status)
        status = check_validity(certificate_path, sk_X509_value(out->certificates, 0));
    if (!status && X509_check_private_key(sk_X509_value(out->certificates, 0), out->key) != 1) {
        ERR_clear_error();
        status = tri_fail(TRI_BAD_DATA, "%s: this key does not belong to the certificate in %s", key_path, certificate_path);
    }
    if (status)
        free_papers(out);
    return status;
}

static bool fingerprint(const X509 *certificate, unsigned char out[TRI_FINGERPRINT])
{
    unsigned int size = 0;
    return X509_digest(certificate, EVP_sha256(), out, &size) == 1 && size == TRI_FINGERPRINT;
}

/* Replaces OpenSSL's verification: is it our own certificate, and valid today? */
static int verify_pinned(X509_STORE_CTX *verification, void *context)
{
    const tri__tls *tls = context;
    const X509 *certificate = X509_STORE_CTX_get0_cert(verification);
    unsigned char shown[TRI_FINGERPRINT];
    int error = X509_V_OK;
    if (!certificate || !fingerprint(certificate, shown) || CRYPTO_memcmp(shown, tls->own, sizeof shown) != 0)
        error = X509_V_ERR_CERT_REJECTED;
    else if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
        error = X509_V_ERR_CERT_HAS_EXPIRED;
    else if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
        error = X509_V_ERR_CERT_NOT_YET_VALID;
    X509_STORE_CTX_set_error(verification, error);
    return error == X509_V_OK;
}

/* Give OpenSSL what we show to peers: our certificate, its key, and the certificates between it and the authority's. */
static tri_status show(SSL_CTX *context, const papers *p)
{
    bool fine = SSL_CTX_use_certificate(context, sk_X509_value(p->certificates, 0)) == 1 && SSL_CTX_use_PrivateKey(context, p->key) == 1;
    for (int i = 1; i < sk_X509_num(p->certificates) && fine; i++)
        fine = SSL_CTX_add1_chain_cert(context, sk_X509_value(p->certificates, i)) == 1;
    return fine ? NULL : tri__tls_trouble(TRI_BAD_DATA, "the certificate cannot be used");
}

/* Trust certificates that the authority signed. Check that ours is one of them, so that the mistake shows here and not at every peer. */
static tri_status trust(SSL_CTX *context, const papers *p, const tri__tls_options *options)
{
    STACK_OF(X509) *authorities = NULL;
    TRI_TRY(read_certificates(options->authority, &authorities));
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    X509_STORE_CTX *verification = X509_STORE_CTX_new();
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN); /* the authority's certificate may be signed by one that is not given */
    bool fine = verification != NULL;
    for (int i = 0; i < sk_X509_num(authorities) && fine; i++)
        fine = X509_STORE_add_cert(store, sk_X509_value(authorities, i)) == 1;
    tri_status status = NULL;
    if (!fine || X509_STORE_CTX_init(verification, store, sk_X509_value(p->certificates, 0), p->certificates) != 1)
        status = tri__tls_trouble(TRI_BAD_DATA, options->authority);
    else if (X509_verify_cert(verification) != 1)
        status = tri_fail(TRI_BAD_DATA, "%s: was not signed by the authority in %s: %s", options->cert, options->authority,
                          X509_verify_cert_error_string(X509_STORE_CTX_get_error(verification)));
    ERR_clear_error();
    X509_STORE_CTX_free(verification);
    sk_X509_pop_free(authorities, X509_free);
    return status;
}

/* Settings that do not depend on the certificate. */
static bool set_up(SSL_CTX *context)
{
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, READ_BUFFER); /* several records with one system call */
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 && SSL_CTX_set_num_tickets(context, 0) == 1 &&
           SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1;
}

static tri_status prepare(tri__tls *tls, const tri__tls_options *options, const papers *p)
{
    tls->pinned = options->identity != NULL;
    tls->socket = tri__tls_socket_method();
    tls->context = SSL_CTX_new(TLS_method());
    if (!tls->socket || !tls->context || !set_up(tls->context) || !fingerprint(sk_X509_value(p->certificates, 0), tls->own))
        return tri__tls_trouble(TRI_INTERNAL, "TLS cannot be set up");
    TRI_TRY(show(tls->context, p));
    if (!tls->pinned)
        return trust(tls->context, p, options);
    SSL_CTX_set_cert_verify_callback(tls->context, verify_pinned, tls);
    return NULL;
}

tri_status tri__tls_create(const tri__tls_options *options, tri__tls **out)
{
    *out = NULL;
    if (!options->identity && !(options->cert && options->key && options->authority))
        return tri_fail(TRI_BAD_CALL, "an identity (--key), or all of --cert, --cert-key and --ca are needed");
    papers p;
    TRI_TRY(read_papers(options->identity ? options->identity : options->cert, options->identity ? options->identity : options->key, &p));
    tri__tls *tls = NULL;
    tri_status status = tri__allocate(1, sizeof *tls, "TLS", &tls);
    if (!status)
        status = prepare(tls, options, &p);
    free_papers(&p);
    if (status)
        tri__tls_destroy(tls);
    else
        *out = tls;
    return status;
}

void tri__tls_destroy(tri__tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->socket);
    free(tls);
}
