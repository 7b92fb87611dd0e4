/* norm.c: how long a gradient is. */
#include "store/norm.h"

#include "base/bytes/vector.h"
#include "graph/rule/rule.h"

TRI_FOR_EVERY_CPU double tri__sum_of_squares(const float *x, size_t count)
{
    enum { LANES = 16 };
    double lane[LANES] = {0}, sum = 0;
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += (double)x[i + k] * x[i + k];
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    for (size_t i = whole; i < count; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

double tri__trained_squares(const tri_rule *rule, tri_range range, const float *gradient)
{
    return tri__sum_of_squares(gradient, range.count - tri__rule_state_in(rule, range));
}
