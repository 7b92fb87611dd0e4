/* store.h: what a store is made of: the calls of trireme/store.h as a table, and the state that they share. A plan calls a store through
 * it; the room `store` has the kinds of store, each of which embeds tri_store as its first member. */
#ifndef TRI_GRAPH_STORE_STORE_H
#define TRI_GRAPH_STORE_STORE_H

#include "base/trace/trace.h"
#include "trireme/store.h"

/* Where the time went in a store's calls, in nanoseconds. */
typedef struct {
    int64_t update;  /* applying the rule */
    int64_t sending; /* handing gradients to the network */
    int64_t server;  /* waiting for parameter servers */
    int64_t peers;   /* waiting for other workers */
    int64_t tokens;  /* of server: waiting for the next step to be handed out, with all parameters here */
} tri__store_times;

typedef struct {
    const char *name; /* "local", as users type it */
    tri_status (*begin)(tri_store *store, const tri_step *step);
    tri_status (*await)(tri_store *store, tri_range range);
    tri_status (*offer)(tri_store *store, tri_range range, const float *gradient, double weight); /* gradient: of the range */
    tri_status (*flush)(tri_store *store);

    /* Of tables; all NULL: the store has none. What expect, await_rows and offer_rows mean is said in trireme/store.h; for a kind of store
     * it comes to this:
     *
     * - One thread calls, a plan's. In a step it is begin; expect(now) of all tables, where their keys have not been told before;
     *   expect(next) of all tables, where the next batch has been made already; then awaits and offers, of a table each once.
     * - With begin, the keys of the next step become those of the step that begins, and there are none of the next one. tri_store_expect
     *   and tri_store_begin keep account of that (expected, ahead): no call of a kind comes without the keys that it needs.
     * - A store may begin at expect(next) whatever reading those rows takes: ask another machine for them, fetch them into a cache. It must
     *   answer with values that the mode allows at await_rows, after begin: in step, values that hold the update of the step before.
     * - A prophecy may be wrong: after begin, expect(now) replaces it. Then what was fetched for the old keys is dropped, and nothing is
     *   offered for them. It may also stay unused, when a run ends; destroy is to expect that. keys belong to the plan, which may be
     *   gone in destroy. */
    tri_status (*add_table)(tri_store *store, int64_t rows, int64_t width); /* make the memory of the next one */
    tri_status (*expect)(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count);
    tri_status (*await_rows)(tri_store *store, int table, float *rows);
    tri_status (*offer_rows)(tri_store *store, int table, const float *gradient, double weight);
    tri__store_times (*times)(tri_store *store); /* since the last call; NULL: not measured */

    /* Trace what happens beside the calling thread, on lanes of its own; NULL: nothing does. */
    void (*trace)(tri_store *store, tri__trace *trace);

    /* A plan that is made for training says which ranges it will offer, in the order in which it will; NULL: it does not matter. */
    tri_status (*arrange)(tri_store *store, const tri_range *ranges, int count);
    void (*destroy)(tri_store *store);
} tri__store_kind;

/* Somebody who looks at what a plan offers, before the store has it: parameters and gradient of the range still belong to the plan, whose
 * thread calls. */
typedef struct {
    void (*offered)(void *context, tri_range range, const float *parameters, const float *gradient, double weight);
    void *context;
} tri__store_observer;

#define TRI_STORE_TABLES 16

struct tri_store {
    const tri__store_kind *kind;
    tri_rule rule;
    int64_t step; /* of the last begin … */
    float rate;   /* … and its rate */
    size_t floats;
    float *parameters, *gradient; /* gradient: NULL where it was dropped */
    bool droppable;               /* the store needs no gradient after its offer */
    float *slot[TRI_RULE_SLOTS];
    tri_table table[TRI_STORE_TABLES];
    int tables;
    bool lends;               /* its tables */
    struct tri__key_map *map; /* where its tables grow: which row each key has; NULL: key k has row k. The kind's fini destroys it */
    bool counts;              /* its tables grow elsewhere, and the plan is to count sightings: */
    const int32_t *sightings; /* how often the step's batch names each of its keys, as the plan counted them; NULL: once. Borrowed */
    unsigned trained;         /* bit i: a plan offers rows of table i in every step; set by arrange. Others are never offered */
    struct tri__row_keeper *keeper[TRI_STORE_TABLES]; /* where a checkpoint is written while training goes on; NULL elsewhere; borrowed */
    tri__trace_lane *lane;                            /* of the thread that calls the store; NULL: nothing is traced */
    tri__store_observer observer;                     /* offered NULL: there is none */
    bool expected, ahead;                             /* the keys of this step and of the next one have been told */
};

/* Floats from one row to the next, of rows of so many. Rows up to a line do not cross from one line to the next; longer ones begin at a
 * half line. */
int64_t tri__table_stride(int64_t floats);

/* From now on what the store does is traced: for the thread that calls it on this lane. Not while it is called. */
void tri__store_trace(tri_store *store, tri__trace *trace, tri__trace_lane *lane);
tri__store_times tri__store_take_times(tri_store *store); /* zeros where the store does not measure */
TRI_MUST_CHECK tri_status tri__store_arrange(tri_store *store, const tri_range *ranges, int count, unsigned tables);

#endif
