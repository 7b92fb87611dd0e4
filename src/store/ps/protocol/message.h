/* message.h: what workers and servers say to each other.
 *
 *   worker                         ps:0, the coordinator                      ps:1 …
 *   HELLO (who, which model) ───►  settles the model with the first one,      HELLO ───► to ps:0
 *                            ◄───  WELCOME                                    ◄─── WELCOME, RESTORE chunk by chunk
 *   HELLO, PULL ─────────────────────────────────────────────────────────►    WELCOME, CHUNK
 *   READY ───────────────────────► VIEW: who takes part from which step on ─► SEEN
 *                            ◄───  TOKEN: do this step on these examples
 *   PUSH a chunk's gradient ─────► applies it, or gathers those of all, then
 *                            ◄───  CHUNK: the chunk's new parameters
 *   PULL_ROWS, which a batch names ► when the steps before are applied: ROWS; then PUSH_ROWS, as PUSH
 *   …                              SNAPSHOT at step n ──────────────────────► COPIED; COPY, chunk by chunk ───►
 *                            ◄───  STOP
 *   REPORT ──────────────────────► when all have come: the summary; BYE ────►
 *
 * With --replicas 2 a range lives on two servers: its primary, which workers know, and its standby, which keeps a copy
 * (server/replication/replication.h).
 *
 * A head has four words; what they mean for each type is said below. Bodies are floats, rows or JSON. No head is trusted: decode checks the
 * size of the body, and the receiver checks the numbers against what it knows. */
#ifndef TRI_STORE_PS_PROTOCOL_MESSAGE_H
#define TRI_STORE_PS_PROTOCOL_MESSAGE_H

#include "base/file/json.h"
#include "net/connection/connection.h"
#include "store/ps/protocol/settings.h"

#define TRI_PROTOCOL 14 /* changes with every change of what is sent */

/* For each type: the fields of tri__message that it uses, then its body. The generation shows what was sent before all went back. */
typedef enum {
    TRI_MSG_HELLO = 1, /* JSON: version, role, task, incarnation; of workers also what they train */
    TRI_MSG_WELCOME,   /* JSON: what the newcomer must know */
    TRI_MSG_REFUSED,   /* JSON: the reason; the connection ends */
    TRI_MSG_PULL,      /* chunk: send its parameters */
    TRI_MSG_PUSH,      /* chunk, generation, step, serial, rate, weight; the sum of a gradient */
    TRI_MSG_CHUNK,     /* chunk, generation, step, waited: its parameters after `step` updates */
    TRI_MSG_READY,     /* generation, ahead: the worker has all parameters, and can use `ahead` tokens at once */
    TRI_MSG_TOKEN,     /* fresh, generation, step, position, index, workers */
    TRI_MSG_VIEW,      /* JSON: who takes part from which step on */
    TRI_MSG_SEEN,      /* view: the server knows this view */
    TRI_MSG_LEFT,      /* task (as chunk), step: expect nothing more of this task up to that step */
    TRI_MSG_CHOSEN,    /* JSON: with backup workers, whose gradients make up the step */
    TRI_MSG_RESTORE, /* chunk, generation, step, position of rows, slot: floats to begin from; slot 0: the parameters, others: the rule's */
    TRI_MSG_RESTORED, /* generation, step: all chunks were sent. The answer: step: updates that every chunk has; updates: the most of any */
    TRI_MSG_SNAPSHOT, /* snapshot, step, updates, slots, named: copy the stretch, when every chunk has had `updates` updates */
    TRI_MSG_COPIED,   /* snapshot, step, updates: the stretch is copied, with `updates` in every chunk; training may go on */
    TRI_MSG_COPY,     /* chunk, snapshot, step, position of rows, slot: floats of the copy */
    TRI_MSG_EVALUATE, /* step: to the evaluator: pull the snapshot and evaluate it */
    TRI_MSG_EVALUATED, /* JSON: the evaluator's result */
    TRI_MSG_NORM, /* generation, step, norm: Σ g² of a server's stretch. The answer, without generation: the factor by which all scale */
    TRI_MSG_STOP, /* step: make no further step, and report */
    TRI_MSG_REPORT,      /* JSON: what a worker did; sent now and then, and at the end */
    TRI_MSG_BEAT,        /* a heartbeat: the sender lives */
    TRI_MSG_BYE,         /* the job is done, or the sender leaves: JSON, with the reason where there is one */
    TRI_MSG_PULL_ROWS,   /* chunk, generation, step, serial, number; a list of rows (keyed.h): answered as row_server.h says */
    TRI_MSG_ROWS,        /* chunk, generation, step, waited, number of the pull; the weights of those rows */
    TRI_MSG_PUSH_ROWS,   /* as PUSH, of rows; answered by a CHUNK without parameters */
    TRI_MSG_PAIR,        /* JSON: with --replicas 2, the number of the pair; to its primary also where its standby is */
    TRI_MSG_FILLED,      /* pair: to the standby: all was sent; from the standby, and to ps:0: it has all */
    TRI_MSG_LONE,        /* pair: from a primary: may I go on alone? From ps:0: you are alone */
    TRI_MSG_PROMOTE,     /* pair: the standby is the primary from now on */
    TRI_MSG_PRIMARY,     /* JSON: to workers: where a range's primary is from now on */
    TRI_MSG_UPDATE,      /* chunk, task (plus 1; 0: a step of all), step, serial, rate, scale (as weight); a gradient as applied */
    TRI_MSG_UPDATE_ROWS, /* as UPDATE, of rows of a table (keyed.h) */
    TRI_MSG_STATE,       /* JSON: to the standby of ps:0's range: where the job stands; from that standby to a new ps:0: where it stood */
    TRI_MSG_HAVE,        /* step: how many updates the standby has */
    TRI_MSG_MET,         /* task (as chunk), incarnation: the primary has welcomed that worker */
    TRI_MSG_NAMED,       /* a list of rows (keyed.h), of every table: those that evaluations read */
    TRI_MSG_KNOWN,  /* chunk, task, serial: the task's last push that is in the chunk; step: its last push whose sightings count, plus 1 */
    TRI_MSG_PUSHED, /* JSON: async: pushes of a task that are in a server's copy (known_pushes.h), or in the stretch that ps:0 restores */
    TRI_MSG_KEYS, /* generation or snapshot, step, position: where tables grow, keys and their rows (key_cells.h), before RESTORE or COPY */
    TRI_MSG_TYPES
} tri__message_type;

const char *tri__message_name(uint32_t type); /* "push" */

#define TRI_REPORT_SAMPLES "samples" /* the key of a REPORT with what the worker sampled; ps:0 writes it to the run folder */

enum { TRI_JSON_MOST = 1 << 20, TRI_ANSWER_MOST = 1 << 16 }; /* bytes of a body that is JSON */

#define TRI_UNSENT_MOST (1u << 20) /* bytes handed to a connection at a time, so that what is needed sooner can still overtake */

/* The meaning of a head. Each type uses some of these fields. */
typedef struct {
    tri__message_type type;
    uint32_t size; /* of the body */
    union {
        uint32_t chunk;
        uint32_t fresh; /* token: 1: the worker pulls all parameters before the step; 0: it has what it needs */
    };
    union {
        uint32_t view;       /* seen: the number of the view */
        uint32_t generation; /* as tri__server has it */
        uint32_t snapshot;   /* the number of the snapshot */
        uint32_t pair;       /* the number of the pair */
        uint32_t task;       /* update, known */
    };
    int64_t step;
    union {
        int64_t serial;   /* push: rises with every push; a push that was taken is not taken again */
        int64_t position; /* token: of its examples; restore, copy, keys: of the first row or cell */
        int64_t waited;   /* chunk: nanoseconds that it waited for other workers' parts */
        int64_t updates;  /* snapshot, copied, restored */
        double norm;      /* norm */
        uint64_t incarnation;
    };
    union {
        float rate;      /* push */
        uint32_t index;  /* token: this worker's slice of the step */
        uint32_t slot;   /* restore, copy */
        uint32_t slots;  /* snapshot: how many to copy */
        uint32_t ahead;  /* ready */
        uint32_t number; /* pull_rows, rows: of the pull */
    };
    union {
        float weight;     /* push: Σ of the examples' weights */
        uint32_t workers; /* token: how many slices the step has */
        uint32_t named;   /* snapshot: 1: copy only those rows of tables that evaluations read */
    };
} tri__message;

/* A number that tells this process from every other one of the same task, in its hello. Above 0. */
int64_t tri__incarnation(void);

tri__frame tri__message_encode(const tri__message *message);

/* TRI_BAD_DATA where the type is unknown, the body is larger than its type allows, or the step is beyond TRI_FURTHEST. */
TRI_MUST_CHECK tri_status tri__message_decode(const tri__frame *frame, tri__message *out);

/* TRI_BAD_DATA where no job with these settings has messages of this type. */
TRI_MUST_CHECK tri_status tri__message_check_job(tri__message_type type, const tri__ps_settings *settings);

void tri__message_send(tri__connection *connection, const tri__message *message, bool more); /* without a body */
void tri__message_send_floats(tri__connection *connection, tri__message message, const float *floats, size_t count, bool more);
/* The floats may change after the call. */
void tri__message_copy_floats(tri__connection *connection, tri__message message, const float *floats, size_t count);
void tri__message_send_json(tri__connection *connection, tri__message_type type, json_t *value); /* lets go of value */

/* Parses a body that is JSON. TRI_BAD_DATA where it is not an object. */
TRI_MUST_CHECK tri_status tri__message_json(const tri__message *message, const void *body, json_t **out);

#endif
