/* plan.h: a graph compiled for one batch size. Making a plan does all the thinking; running it allocates nothing.
 *
 * A plan owns one buffer for all activations, laid out by lifetime, and kernel objects made once. It reads batches in place, reads
 * parameters from a store and writes gradients into it. One thread runs a plan. Its kernels use an OpenMP team of
 * `threads`: making and running a plan sets the calling thread's team size. */
#ifndef TRIREME_PLAN_H
#define TRIREME_PLAN_H

#include "trireme/dataset.h"
#include "trireme/exchange.h"
#include "trireme/graph.h"
#include "trireme/store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_plan tri_plan;

/* Rewrites and kernel families that can be switched off, to compare with. */
enum {
    TRI_PLAN_FUSE = 1,           /* bias and activation into their producer */
    TRI_PLAN_DEAD = 2,           /* drop nodes that nothing reads */
    TRI_PLAN_INPUT_GRADIENT = 4, /* drop the gradient of inputs */
    TRI_PLAN_FOLD = 8,           /* compute constants once */
    TRI_PLAN_TRACE = 16,         /* trace(A·B) → Σ A∘Bᵀ */
    TRI_PLAN_POOL_RELU = 32,     /* max-pool before ReLU */
    TRI_PLAN_ONEDNN = 64,        /* kernels of oneDNN */
    TRI_PLAN_NARROW = 128,       /* kernels for layers with few channels */
    TRI_PLAN_IN_PLACE = 256,     /* write a result over an input that is not read later */
    TRI_PLAN_ALL = 511,
};

typedef struct {
    int64_t batch;
    bool training;     /* build gradients of the output "loss", run dropout */
    bool keep_logits;  /* with training: tri_plan_value has "logits", too, as they were before the step's update */
    bool label_shares; /* with training: the loss over classes reads targets, each class's share in the label, in place of labels */
    int threads;       /* 0: as many as OpenMP gives */
    uint64_t seed;     /* of dropout and random nodes */
    unsigned without;  /* TRI_PLAN_* bits to switch off; 0 is the fast plan */
    int64_t parts; /* with training: a batch has `parts` × `batch` rows, and is computed in parts of `batch` rows, one after another; their
                           gradients are added up and offered once. 0 is 1; more than 1 only for dense models */
    bool deterministic; /* the same bits for any number of threads: all of them read and update tables, one computes dense layers */

    /* Where several tasks run the graph together, each with a plan of its own: how this task's values get to the others. NULL: one task
     * runs the whole graph, and places are ignored. Borrowed; must outlive the plan. */
    tri_exchange *exchange;
} tri_plan_options;

/* The store is borrowed (its parameters and gradient are bound) and must outlive the plan; the graph may go. */
TRI_MUST_CHECK tri_status tri_plan_create(const tri_graph *graph, const tri_plan_options *options, tri_store *store, tri_plan **out);
void tri_plan_destroy(tri_plan *plan); /* accepts NULL */

/* Forward, loss, backward; parameters are awaited and gradients offered to the store on the way. loss gets Σ weight × loss.
 * TRI_BAD_CALL where the batch has no labels or weights that the graph reads. */
TRI_MUST_CHECK tri_status tri_plan_train(tri_plan *plan, const tri_batch *batch, double *loss);

/* For a model with tables: tell the plan early which batch comes next, behind the one that it will train on now. Call it after
 * tri_store_begin of this step and before its tri_plan_train. The store then knows which rows the next step will read, and can fetch them
 * meanwhile. The plan reads the batches and does not keep them. Where another batch comes after all, tri_plan_train corrects the store. The
 * call is never needed, and does nothing where tri_plan_expects is false. */
TRI_MUST_CHECK tri_status tri_plan_expect(tri_plan *plan, const tri_batch *batch, const tri_batch *next);
bool tri_plan_expects(const tri_plan *plan); /* the plan is for training, and has tables that neither grow nor are lent */

/* Forward only. Afterwards tri_plan_value reads the graph's outputs. Labels and weights may be NULL; "loss" means nothing then. */
TRI_MUST_CHECK tri_status tri_plan_run(tri_plan *plan, const tri_batch *batch);

/* A new value for a variable (a parameter, or an input of a graph file), before a run. Where several tasks run the graph, the task that
 * has the variable takes the value, and the others ignore it. TRI_NOT_FOUND for an unknown name. */
TRI_MUST_CHECK tri_status tri_plan_feed(tri_plan *plan, const char *variable, const tri_tensor *value);

/* The value of an output in plain row-major layout, valid until the next run. TRI_NOT_FOUND for an unknown name. */
TRI_MUST_CHECK tri_status tri_plan_value(tri_plan *plan, const char *output, tri_tensor *out);

/* Whether batches may point to examples that stand anywhere (tri_batch's `at`). */
bool tri_plan_takes_scattered(const tri_plan *plan);

size_t tri_plan_bytes(const tri_plan *plan); /* activations and workspaces */
double tri_plan_flops(const tri_plan *plan); /* of matrix products and convolutions, in one run; for loops, in the last run */
int tri_plan_calls(const tri_plan *plan);    /* kernel calls in one run */
const char *tri_plan_call_text(const tri_plan *plan, int index); /* "onednn conv_forward conv1 64x64x55x55", to show to people */
double tri_plan_call_seconds(const tri_plan *plan, int index);   /* spent in this call so far, where timing is on */
void tri_plan_time(tri_plan *plan, bool on);

#ifdef __cplusplus
}
#endif
#endif
