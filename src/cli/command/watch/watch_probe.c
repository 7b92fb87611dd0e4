/* watch_probe.c: trireme watch --probe and --answer. */
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/thread/clock.h"
#include "cli/command/watch/watch.h"
#include "cli/process/session.h"
#include "net/connection/probe.h"

#define TIMEOUT (10 * TRI_SECOND)

tri_status tri__watch_check_probe(const tri__arguments *arguments)
{
    static const char *const others[] = {"web", "token", "csv", "count"};
    const bool asks = tri__argument_given(arguments, "probe"), answers = tri__argument_given(arguments, "answer");
    if (!asks && !answers) {
        if (tri__argument_given(arguments, "key") || tri__argument_flag(arguments, "insecure"))
            return tri_fail(TRI_BAD_CALL, "--key and --insecure go with --probe or --answer");
        return NULL;
    }
    if (asks && answers)
        return tri_fail(TRI_BAD_CALL, "--probe asks and --answer answers: one on each host");
    if (arguments->count > 0)
        return tri_fail(TRI_BAD_CALL, "%s: a probe is about a link, not about a run", arguments->operands[0]);
    if (asks && tri__argument_given(arguments, "bind"))
        return tri_fail(TRI_BAD_CALL, "--bind goes with --answer and --web");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tri__argument_given(arguments, others[i]))
            return tri_fail(TRI_BAD_CALL, "--%s has no part in a probe", others[i]);
    return NULL;
}

/* *out is NULL where the traffic is not encrypted. */
static tri_status open_identity(const tri__arguments *arguments, const tri__address *address, tri__tls **out)
{
    const char *key = tri__argument_text(arguments, "key");
    const bool insecure = tri__argument_flag(arguments, "insecure");
    *out = NULL;
    if (key && insecure)
        return tri_fail(TRI_BAD_CALL, "--key and --insecure contradict each other");
    if (key)
        return tri__tls_create(&(tri__tls_options){.identity = key}, out);
    if (insecure || tri__address_is_loopback(address))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s is beyond loopback: give both sides the cluster's identity (--key FILE), or say --insecure",
                    address->host);
}

static tri_status print_result(tri__session *session, const char *to, const tri__probe_result *result)
{
    if (session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:f, s:f, s:f, s:f}", "host", to, "sent_mbit", result->sent * 8e-6,
                                                          "received_mbit", result->received * 8e-6, "round_trip_ms",
                                                          result->median_trip * 1e3, "least_round_trip_ms", result->least_trip * 1e3));
    fprintf(session->out,
            "to %-20s %10.1f Mbit/s\nfrom it                 %10.1f Mbit/s\nround trip              %10.3f ms, at least %.3f ms\n", to,
            result->sent * 8e-6, result->received * 8e-6, result->median_trip * 1e3, result->least_trip * 1e3);
    return NULL;
}

tri_status tri__watch_probe(tri__session *session, const tri__arguments *arguments, const volatile sig_atomic_t *stop)
{
    const char *to = tri__argument_text(arguments, "probe");
    tri__address address;
    tri__tls *tls = NULL;
    tri__probe_result result;
    TRI_TRY(tri_wrap(tri__address_parse(to, &address), "--probe"));
    tri_status status = open_identity(arguments, &address, &tls);
    if (!status)
        status =
            tri__probe_ask(&address, &(tri__probe_options){.tls = tls, .timeout = TIMEOUT, .duration = TRI_SECOND, .stop = stop}, &result);
    if (!status)
        status = print_result(session, to, &result);
    tri__tls_destroy(tls);
    tri__address_fini(&address);
    return status;
}

static tri_status tell_port(tri__session *session, const tri__address *address, uint16_t port)
{
    if (session->json)
        TRI_TRY(tri__session_print_json(session, json_pack("{s:s, s:i}", "address", address->host, "port", (int)port)));
    else
        fprintf(session->out, "answers probes on %s, port %u\n", address->host, (unsigned)port);
    fflush(session->out);
    return NULL;
}

tri_status tri__watch_answer(tri__session *session, const tri__arguments *arguments, const volatile sig_atomic_t *stop)
{
    tri__address address = {.host = strdup(tri__argument_text(arguments, "bind")),
                            .port = (uint16_t)tri__argument_integer(arguments, "answer")};
    tri__tls *tls = NULL;
    int fd;
    uint16_t port;
    tri_status status = address.host ? open_identity(arguments, &address, &tls) : tri_fail(TRI_NO_MEMORY, "no memory for an address");
    if (!status)
        status = tri__address_listen(&address, &fd, &port);
    if (!status)
        status = tell_port(session, &address, port);
    if (!status)
        status = tri__probe_answer(fd, &(tri__probe_options){.tls = tls, .timeout = TIMEOUT, .stop = stop});
    tri__tls_destroy(tls);
    tri__address_fini(&address);
    return status;
}
