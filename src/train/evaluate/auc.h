/* auc.h: how well scores tell two classes apart. */
#ifndef TRI_TRAIN_EVALUATE_AUC_H
#define TRI_TRAIN_EVALUATE_AUC_H

#include <stdint.h>

#include "trireme/status.h"

/* Area under the ROC curve: the chance that a positive example scores above a negative one; a tie counts half. NaN where all labels are the
 * same. */
TRI_MUST_CHECK tri_status tri__auc(const float *scores, const int32_t *labels, int64_t count, double *out);

#endif
