/* confusion.c: a matrix of counts. The row of a class holds its examples; its column holds the examples that were taken for it. */
#include "train/evaluate/confusion.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

enum { AMONG = 5 };

tri_status tri__confusion_init(tri__confusion *confusion, int64_t classes)
{
    *confusion = (tri__confusion){.classes = classes};
    if (classes > TRI_CONFUSION_CLASSES)
        return tri_fail(TRI_BAD_CALL, "%lld classes: a confusion matrix has at most %d", (long long)classes, TRI_CONFUSION_CLASSES);
    return tri__allocate((size_t)(classes * classes) + 1, sizeof *confusion->count, "a confusion matrix", &confusion->count);
}

void tri__confusion_fini(tri__confusion *confusion)
{
    free(confusion->count);
    *confusion = (tri__confusion){0};
}

/* How many classes are likelier than the label. */
static int64_t likelier(int64_t label, int64_t guess, const float *scores, int64_t columns)
{
    int64_t count = 0;
    if (columns < 2)
        return label != guess;
    for (int64_t class = 0; class < columns; class ++)
        count += scores[class] > scores[label] || (class < label && scores[class] == scores[label]);
    return count;
}

void tri__confusion_add(tri__confusion *confusion, int64_t label, int64_t guess, const float *scores, int64_t columns)
{
    confusion->count[label * confusion->classes + guess]++;
    confusion->examples++;
    for (int64_t i = likelier(label, guess, scores, columns); i < AMONG; i++)
        confusion->among[i]++;
}

int64_t tri__confusion_at(const tri__confusion *confusion, int64_t label, int64_t guess)
{
    return confusion->count[label * confusion->classes + guess];
}

static double ratio(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* precision = right / guessed, recall = right / count, f1 = 2·right / (guessed + count) */
tri__class_score tri__class_score_of(int64_t right, int64_t guessed, int64_t count)
{
    return (tri__class_score){
        .precision = ratio(right, guessed), .recall = ratio(right, count), .f1 = ratio(2 * right, guessed + count), .count = count};
}

tri__class_score tri__confusion_class(const tri__confusion *confusion, int64_t label)
{
    int64_t count = 0, guessed = 0, right = tri__confusion_at(confusion, label, label);
    for (int64_t other = 0; other < confusion->classes; other++) {
        count += tri__confusion_at(confusion, label, other);
        guessed += tri__confusion_at(confusion, other, label);
    }
    return tri__class_score_of(right, guessed, count);
}

double tri__confusion_among(const tri__confusion *confusion, int best)
{
    return ratio(confusion->among[best - 1], confusion->examples);
}

double tri__confusion_mean_f1(const tri__confusion *confusion)
{
    double sum = 0;
    int64_t classes = 0;
    for (int64_t class = 0; class < confusion->classes; class ++) {
        const double f1 = tri__confusion_class(confusion, class).f1;
        if (isnan(f1))
            continue;
        sum += f1;
        classes++;
    }
    return classes ? sum / (double)classes : NAN;
}
