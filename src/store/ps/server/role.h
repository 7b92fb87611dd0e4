/* role.h: what a server does beside keeping a stretch. ps:0 is the coordinator (coordinator/coordinator_role.h); all others follow it
 * (follower.h). The files of this folder know the role by this table alone. */
#ifndef TRI_STORE_PS_SERVER_ROLE_H
#define TRI_STORE_PS_SERVER_ROLE_H

#include "store/ps/server/server_inside.h"

struct tri__server_role {
    tri_status (*start)(tri__server *server);
    void (*end)(tri__server *server);                            /* also called if start has failed */
    void (*status)(tri__server *server, tri__ps_status *status); /* writes the result of the job */
    void (*tick)(tri__server *server);

    tri_status (*hello)(tri__peer *peer, const json_t *body); /* a peer has said who it is; its numbers are checked */
    tri_status (*message)(tri__peer *peer, const tri__message *message, const json_t *body);
    tri_status (*body)(tri__peer *peer, const tri__message *message, void **body); /* where to read the body of a RESTORE, COPY or KEYS */
    tri_status (*evaluator_rows)(tri__peer *peer, const tri__message *message);    /* the evaluator pulls rows of a table */
    void (*gone)(tri__peer *peer);                                                 /* its connection has ended */

    void (*paired)(tri__server *server, tri__message_type type); /* FILLED: the standby is; LONE: it is lost, and ps:0 decides */
    void (*tell_state)(tri__server *server);                     /* a standby is being filled: tells it where the job stands */

    bool (*expects)(const tri__peer *peer, const tri__message *push); /* false: the worker has no token for this push, and is refused */
    bool (*pushed)(tri__peer *peer, const tri__message *push); /* a push was taken; true: it ends a token, so go on after the answer */
    void (*go_on)(tri__server *server);
    void (*gathered)(tri__server *server);    /* sync: parts were added; with clipping the norm may be known */
    void (*chunk_ends)(tri__server *server);  /* sync: a chunk has moved on; its answers are not sent yet */
    void (*chunk_ended)(tri__server *server); /* sync: the answers were sent */
};

#endif
