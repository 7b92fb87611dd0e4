/* mixup.h: mixes training examples in pairs (Zhang et al., "mixup: Beyond Empirical Risk Minimization", 2018).
 *
 * An example becomes x = λ · x₁ + (1 − λ) · x₂, and its label is mixed in the same way. λ is drawn from Beta(α, α).
 *
 * Usually x₂ is another example of the batch. But the number of workers decides which examples share a batch, so replicas would learn
 * something else than one worker with the joint batch. Here x₂ is any example that the worker may read. Which one it is, and λ, follow
 * from the seed, the epoch and the record number of x₁ alone, whatever thread or machine mixes them. The price: each example is read
 * twice. */
#ifndef TRI_DATA_BATCH_MIXUP_H
#define TRI_DATA_BATCH_MIXUP_H

#include "trireme/dataset.h"

typedef struct {
    double share;    /* λ: the share of the example itself */
    int64_t partner; /* the other example's position among all records of the run; it may be the example itself */
} tri__mixing;

/* *out: how many classes have a share in each mixed label; 0 if labels are not classes. wanted: 0 is the source's own number. TRI_BAD_CALL
 * if nobody knows the number. */
TRI_MUST_CHECK tri_status tri__mixup_classes(const tri_source_info *source, int64_t wanted, int64_t *out);

/* records: how many the run has. */
tri__mixing tri__mixup_draw(double alpha, uint64_t seed, int64_t epoch, int64_t record, int64_t records);

/* own ← share · own + (1 − share) · other, count elements of type; bytes are rounded */
void tri__mixup_values(tri_type type, int64_t count, double share, void *own, const void *other);

/* Write the shares of two labels to shares, [classes]; *label becomes the label with the larger share. If one of the two is not a class,
 * *label becomes that one and all shares are 0: the plan refuses such a label. */
void tri__mixup_labels(int64_t classes, double share, int32_t *label, int32_t other, float *shares);

/* Class weights: the example gets the weight λ · w₁ + (1 − λ) · w₂, which is returned, and each share becomes its label's part of that. So
 * the loss is the same as for two examples with one label each, of the weights λ · w₁ and (1 − λ) · w₂. weights: [known]; further classes
 * weigh 1. */
float tri__mixup_weigh(int64_t classes, const float *weights, int64_t known, float *shares);

#endif
