/* worker_inside.h: a worker's store as its own files see it: worker.c is the store, links.c its connections to the servers.
 *
 * Everything that the loop's handlers touch is guarded by one lock. With a thread of its own the loop's owner is that thread, and the
 * thread that computes waits on a condition; without, the thread that computes turns the loop, and the lock costs nothing. It lends the
 * loop while it computes, so that servers hear that it lives (heartbeat.h). */
#ifndef TRI_STORE_PS_WORKER_WORKER_INSIDE_H
#define TRI_STORE_PS_WORKER_WORKER_INSIDE_H

#include <pthread.h>

#include "graph/store.h"
#include "store/ps/protocol/contact.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/ps/worker/heartbeat.h"
#include "store/ps/worker/worker.h"

#define TRI_UNSENT_MOST (1u << 20) /* bytes handed to a connection at a time, so that chunks needed sooner can still overtake */
enum { TRI_WORKER_TOKENS = 64 };

typedef struct tri__worker tri__worker;
typedef struct tri__worker_rows tri__worker_rows; /* these two: table_client.c */
typedef struct tri__table_sort tri__table_sort;

typedef enum {
    TRI_CHUNK_HERE,   /* its parameters are current */
    TRI_CHUNK_READY,  /* its gradient waits to be sent */
    TRI_CHUNK_PUSHED, /* sent, not answered */
    TRI_CHUNK_PULLED, /* asked for, not answered */
} tri__chunk_stage;

typedef struct {
    tri_range range;
    int server;
    tri__chunk_stage stage;
    size_t covered; /* floats whose gradient was offered in this step */
    double weight;
    int64_t serial, step; /* of the push */
    float rate;
    uint32_t next;          /* in the line of its link, where it is ready */
    tri__worker_rows *rows; /* of a table, which the chunk is (table_client.h); NULL: it is a range */
} tri__worker_chunk;

typedef struct {
    tri__worker *worker;
    int index;
    tri__contact contact;
    char host[256];         /* where the server is by now, if it has moved … */
    tri__address moved;     /* … whose host is that */
    int64_t sent, received; /* by connections that have ended */
    uint32_t first, *last;  /* the line of the chunks that are ready; last points to the end of it */
    tri__message message;
    bool awaited; /* the chunk that is being read goes to its place, not to scratch */
    char *text;
} tri__link;

struct tri__worker {
    tri_store store;
    tri__ps_store_options options;
    tri__layout layout;
    tri__loop *loop;
    tri__timer *tick;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool threaded, ending;    /* ending: the thread is to leave */
    tri__heartbeat heartbeat; /* without a thread: of the loop, while a step is computed */
    tri__link *link;
    tri__worker_chunk *chunk;
    uint32_t chunks;
    uint32_t waiting; /* chunks that are not here */
    int64_t incarnation, serial;
    uint32_t generation;
    bool begun; /* ready was said: say it again after going back */
    bool to_say_ready;
    json_t *report;         /* to be sent; NULL: none */
    json_t *final;          /* the last one, which is said again to a ps:0 that asks again; NULL: it is not time yet */
    int64_t sent, received; /* as of the last tick */
    int64_t beaten;         /* when servers were last told that we live */
    int ahead;
    bool pulling;   /* all parameters, at the beginning and after going back */
    bool voided;    /* all went back since the token of the step at work was taken, or the step is not the one that is wanted */
    bool stopped;   /* no further tokens */
    bool dismissed; /* some server said goodbye … */
    bool finished;  /* … and the coordinator did, or cannot any more */
    bool refused;   /* a server has turned us away: we do not come back */
    tri_status failure;
    tri__token token[TRI_WORKER_TOKENS];
    int first_token, tokens;
    int64_t last_step;   /* of the token that was taken last; −1: none */
    int64_t done;        /* async: updates of this task that ps:0 had when it welcomed us … */
    int64_t answered;    /* … and chunks of it that it has taken of us since */
    bool expects;        /* the step at work began before its token came: … */
    tri__token expected; /* … this one should come */
    float *scratch;      /* [TRI_CHUNK_FLOATS] for answers that nobody waits for */
    size_t covered;      /* with clipping: floats offered in this step … */
    int tables_offered;  /* … and tables */
    tri__table_sort *sort;
    int now; /* which of the two batches whose rows are known is the one at hand */
    tri_step step;
    tri__store_times times;
    int64_t waited; /* for other workers, by the chunks that came since the last wait began */
};

#endif
