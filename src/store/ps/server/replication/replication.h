/* replication.h: a range that lives on two servers (--replicas 2). One of them is its primary, the other its standby.
 *
 * Workers and ps:0 speak with the primary as with a server that has no standby. The primary sends each update that it has applied to its
 * standby: one gradient, its scale and its rate, in the order in which it applied them. The standby applies the same, so both have the same
 * bits, the state of the rule included. The standby reports how many updates it has. The primary answers a worker when both servers have
 * its update. A worker that was not answered pushes again, to the server that is the primary by then. An update names the push it came
 * from, so that no push is applied twice.
 *
 * An update costs as many bytes as one push, whatever the rule; in sync it is the sum of all pushes. Sending the results instead would cost
 * two or three times as much if the rule has state.
 *
 * ps:0 alone decides which server is the primary (pairs.h), and no clock is part of the decision. A primary that has a standby answers
 * nobody before the standby has the update, until ps:0 says that it is alone. ps:0 says so only after it has dismissed the standby. A
 * standby that becomes the primary no longer listens to the old primary; so the old primary, if it was only cut off or stopped, answers
 * nobody. So never do both servers of a range answer.
 *
 * The primary (primary.h):
 *
 *           PAIR               WELCOME             all is sent            the standby has it all            the stream breaks
 *    ALONE ──────► REACHING ────────────► FILLING ─────────────► JOINING ────────────────────────► PAIRED ────────────────────► ASKING
 *      ▲             │  ▲                  │  │                   │  │        ps:0 is told            │       ps:0 is asked        │
 *      │             │  └──────────────────┼──┴───────────────────┼──┘ the stream breaks: anew       │                            │
 *      └─────────────┴─────────────────────┴──────────────────────┴──── LONE, or ps:0 welcomes it as the primary ──────────────────┘
 *
 * In ALONE, REACHING and FILLING answers do not wait. From JOINING on they wait for the standby, so that both servers have all that was
 * ever answered by the time ps:0 hears that they are PAIRED. The primary fills its standby chunk by chunk while training goes on: once a
 * chunk is sent, its updates follow it. A table may be large, and is sent in pieces of some rows. An update is sent only for the rows that
 * the standby has; the other rows are sent later, with this update already in them. Where tables grow, the keys are sent before the first
 * rows; filling.c says what follows from that.
 *
 * The standby (standby.h):
 *
 *              all has come              PROMOTE
 *    STANDBY ───────────────► WHOLE ─────────────► ALONE, as the primary
 *       ▲                       │
 *       └───────────────────────┘ a primary says hello, ps:0 names another pair, or welcomes it anew
 *
 * ps:0 tells a standby all that it tells servers about members and steps. What ps:0 said before the standby came, the primary repeats to
 * it. Each pair has a number, and a message about an earlier pair is void. When all go back, replication stops, and begins anew once the
 * primary has its range. */
#ifndef TRI_STORE_PS_SERVER_REPLICATION_REPLICATION_H
#define TRI_STORE_PS_SERVER_REPLICATION_REPLICATION_H

#include "base/file/json.h"
#include "net/address/address.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/protocol/message.h"

typedef struct tri__server tri__server;
typedef struct tri__peer tri__peer;

/* The order counts: FILLING to PAIRED have an open stream; STANDBY and WHOLE are states of the standby. */
typedef enum {
    TRI_REPLICATION_ALONE,
    TRI_REPLICATION_REACHING, /* there is no stream to the standby, or it has not said welcome */
    TRI_REPLICATION_FILLING,
    TRI_REPLICATION_JOINING,
    TRI_REPLICATION_PAIRED,
    TRI_REPLICATION_ASKING,
    TRI_REPLICATION_STANDBY, /* a standby that is empty, or being filled */
    TRI_REPLICATION_WHOLE,   /* a standby that can become the primary */
} tri__replication_state;

/* An answer that waits until the standby has `after` updates. */
typedef struct {
    int64_t after;
    tri__peer *peer; /* NULL: it has disconnected */
    uint32_t chunk;
} tri__owed_answer;

typedef struct {
    tri__replication_state state;
    uint32_t pair;        /* the number of the pair */
    char host[256];       /* primary: the host of the standby */
    tri__address standby; /* primary: the address of the standby, which borrows `host` */
    int64_t attempt;      /* primary: when it tries again to reach the standby */
    tri__peer *stream;    /* the connection to the other server; NULL: none */
    uint32_t filled;      /* primary: how many chunks it has sent */
    int64_t filled_rows;  /* primary: how many rows of the next chunk it has sent, if that is a table */
    void *body;           /* primary: [body_room] an update of rows */
    int64_t body_room;
    tri__row_list rows;     /* primary, where tables grow: the rows of an update */
    json_t *states[2];      /* standby of ps:0's range: where the job stands, and where it stood before that; NULL: not known */
    int64_t sent;           /* primary: how many updates and states it has sent */
    int64_t had;            /* primary: how many of those the standby has; standby: how many have come */
    tri__owed_answer *owed; /* primary: [room] a queue; the oldest is at `first` */
    int64_t first, count, room;
} tri__replication;

enum { TRI_RANGE_SERVER_NAME = 48 }; /* bytes of a name, with its NUL */

/* "ps:N" or "the second server of ps:N", for messages. Returns text. */
const char *tri__range_server_name(bool is_second, int server, char text[TRI_RANGE_SERVER_NAME]);

void tri__replication_forget_states(tri__replication *replication);
bool tri__replication_is_standby(const tri__server *server);
bool tri__replication_is_open(const tri__replication *replication); /* the standby takes updates */
int tri__replication_other_process(const tri__server *server);      /* the server whose process runs the other server of the range */
void tri__replication_fini(tri__server *server);
void tri__replication_stop(tri__server *server); /* all go back: drops the answers that are owed, and hangs up on the standby */
void tri__replication_hang_up(tri__replication *replication); /* ends the stream */

/* ps:0 has welcomed this server, and says whether it is the primary. */
void tri__replication_welcomed(tri__server *server, bool leads, uint32_t pair);
/* This server, the primary, is to fill the standby at this address. */
void tri__replication_reach(tri__server *server, const char *host, uint16_t port, uint32_t pair);
/* ps:0 has sent PAIR, LONE or PROMOTE. */
TRI_MUST_CHECK tri_status tri__replication_told(tri__server *server, const tri__message *message, const json_t *body);

/* The stream between the two, a peer of role TRI_PEER_STREAM: a message has come, or the connection has ended. */
TRI_MUST_CHECK tri_status tri__replication_message(tri__peer *peer, const tri__message *message, const json_t *body);
void tri__replication_closed(tri__peer *peer);

#endif
