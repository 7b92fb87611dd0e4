/* predict.h: predicts with a trained model: the probability of each class, or of each label of a set, or the numbers themselves. */
#ifndef TRI_TRAIN_EVALUATE_PREDICT_H
#define TRI_TRAIN_EVALUATE_PREDICT_H

#include "train/evaluate/trained.h"
#include "trireme/dataset.h"

typedef struct tri__predictor tri__predictor;

/* trained is borrowed. threads 0: every CPU. */
TRI_MUST_CHECK tri_status tri__predictor_create(const tri__trained *trained, int threads, tri__predictor **out);
void tri__predictor_destroy(tri__predictor *predictor); /* accepts NULL */

int64_t tri__predictor_classes(const tri__predictor *predictor); /* or labels, or numbers */

/* A batch for the caller to fill; not for a sparse model. Returns room for `rows` examples, of the type and shape of the checkpoint's
 * input. */
void *tri__predictor_rows(tri__predictor *predictor, int64_t *rows);

/* Probabilities, [count][classes], valid until the next call. tri__predictor_batch: of the examples of batch; tri__predictor_run: of the
 * first `count` examples in tri__predictor_rows. */
TRI_MUST_CHECK tri_status tri__predictor_batch(tri__predictor *predictor, const tri_batch *batch, const float **probabilities);
TRI_MUST_CHECK tri_status tri__predictor_run(tri__predictor *predictor, int64_t count, const float **probabilities);

#endif
