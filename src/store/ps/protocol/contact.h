/* contact.h: a task's connection to one server. A worker has a contact for each server; followers and the evaluator have one for ps:0.
 *
 * When its connection breaks, a contact tries to connect again until the timeout. A server that has welcomed a task sends something at
 * least once a heartbeat; a server that does not is silent. The contact decides when a server has been away or silent for too long, and
 * logs each such time once. The owner of the contact has the connection's handlers, and tells the contact what they hear. */
#ifndef TRI_STORE_PS_PROTOCOL_CONTACT_H
#define TRI_STORE_PS_PROTOCOL_CONTACT_H

#include "base/report/log.h"
#include "net/connection/connection.h"
#include "store/ps/protocol/message.h"
#include "store/ps/protocol/settings.h"

typedef struct {
    int server;                       /* its index: ps:server */
    bool second;                      /* `address` is that of the second server of its range, which runs in another process */
    const tri__address *address;      /* where the server is; borrowed, as the next two */
    const tri__ps_settings *settings; /* timeout and heartbeat */
    tri__log *log;
    tri__connection *connection; /* NULL: none, not even one that is being made */
    bool welcome;                /* the server has welcomed this task */
    int64_t lost;                /* since when the task has not been welcome; 0: it is welcome */
    int64_t attempt;             /* when to connect again */
    int64_t heard;               /* when the server's last message came */
    int64_t checked;             /* when tri__contact_check was last called while the server was away */
    char why[256];               /* why the last connection ended; "": no reason is known */
    bool told;                   /* the log says that this task waits for the server */
    bool named;                  /* the log says that the server is silent */
} tri__contact;

void tri__contact_init(tri__contact *contact, int server, const tri__address *address, const tri__ps_settings *settings, tri__log *log);

bool tri__contact_is_due(const tri__contact *contact, int64_t now); /* there is no connection, and it is time to try again */
void tri__contact_open(tri__contact *contact, tri__loop *loop, const tri__connection_handlers *handlers, void *context, tri__tls *tls);

/* TRI_BAD_DATA where the server may not send this type now. Before its WELCOME it may only send BEAT, REFUSED or BYE, and it sends WELCOME
 * once on each connection. */
TRI_MUST_CHECK tri_status tri__contact_expects(const tri__contact *contact, tri__message_type type);

/* The owner's handlers call these. tri__contact_closed takes why. It returns why as a failure if connecting again would be in vain, since
 * the server sent something that makes no sense. quiet: the end was expected, and is not logged. */
void tri__contact_welcomed(tri__contact *contact);
void tri__contact_heard(tri__contact *contact);
TRI_MUST_CHECK tri_status tri__contact_closed(tri__contact *contact, tri_status why, bool quiet);

/* This task was stopped, or had no CPU, and does not know whether a peer was silent meanwhile: it has yet to read its messages. So the
 * pause does not count. Silence from before the pause does: on a busy machine there may be one pause after another. heard_after gives the
 * time that counts as the last when a peer was heard; excuse applies it to a contact. */
int64_t tri__heard_after(int64_t heard, int64_t pause, int64_t now);
void tri__contact_excuse(tri__contact *contact, int64_t pause, int64_t now);

/* TRI_TIMEOUT where the server could not be reached, or has been silent, for too long. Silence counts from `since` on, when this task began
 * to listen. */
TRI_MUST_CHECK tri_status tri__contact_check(tri__contact *contact, int64_t since, int64_t now);

#endif
