/* tls_error.c: explains OpenSSL's failures in words that people who start clusters understand. */
#include "net/stream/tls_error.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <string.h>

typedef struct {
    int reason;
    const char *message;
} translation;

#define REFUSED "refused our certificate (all tasks need the same --key, or certificates of one authority)"

static const translation handshake_reasons[] = {
    {SSL_R_WRONG_VERSION_NUMBER, "speaks no TLS (is it started with --insecure?)"},
    {SSL_R_HTTP_REQUEST, "speaks no TLS (is it a browser?)"},
    {SSL_R_HTTPS_PROXY_REQUEST, "speaks no TLS (is it a browser?)"},
    {SSL_R_UNSUPPORTED_PROTOCOL, "speaks no TLS 1.3"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "speaks no TLS 1.3"},
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "shows no certificate (all tasks need --key)"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "wants a certificate, and we have none (give --key)"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "says that our certificate has expired (or is its clock wrong?)"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, REFUSED},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, REFUSED},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, REFUSED},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, REFUSED},
    {SSL_R_TLSV1_ALERT_ACCESS_DENIED, REFUSED},
    {SSL_R_TLSV1_ALERT_DECRYPT_ERROR, REFUSED},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, "found nothing in common with us (another kind of key, or no cipher of TLS 1.3)"},
};

static const translation verify_reasons[] = {
    {X509_V_ERR_CERT_REJECTED, "shows another certificate than ours (all tasks need the same --key)"},
    {X509_V_ERR_CERT_HAS_EXPIRED, "shows a certificate that has expired (make a new one, or is a clock wrong?)"},
    {X509_V_ERR_CERT_NOT_YET_VALID, "shows a certificate that is not valid yet (is a clock wrong?)"},
    {X509_V_ERR_INVALID_PURPOSE, "shows a certificate that is not meant for both serving and asking (extended key usage)"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, "shows a certificate that our authority (--ca) has not signed"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, "shows a certificate that our authority (--ca) has not signed"},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, "shows a certificate that our authority (--ca) has not signed"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "shows a certificate that our authority (--ca) has not signed"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, "shows a certificate that our authority (--ca) has not signed"},
};

static const char *find(const translation *table, size_t count, int reason)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].reason == reason)
            return table[i].message;
    return NULL;
}

#define FIND(table, reason) find(table, sizeof(table) / sizeof *(table), reason)

tri_status tri__tls_failure(const SSL *ssl)
{
    int system_error = errno;
    long verified = SSL_get_verify_result(ssl);
    unsigned long error = ERR_peek_error();
    int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
    const char *message = NULL;
    if (verified != X509_V_OK) {
        message = FIND(verify_reasons, (int)verified);
        if (!message)
            message = X509_verify_cert_error_string(verified);
        ERR_clear_error();
        return tri_fail(TRI_BAD_DATA, "%s", message);
    }
    message = FIND(handshake_reasons, reason);
    tri_status status = NULL;
    if (message)
        status = tri_fail(TRI_BAD_DATA, "%s", message);
    else if (!SSL_is_init_finished(ssl) && (error == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING))
        status = tri_fail(TRI_IO, "went away during the handshake (is it started with the same --key? with --insecure?)");
    else if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        status = tri_fail(TRI_IO, "went away without a word (was it killed?)");
    else if (error == 0)
        status = tri_fail(system_error == ETIMEDOUT ? TRI_TIMEOUT : TRI_IO, "the connection was cut: %s",
                          system_error ? strerror(system_error) : "end of data");
    else
        status = tri_fail(TRI_BAD_DATA, "breaks the rules of TLS: %s", ERR_reason_error_string(error));
    ERR_clear_error();
    return status;
}

tri_status tri__tls_trouble(tri_code code, const char *doing)
{
    const char *reason = ERR_reason_error_string(ERR_peek_error());
    tri_status status = tri_fail(code, "%s: %s", doing, reason ? reason : "not as it should be");
    ERR_clear_error();
    return status;
}
