/* progressive.c: progressive validation. */
#include "train/evaluate/progressive.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

/* Log odds beyond ±32 are practically certain, and share the first and the last bucket. */
enum { BUCKETS = 1 << 16, MOST = 32 };

tri_status tri__progressive_create(tri__progressive **out)
{
    tri__progressive *progressive;
    TRI_TRY(tri__allocate(1, sizeof *progressive, "progressive validation", &progressive));
    tri_status status = NULL;
    for (int i = 0; i < 2 && !status; i++)
        status = tri__allocate(BUCKETS, sizeof *progressive->count[i], "progressive validation", &progressive->count[i]);
    if (status)
        tri__progressive_destroy(progressive);
    else
        *out = progressive;
    return status;
}

void tri__progressive_destroy(tri__progressive *progressive)
{
    if (!progressive)
        return;
    free(progressive->count[0]);
    free(progressive->count[1]);
    free(progressive);
}

static int bucket_of(float score)
{
    const int each = BUCKETS / (2 * MOST); /* buckets for each 1 of log odds */
    const float bucket = (score + MOST) * (float)each;
    return bucket >= BUCKETS - 1 ? BUCKETS - 1 : bucket > 0 ? (int)bucket : 0; /* NaN goes to the first */
}

void tri__progressive_add(tri__progressive *progressive, const tri_batch *batch, const float *logits, int64_t columns)
{
    for (int64_t row = 0; row < batch->count; row++) {
        const float *line = logits + row * columns, score = columns == 1 ? line[0] : line[1] - line[0];
        const int32_t label = batch->labels[row];
        if (batch->weights[row] == 0)
            continue; /* damaged */
        tri__score_sums_add(&progressive->recent, score, label);
        progressive->count[label != 0][bucket_of(score)]++;
    }
}

tri__score_sums tri__progressive_all(const tri__progressive *progressive)
{
    const tri__score_sums *a = &progressive->before, *b = &progressive->recent;
    return (tri__score_sums){
        .examples = a->examples + b->examples,
        .right = a->right + b->right,
        .positive = a->positive + b->positive,
        .logloss = a->logloss + b->logloss,
        .predicted = a->predicted + b->predicted,
    };
}

void tri__progressive_settle(tri__progressive *progressive)
{
    progressive->before = tri__progressive_all(progressive);
    progressive->recent = (tri__score_sums){0};
}

/* Every positive beats all negatives of lower buckets, and half of the negatives of its own bucket. */
double tri__progressive_auc(const tri__progressive *progressive)
{
    double positives = 0, negatives = 0, beaten = 0;
    for (int i = 0; i < BUCKETS; i++) {
        const double positive = (double)progressive->count[1][i], negative = (double)progressive->count[0][i];
        beaten += positive * (negatives + negative / 2);
        positives += positive;
        negatives += negative;
    }
    return positives > 0 && negatives > 0 ? beaten / (positives * negatives) : NAN;
}
