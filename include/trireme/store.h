/* store.h: where the parameters live, and how a gradient becomes an update.
 *
 * All parameters are one flat buffer of floats. In every step a plan calls await(r) before it first reads the range r, and offer(r)
 * when it has read r for the last time and r's gradient, a sum over the batch, is complete. From offer(r) until the next await(r)
 * returns, parameters and gradient of r belong to the store. flush() precedes evaluation, checkpoint and exit.
 * One thread calls a store. Every call may wait, never longer than the deadline the store was made with. */
#ifndef TRIREME_STORE_H
#define TRIREME_STORE_H

#include "trireme/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_store tri_store;

typedef enum { TRI_RULE_SGD, TRI_RULE_MOMENTUM, TRI_RULE_ADAGRAD, TRI_RULE_ADAM, TRI_RULE_FTRL } tri_rule_kind;

typedef struct {
    tri_rule_kind kind;
    float momentum;     /* momentum: 0.9 where 0 */
    float beta1, beta2; /* adam: 0.9 and 0.999 where 0 */
    float epsilon;      /* adagrad, adam: 1e-8 where 0 */
    float l1, l2;       /* l2 is part of every rule: gradient + l2 · parameter; l1 of ftrl only */
    float ftrl_beta;    /* ftrl: 1 where 0 */
    float clip;         /* bound of the whole gradient's norm; 0 is none */
} tri_rule;

typedef struct {
    int64_t step; /* updates before this one, from 0 */
    float rate;
} tri_step;

TRI_MUST_CHECK tri_status tri_rule_parse(const char *name, tri_rule_kind *out);
const char *tri_rule_name(tri_rule_kind kind);
int tri_rule_slots(tri_rule_kind kind); /* floats of state a parameter: 0, 1 or 2 */

/* A store that applies the rule in this process. floats is the size of the flat buffer. All parameters start at 0. */
TRI_MUST_CHECK tri_status tri_store_local_create(size_t floats, const tri_rule *rule, tri_store **out);
void tri_store_destroy(tri_store *store);

size_t tri_store_floats(const tri_store *store);
float *tri_store_parameters(tri_store *store);
float *tri_store_gradient(tri_store *store);       /* NULL after tri_store_drop_gradient */
float *tri_store_slot(tri_store *store, int slot); /* the rule's state, laid out as the parameters; NULL where there is no such slot */
const tri_rule *tri_store_rule(const tri_store *store);

TRI_MUST_CHECK tri_status tri_store_begin(tri_store *store, const tri_step *step);
TRI_MUST_CHECK tri_status tri_store_await(tri_store *store, tri_range range);
TRI_MUST_CHECK tri_status tri_store_offer(tri_store *store, tri_range range, double weight); /* weight: Σ of the examples' weights */
TRI_MUST_CHECK tri_status tri_store_flush(tri_store *store);

/* A store that applies what it is offered at once needs no gradient of all parameters. Dropping it, before a plan is made, lets the plan
 * keep each gradient among its activations, only as long as it is needed, and offer it from there. Where the store needs the whole
 * gradient (clipping) this does nothing. */
void tri_store_drop_gradient(tri_store *store);
TRI_MUST_CHECK tri_status tri_store_offer_from(tri_store *store, tri_range range, const float *gradient, double weight);

#ifdef __cplusplus
}
#endif
#endif
