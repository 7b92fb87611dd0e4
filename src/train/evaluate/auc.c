/* auc.c: the area under the ROC curve, by ranks (the Mann-Whitney statistic). */
#include "train/evaluate/auc.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

/* Score and label as one number. The upper half is the score, so that unsigned numbers have the order of the floats; the lowest bit is the
 * label. */
static uint64_t packed(float score, int32_t label)
{
    union {
        float number;
        uint32_t bits;
    } view = {.number = score};
    uint32_t order = view.bits & 0x80000000u ? ~view.bits : view.bits | 0x80000000u;
    return (uint64_t)order << 32 | (label != 0);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* For each run of equal scores, every positive in it beats all negatives before it and half of those within it. */
static double area(const uint64_t *sorted, int64_t count)
{
    double positives = 0, negatives = 0, beaten = 0;
    for (int64_t start = 0, end; start < count; start = end) {
        double here[2] = {0, 0};
        for (end = start; end < count && sorted[end] >> 32 == sorted[start] >> 32; end++)
            here[sorted[end] & 1]++;
        beaten += here[1] * (negatives + here[0] / 2);
        negatives += here[0];
        positives += here[1];
    }
    return positives && negatives ? beaten / (positives * negatives) : NAN;
}

tri_status tri__auc(const float *scores, const int32_t *labels, int64_t count, double *out)
{
    uint64_t *sorted;
    TRI_TRY(tri__allocate((size_t)count + 1, sizeof *sorted, "the ranks of scores", &sorted));
    for (int64_t i = 0; i < count; i++)
        sorted[i] = packed(scores[i] + 0.0f, labels[i]); /* + 0: minus zero is zero */
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    *out = area(sorted, count);
    free(sorted);
    return NULL;
}
