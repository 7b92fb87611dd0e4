/* security.c: beyond loopback, every task authenticates itself, unless the user gave --insecure. */
#include "train/cluster/security.h"

#include <stddef.h>

static tri_status check(const tri__security *security, bool *identity)
{
    const tri__tls_options *given = &security->identity;
    int parts = (given->cert != NULL) + (given->key != NULL) + (given->authority != NULL);
    *identity = given->identity || parts;
    if (given->identity && parts)
        return tri_fail(TRI_BAD_CALL, "--key is a whole identity: give either --key, or --cert, --cert-key and --ca");
    if (parts == 1 || parts == 2)
        return tri_fail(TRI_BAD_CALL, "--cert, --cert-key and --ca go together, and %s is missing",
                        !given->cert  ? "--cert"
                        : !given->key ? "--cert-key"
                                      : "--ca");
    if (*identity && security->insecure)
        return tri_fail(TRI_BAD_CALL, "--insecure and an identity (%s) contradict each other: leave one out", parts ? "--cert" : "--key");
    return NULL;
}

tri_status tri__security_check(const tri__security *security)
{
    bool identity = false;
    tri__tls *tls = NULL;
    TRI_TRY(check(security, &identity));
    if (identity)
        TRI_TRY(tri__tls_create(&security->identity, &tls));
    tri__tls_destroy(tls);
    return NULL;
}

tri_status tri__security_open(const tri__security *security, const tri__cluster *cluster, tri__log *log, tri__tls **out)
{
    bool identity = false;
    *out = NULL;
    TRI_TRY(check(security, &identity));
    if (identity)
        return tri__tls_create(&security->identity, out);
    if (tri__cluster_is_loopback(cluster))
        return NULL;
    if (!security->insecure)
        return tri_fail(TRI_BAD_CALL,
                        "this cluster reaches beyond this machine, and nothing says which tasks may take part: make an identity with "
                        "'trireme keygen FILE', copy it to every host and give --key FILE to every task (--insecure, in a "
                        "network where everybody is trusted, does without)");
    tri__log_line(log, TRI_LOG_WARNING, "--insecure: traffic goes in clear, and whoever reaches a server's port can take part");
    return NULL;
}
