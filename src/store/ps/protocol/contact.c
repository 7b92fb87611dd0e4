/* contact.c: tries again, and gives up after the timeout. */
#include "store/ps/protocol/contact.h"

#include <stdio.h>

#include "base/text/task.h"
#include "base/thread/clock.h"

#define RETRY INT64_C(50000000) /* between two attempts to connect */

void tri__contact_init(tri__contact *contact, int server, const tri__address *address, const tri__ps_settings *settings, tri__log *log)
{
    int64_t now = tri__clock_now();
    *contact = (tri__contact){.server = server, .address = address, .settings = settings, .log = log, .lost = now, .checked = now};
}

bool tri__contact_is_due(const tri__contact *contact, int64_t now)
{
    return !contact->connection && now >= contact->attempt;
}

void tri__contact_open(tri__contact *contact, tri__loop *loop, const tri__connection_handlers *handlers, void *context, tri__tls *tls)
{
    const tri__connection_options options = {
        .handlers = handlers, .context = context, .tls = tls, .timeout = 2 * contact->settings->timeout};
    contact->attempt = tri__clock_now() + RETRY;
    tri_status status = tri__connection_open(loop, contact->address, &options, &contact->connection);
    const tri__task process = {TRI_ROLE_SERVER, tri__ps_process(contact->settings, contact->server, contact->second)};
    char name[TRI_TASK_SIZE];
    if (status)
        snprintf(contact->why, sizeof contact->why, "%s", tri_status_message(status));
    else
        tri__connection_name_peer(contact->connection, tri__task_name(process, name));
    tri_status_free(status); /* the owner tries again, until the timeout */
}

tri_status tri__contact_expects(const tri__contact *contact, tri__message_type type)
{
    bool any_time = type == TRI_MSG_BEAT || type == TRI_MSG_REFUSED || type == TRI_MSG_BYE;
    if (type == TRI_MSG_WELCOME && contact->welcome)
        return tri_fail(TRI_BAD_DATA, "a second welcome");
    if (type != TRI_MSG_WELCOME && !any_time && !contact->welcome)
        return tri_fail(TRI_BAD_DATA, "a %s before its welcome", tri__message_name(type));
    return NULL;
}

void tri__contact_welcomed(tri__contact *contact)
{
    if (contact->told)
        tri__log_line(contact->log, TRI_LOG_INFO, "ps:%d is there", contact->server);
    contact->welcome = true;
    contact->told = contact->named = false;
    contact->lost = 0;
    contact->why[0] = 0;
    tri__contact_heard(contact);
}

void tri__contact_heard(tri__contact *contact)
{
    contact->heard = tri__clock_now();
}

int64_t tri__heard_after(int64_t heard, int64_t pause, int64_t now)
{
    return heard + pause < now ? heard + pause : now;
}

void tri__contact_excuse(tri__contact *contact, int64_t pause, int64_t now)
{
    if (contact->welcome)
        contact->heard = tri__heard_after(contact->heard, pause, now);
}

tri_status tri__contact_closed(tri__contact *contact, tri_status why, bool quiet)
{
    int64_t now = tri__clock_now();
    tri_code code = tri_status_code(why);
    if (contact->welcome && !quiet)
        tri__log_line(contact->log, TRI_LOG_WARNING, "the connection to ps:%d is lost%s%s; trying again", contact->server, why ? ": " : "",
                      tri_status_message(why));
    if (why || !contact->welcome)
        snprintf(contact->why, sizeof contact->why, "%s",
                 why              ? tri_status_message(why)
                 : contact->heard ? "it hung up on our hello"
                                  : "it hung up on our hello (all tasks need the same --key, or none)");
    if (contact->welcome || !contact->lost)
        contact->lost = now;
    contact->welcome = false;
    contact->connection = NULL;
    contact->attempt = now + RETRY;
    contact->checked = now;
    if (code == TRI_BAD_DATA || code == TRI_BAD_CALL)
        return tri_wrap(why, "ps:%d", contact->server);
    tri_status_free(why);
    return NULL;
}

/* A task that was stopped, was busy, or waited for another server first did not try to reach this one: that time does not count. */
static void leave_pause_out(tri__contact *contact, int64_t now)
{
    int64_t pause = now - contact->checked;
    if (pause > 2 * contact->settings->heartbeat)
        contact->lost += pause;
    contact->checked = now;
}

static tri_status check_away(tri__contact *contact, int64_t now)
{
    const tri__address *at = contact->address;
    leave_pause_out(contact, now);
    int64_t away = now - contact->lost, unheard = now - contact->heard; /* a server may send heartbeats, and welcome nobody yet */
    if (away > contact->settings->timeout && unheard > contact->settings->timeout)
        return tri_fail(TRI_TIMEOUT, "ps:%d at %s:%u cannot be reached for %.0f s (--timeout): %s", contact->server, at->host, at->port,
                        tri__clock_seconds(away), contact->why[0] ? contact->why : "is it running, and is this the right address?");
    if (!contact->told && away > 2 * contact->settings->heartbeat) {
        contact->told = true;
        tri__log_line(contact->log, TRI_LOG_INFO, "waiting for ps:%d at %s:%u%s%s", contact->server, at->host, at->port,
                      contact->why[0] ? ": " : "", contact->why);
    }
    return NULL;
}

static tri_status check_silence(tri__contact *contact, int64_t since, int64_t now)
{
    const tri__address *at = contact->address;
    int64_t silent = now - (contact->heard > since ? contact->heard : since);
    bool named = silent > 2 * contact->settings->heartbeat;
    if (silent > contact->settings->timeout)
        return tri_fail(TRI_TIMEOUT, "ps:%d at %s:%u has been silent for %.0f s (--timeout): is it stopped, or the network cut?",
                        contact->server, at->host, at->port, tri__clock_seconds(silent));
    if (named && !contact->named)
        tri__log_line(contact->log, TRI_LOG_WARNING, "ps:%d at %s:%u has been silent for %.1f s; waiting for it", contact->server, at->host,
                      at->port, tri__clock_seconds(silent));
    if (contact->named && !named)
        tri__log_line(contact->log, TRI_LOG_INFO, "ps:%d is heard again", contact->server);
    contact->named = named;
    return NULL;
}

tri_status tri__contact_check(tri__contact *contact, int64_t since, int64_t now)
{
    return contact->lost ? check_away(contact, now) : check_silence(contact, since, now);
}
