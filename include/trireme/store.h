/* store.h: where the parameters live, and how a gradient becomes an update.
 *
 * All parameters are one flat buffer of floats. In every step a plan calls await(r) before it first reads the range r, and offer(r) when it
 * has read r for the last time and r's gradient, a sum over the batch, is complete. From offer(r) until the next await(r) returns,
 * parameters and gradient of r belong to the store. flush() precedes evaluation, checkpoint and exit. Sparse models have tables beside the
 * buffer (below). One thread calls a store. Every call may wait, never longer than the deadline the store was made with. */
#ifndef TRIREME_STORE_H
#define TRIREME_STORE_H

#include "trireme/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_store tri_store;

#define TRI_RULE_NUMBERS 8 /* hyper-parameters of a rule, at most */
#define TRI_RULE_SLOTS   3 /* floats of state that a rule keeps for each parameter, at most */

typedef struct {
    const char *name; /* "beta1", "l2" */
    float value;
} tri_rule_number;

/* How a gradient becomes an update. docs/models.md lists the rules and their numbers. (tri_rule){0} is plain gradient descent;
 * {.name = "adam", .set = {{"beta1", 0.8F}, {"l2", 1e-4F}}, .clip = 1, .average = 0.999F} says more. Averages begin
 * with what tri_store_begin_averages copies. */
typedef struct {
    const char *name;                      /* "adam", or another name that tri_rule_name gives; NULL is sgd */
    tri_rule_number set[TRI_RULE_NUMBERS]; /* numbers that differ from the rule's defaults; ends where a name is NULL */
    float clip;                            /* bound of the whole gradient's norm; 0 is none */
    float average;                         /* decay of moving averages, which the rule's last slot has; 0: none are kept */
    tri_state state;                       /* floats that the rule does not change, as tri_graph_state_of gives them */
} tri_rule;

typedef struct {
    int64_t step; /* updates before this one, from 0 */
    float rate;
} tri_step;

/* A table of rows by key, [rows][width]. Row r is at data + r · stride: its weights, then each slot of the rule's state, width floats
 * each. So all that an update of a row touches lies together. Rows that were never updated have their initial values. */
typedef struct {
    int64_t rows, width;
    int64_t stride; /* in floats */
    int slots;
    float *data;
} tri_table;

const char *tri_rule_name(int index);                           /* of all rules, from 0; NULL past the last */
int tri_rule_slots(const tri_rule *rule);                       /* floats of state for each parameter: 0 to 3 */
float tri_rule_value(const tri_rule *rule, const char *number); /* what is set, or the default; 0 where the rule has no such number */

/* A store that applies the rule, which is copied, in this process. floats: the size of the flat buffer. All parameters start at 0. */
TRI_MUST_CHECK tri_status tri_store_local_create(size_t floats, const tri_rule *rule, tri_store **out);
void tri_store_destroy(tri_store *store); /* accepts NULL */

size_t tri_store_floats(const tri_store *store);
float *tri_store_parameters(tri_store *store);
float *tri_store_gradient(tri_store *store);            /* NULL after tri_store_drop_gradient */
float *tri_store_slot(tri_store *store, int slot);      /* the rule's state, laid out as the parameters; NULL where there is no such slot */
const tri_rule *tri_store_rule(const tri_store *store); /* with all its numbers */

/* Let the averages begin with the present parameters. Call it when these have their first values, before the first step; parameters that
 * are never updated keep them. tri_checkpoint_load does it. Nothing where the rule keeps no averages. */
void tri_store_begin_averages(tri_store *store);

TRI_MUST_CHECK tri_status tri_store_begin(tri_store *store, const tri_step *step);
TRI_MUST_CHECK tri_status tri_store_await(tri_store *store, tri_range range);
TRI_MUST_CHECK tri_status tri_store_offer(tri_store *store, tri_range range, double weight); /* weight: Σ of the examples' weights */
TRI_MUST_CHECK tri_status tri_store_flush(tri_store *store);

/* A store that applies each gradient as soon as it is offered needs no buffer for the gradient of all parameters. Call this before a plan
 * is made: then the plan keeps each gradient among its activations, only as long as it is needed, and offers it from there. Where the store
 * needs the whole gradient (clipping), this does nothing. */
void tri_store_drop_gradient(tri_store *store);
TRI_MUST_CHECK tri_status tri_store_offer_from(tri_store *store, tri_range range, const float *gradient, double weight);

/* Tables lie outside of the flat buffer, and a step touches only the rows that its batch names. They are added before a plan is made; the
 * first table is number 0. TRI_UNSUPPORTED where this kind of store has no tables.
 *
 * In every step a plan makes three calls: expect(table, keys), with each key once; await_rows, before it first reads the rows, which copies
 * them to the plan in the order of the keys; offer_rows, when the gradient of the rows, a sum over the batch, is complete. A rule concerns
 * only the keys of the step: a row that the step does not name keeps its weights and its state, also with l2 and momentum (docs/models.md).
 *
 * A plan calls expect as soon as it has the batch. With TRI_NEXT it calls after the begin of the step before, while that step is still to
 * be computed. With TRI_NOW it calls after the step's own begin, where it did not have the batch earlier, or another batch came. The later
 * call replaces the earlier one. keys and gradient are borrowed until their step has ended, by the next begin or flush after offer_rows.
 *
 * A lent table (tri_store_lend_tables) needs none of this. The plan reads its rows where they lie, and adds −rate · gradient / Σ weight to
 * them example by example, with all its threads at once and without locks (Hogwild): when two threads add to one weight at the same moment,
 * one of the two updates may be lost. await_rows and offer_rows are not called for it. Only sgd without l2 and clipping is such a sum; with
 * other rules, and with tables that grow, tri_store_lend_tables does nothing. */
TRI_MUST_CHECK tri_status tri_store_add_table(tri_store *store, int64_t rows, int64_t width);
int tri_store_tables(const tri_store *store);
const tri_table *tri_store_table(tri_store *store, int table); /* to fill, and to read between steps, after flush */
void tri_store_lend_tables(tri_store *store);
bool tri_store_lends_tables(const tri_store *store);

/* Tables that grow (tri_graph_add_growing_tables): a key gets its row in training. tri_store_grows is false where tables do not grow: then
 * key k has row k. */
typedef struct {
    int64_t rows, most;           /* rows that keys have, and rows that there is memory for */
    int64_t left_rare, left_full; /* how often a key was seen that had no row: because it was too rare yet, or memory was full */
} tri_growth;
bool tri_store_grows(const tri_store *store, tri_growth *out);

typedef enum { TRI_NOW, TRI_NEXT } tri_when; /* the step that was begun last, or the step after it */

TRI_MUST_CHECK tri_status tri_store_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count);
TRI_MUST_CHECK tri_status tri_store_await_rows(tri_store *store, int table, float *rows);                          /* [count][width] */
TRI_MUST_CHECK tri_status tri_store_offer_rows(tri_store *store, int table, const float *gradient, double weight); /* [count][width] */

#ifdef __cplusplus
}
#endif
#endif
