/* labels.c: labels as classes. */
#include "data/source/labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { HIGHEST_BIT = 63 }; /* means that any larger label occurs */

bool tri__label_is(double label)
{
    return label >= -1 && label < TRI_MOST_LABELS && label == trunc(label);
}

int64_t tri__label_bit(int64_t label)
{
    int64_t bit = label + 1 < HIGHEST_BIT ? label + 1 : HIGHEST_BIT;
    return (int64_t)(UINT64_C(1) << bit);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

/* The largest step with which all labels can be reached from the lowest one. */
static int64_t step_of(const tri__labels *labels)
{
    int64_t step = labels->high - labels->low;
    for (int64_t label = labels->low; label < labels->high && label + 1 < HIGHEST_BIT; label++)
        if (labels->bits & tri__label_bit(label))
            step = greatest_divisor(step, label - labels->low);
    return step;
}

/* The numbering if −1 occurs, or only one label. −1 means that labels are −1 and +1. A single 0 or 1 means that labels are 0 and 1. A
 * single larger label is a class number that counts from 1. */
static tri_numbering number_one(int64_t label)
{
    if (label == -1)
        return (tri_numbering){.first_label = -1, .label_step = 2, .classes = 2};
    int64_t first = label > 1;
    return (tri_numbering){.first_label = first, .label_step = 1, .classes = label - first + 1 > 2 ? label - first + 1 : 2};
}

static tri_numbering number_all(const tri__labels *labels)
{
    int64_t low = labels->low, high = labels->high;
    bool class_numbers = low == 0 || low == 1 || (uint64_t)labels->bits >> HIGHEST_BIT;
    int64_t first = class_numbers && low > 1 ? 1 : low, step = class_numbers ? 1 : step_of(labels);
    return (tri_numbering){.first_label = first, .label_step = step, .classes = (high - first) / step + 1};
}

tri_status tri__labels_number(const char *spec, const tri__labels *labels, int64_t classes, tri_numbering *out)
{
    int64_t first_index = out->first_index;
    if (labels->low == -1 && labels->high > 1 && classes != 2)
        return tri_fail(TRI_BAD_DATA, "%s: labels go from -1 to %" PRId64 ": either -1 and +1, or class numbers from 0 or 1 on", spec,
                        labels->high);
    if (labels->high < -1)
        *out = number_one(0);
    else if (labels->low == -1 || labels->low == labels->high)
        *out = number_one(labels->low);
    else
        *out = number_all(labels);
    if (classes == 2)
        out->classes = 2;
    out->first_index = first_index;
    return NULL;
}

int64_t tri__label_class(const tri_numbering *numbering, double label)
{
    if (!tri__label_is(label))
        return -1;
    int64_t above = (int64_t)label - numbering->first_label, number = above / numbering->label_step;
    return above >= 0 && above % numbering->label_step == 0 && number < numbering->classes ? number : -1;
}

int64_t tri__class_label(const tri_numbering *numbering, int64_t class)
{
    return numbering->label_step ? numbering->first_label + class * numbering->label_step : class;
}

void tri__labels_tell(const tri_numbering *numbering, double wrong, char text[TRI_LABELS_TOLD])
{
    const char *never = wrong < -1 || wrong >= TRI_MOST_LABELS ? ", and none may be below -1 or above 1048575" : "";
    _Static_assert(TRI_MOST_LABELS == 1048576, "the text has the number");
    int64_t first = numbering->first_label, step = numbering->label_step, last = tri__class_label(numbering, numbering->classes - 1);
    if (step > 1 && numbering->classes == 2)
        snprintf(text, TRI_LABELS_TOLD, "labels are %" PRId64 " and %s%" PRId64 "%s", first, first < 0 && last > 0 ? "+" : "", last, never);
    else if (step > 1)
        snprintf(text, TRI_LABELS_TOLD, "labels are %" PRId64 ", %" PRId64 " and so on to %" PRId64 "%s", first, first + step, last, never);
    else
        snprintf(text, TRI_LABELS_TOLD, "classes are %" PRId64 " to %" PRId64 "%s%s", first, last, never,
                 numbering->classes == 2 && tri__label_is(wrong) && wrong > (double)last
                     ? "; a model with softmax_loss(), such as sparse-softmax, learns more than two"
                     : "");
}

bool tri__labels_differ(const tri_numbering *numbering)
{
    return numbering->label_step && (numbering->first_label || numbering->label_step != 1);
}
