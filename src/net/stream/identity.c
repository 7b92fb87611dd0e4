/* identity.c: a new cluster identity: a key on P-256 and a certificate that it signed itself. */
#include "net/stream/identity.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/file/file.h"
#include "net/stream/tls_error.h"

enum { HOUR = 3600, SERIAL_BYTES = 16, MOST_DAYS = 36500 };

/* A random positive number, as serial numbers have to be positive. */
static bool set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool fine = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return fine;
}

/* The certificate is valid from an hour ago on, because the clocks of machines differ. */
static bool fill(X509 *certificate, EVP_PKEY *key, int days)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -HOUR) && X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, NULL) &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"trireme cluster", -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

tri_status tri__identity_create(const char *path, int days)
{
    if (days < 1 || days > MOST_DAYS)
        return tri_fail(TRI_BAD_CALL, "an identity is valid for 1 to %d days, not %d", MOST_DAYS, days);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    BIO *text = BIO_new(BIO_s_secmem());
    tri_status status = NULL;
    if (!key || !certificate || !text || !fill(certificate, key, days) || PEM_write_bio_X509(text, certificate) != 1 ||
        PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL) != 1) {
        status = tri__tls_trouble(TRI_INTERNAL, "cannot make an identity");
    } else {
        char *data = NULL;
        long size = BIO_get_mem_data(text, &data);
        status = tri__file_create_secret(path, data, (size_t)size);
    }
    BIO_free(text); /* this also wipes the memory */
    X509_free(certificate);
    EVP_PKEY_free(key);
    return status;
}
