/* store.h: what a store is made of: the calls of trireme/store.h as a table, and the state that they share. A plan calls a store through
 * this table. The room `store` has the kinds of store; each embeds tri_store as its first member. */
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
    int64_t tokens;  /* the part of `server` in which all parameters were here, and the store waited for a token for the next step */
} tri__store_times;

typedef struct {
    const char *name; /* "local", as users type it */
    tri_status (*begin)(tri_store *store, const tri_step *step);
    tri_status (*await)(tri_store *store, tri_range range);
    tri_status (*offer)(tri_store *store, tri_range range, const float *gradient, double weight); /* gradient: of the range */
    tri_status (*flush)(tri_store *store);

    /* For tables; all NULL: the store has none. trireme/store.h says what expect, await_rows and offer_rows mean. A kind of store can rely
     * on this:
     *
     * - One thread calls: the plan's. In a step it calls begin; expect(now) for all tables, where their keys were not given before;
     *   expect(next) for all tables, where the next batch is there already; then, for each table, await_rows and offer_rows once.
     * - At begin, the keys of the next step become those of the step that begins, and the next step has none yet. tri_store_expect
     *   and tri_store_begin keep account of that (expected, ahead): no function of a kind is called without the keys that it needs.
     * - At expect(next) a store may begin to fetch these rows: ask another machine for them, bring them into a cache. At await_rows,
     *   after begin, it must give values that the mode allows: in step, values that include the update of the step before.
     * - The keys of expect(next) may turn out wrong: then expect(now), after begin, replaces them. The store drops what it fetched for
     *   the old keys, and nothing is offered for them. They may also stay unused when a run ends, so destroy must be ready for that.
     *   keys belong to the plan, which may be gone in destroy. */
    tri_status (*add_table)(tri_store *store, int64_t rows, int64_t width); /* allocate the memory of the next table */
    tri_status (*expect)(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count);
    tri_status (*await_rows)(tri_store *store, int table, float *rows);
    tri_status (*offer_rows)(tri_store *store, int table, const float *gradient, double weight);
    tri__store_times (*times)(tri_store *store); /* since the last call; NULL: not measured */

    /* Trace what other threads than the caller's do, on lanes of their own; NULL: there are no others. */
    void (*trace)(tri_store *store, tri__trace *trace);

    /* A plan that is made for training says which ranges it will offer, in which order; NULL: the store does not need to know. */
    tri_status (*arrange)(tri_store *store, const tri_range *ranges, int count);
    void (*destroy)(tri_store *store);
} tri__store_kind;

/* An observer sees what a plan offers before the store gets it: parameters and gradient of the range still belong to the plan. The plan's
 * thread calls. */
typedef struct {
    void (*offered)(void *context, tri_range range, const float *parameters, const float *gradient, double weight);
    void *context;
} tri__store_observer;

#define TRI_STORE_TABLES 16

struct tri_store {
    const tri__store_kind *kind;
    tri_rule rule;
    int64_t step; /* of the last begin */
    float rate;   /* of the last begin */
    size_t floats;
    float *parameters, *gradient; /* gradient: NULL where it was dropped */
    bool droppable;               /* the store needs no gradient after its offer */
    float *slot[TRI_RULE_SLOTS];
    tri_table table[TRI_STORE_TABLES];
    int tables;
    bool lends;               /* the store lends its tables */
    bool immediate;           /* all rows are in this process: to know the next step's keys early gains nothing */
    struct tri__key_map *map; /* where its tables grow: which row each key has; NULL: key k has row k. The kind's fini destroys it */
    bool counts;              /* its tables grow in other processes, and the plan must count sightings */
    const int32_t *sightings; /* how often the step's batch names each of its keys, as the plan counted; NULL: once each. Borrowed */
    unsigned trained;         /* bit i: a plan offers rows of table i in every step; set by arrange. Others are never offered */
    struct tri__row_keeper *keeper[TRI_STORE_TABLES]; /* where a checkpoint is written while training goes on; NULL elsewhere; borrowed */
    tri__trace_lane *lane;                            /* of the thread that calls the store; NULL: nothing is traced */
    tri__store_observer observer;                     /* none where `offered` is NULL */
    bool expected, ahead;                             /* the store has the keys of this step, and of the next one */
};

/* Floats from one row to the next, where a row has `floats` floats. A row that fits into a cache line lies within one line; a longer row
 * begins at a line or half a line. */
int64_t tri__table_stride(int64_t floats);

/* What is evaluated, saved and exported: the averages where the rule keeps them, otherwise the parameters. Laid out as the parameters. */
float *tri__store_evaluated(tri_store *store);

/* The store to give to a plan that evaluates: the store itself or, where its rule keeps averages, view, whose parameters they are. Such a
 * plan trains nothing, so a view has no calls, and its step is that at which it was made. It borrows the memory of store, and needs no
 * destroy. */
tri_store *tri__store_view_evaluated(tri_store *store, tri_store *view);

/* From now on trace what the store does; what the thread that calls it does goes to this lane. Not while the store is called. */
void tri__store_trace(tri_store *store, tri__trace *trace, tri__trace_lane *lane);
tri__store_times tri__store_take_times(tri_store *store); /* zeros where the store does not measure */
TRI_MUST_CHECK tri_status tri__store_arrange(tri_store *store, const tri_range *ranges, int count, unsigned tables);

#endif
