/* contact.h: a server with which a task keeps in touch: a worker with each of them, the others with ps:0.
 *
 * A connection that breaks is made again, for as long as a wait may take. From its welcome on a server tells every heartbeat that it lives,
 * and is silent where it does not. Both are judged here, and told to people once. The connection's handlers are the owner's, who says here
 * what they hear of it. */
#ifndef TRI_STORE_PS_PROTOCOL_CONTACT_H
#define TRI_STORE_PS_PROTOCOL_CONTACT_H

#include "base/log.h"
#include "net/connection.h"
#include "store/ps/protocol/settings.h"

typedef struct {
    int server;                       /* ps:server … */
    const tri__address *address;      /* … and where it is; borrowed, as the next two */
    const tri__ps_settings *settings; /* timeout and heartbeat */
    tri__log *log;
    tri__connection *connection; /* NULL: none, not even a coming one */
    bool welcome;
    int64_t lost;    /* since when it is not welcome; 0: it is */
    int64_t attempt; /* when it is tried again */
    int64_t heard;   /* when it last said anything */
    int64_t checked; /* when we last looked whether it is there */
    char why[256];   /* the last connection ended; "": nothing to tell */
    bool told;       /* people were told that it is waited for … */
    bool named;      /* … or that it is silent */
} tri__contact;

void tri__contact_init(tri__contact *contact, int server, const tri__address *address, const tri__ps_settings *settings, tri__log *log);

bool tri__contact_is_due(const tri__contact *contact, int64_t now); /* there is no connection, and it is time to try for one */
void tri__contact_open(tri__contact *contact, tri__loop *loop, const tri__connection_handlers *handlers, void *context, tri__tls *tls);

/* What the handlers hear. closed takes why, and gives it back as a failure where trying again would be in vain, since the server said what
 * nobody understands; quiet: the end was to be expected. */
void tri__contact_welcomed(tri__contact *contact);
void tri__contact_heard(tri__contact *contact);
TRI_MUST_CHECK tri_status tri__contact_closed(tri__contact *contact, tri_status why, bool quiet);

/* TRI_TIMEOUT where it could not be reached, or has been silent, for too long. Silence counts from `since` on, when we began to listen. */
TRI_MUST_CHECK tri_status tri__contact_check(tri__contact *contact, int64_t since, int64_t now);

#endif
