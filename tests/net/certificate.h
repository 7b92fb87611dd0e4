/* certificate.h: certificates as an organisation makes them, good ones and others. */
#ifndef TESTS_NET_CERTIFICATE_H
#define TESTS_NET_CERTIFICATE_H

#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>

#include "support.h"

enum { DAY = 24 * 3600 };

/* A certificate for a new key, valid from and until this many seconds from now, signed by issuer (NULL: by itself). */
typedef struct {
    X509 *certificate;
    EVP_PKEY *key;
} issued;

static inline issued issue(const char *name, long from, long until, bool authority, const issued *issuer)
{
    static long serial = 1000;
    issued made = {X509_new(), EVP_EC_gen("P-256")};
    X509_set_version(made.certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(made.certificate), from);
    X509_gmtime_adj(X509_getm_notAfter(made.certificate), until);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.certificate), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_pubkey(made.certificate, made.key);
    X509_EXTENSION *basic = X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
    X509_add_ext(made.certificate, basic, -1);
    X509_EXTENSION_free(basic);
    if (!issuer)
        issuer = &made;
    X509_set_issuer_name(made.certificate, X509_get_subject_name(issuer->certificate));
    assert_true(X509_sign(made.certificate, issuer->key, EVP_sha256()) > 0);
    return made;
}

static inline void free_issued(issued *made)
{
    X509_free(made->certificate);
    EVP_PKEY_free(made->key);
}

static inline void write_pem(const char *path, const X509 *certificate, const EVP_PKEY *key)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FILE *file = fdopen(fd, "w");
    if (certificate)
        PEM_write_X509(file, certificate);
    if (key)
        PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    fclose(file);
}

#endif
