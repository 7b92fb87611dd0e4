/* functions.c: the functions of the language of columns and findings. */
#include "lab/expression/functions.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lab/figures/regression.h"
#include "lab/figures/statistics.h"

static double sum(const tri__number_list *list)
{
    double total = 0;
    for (int64_t i = 0; i < list->count; i++)
        total += list->number[i];
    return total;
}

static double mean(const tri__number_list *list)
{
    return tri__mean(list->number, list->count);
}

static double median(const tri__number_list *list)
{
    return tri__median(list->number, list->count);
}

static double least(const tri__number_list *list)
{
    return tri__quantile(list->number, list->count, 0);
}

static double most(const tri__number_list *list)
{
    return tri__quantile(list->number, list->count, 1);
}

static double spread(const tri__number_list *list)
{
    return most(list) - least(list);
}

static double count(const tri__number_list *list)
{
    return (double)list->count;
}

static double first(const tri__number_list *list)
{
    return list->count ? list->number[0] : NAN;
}

static double last(const tri__number_list *list)
{
    return list->count ? list->number[list->count - 1] : NAN;
}

/* 1 where every number is above the one before it (below, where sign is −1); NaN where there are fewer than two numbers, or one is not
 * known. */
static double goes_up(const tri__number_list *list, double sign)
{
    bool holds = true;
    for (int64_t i = 0; i < list->count; i++)
        if (isnan(list->number[i]))
            return NAN;
    for (int64_t i = 1; i < list->count; i++)
        holds = holds && sign * list->number[i] > sign * list->number[i - 1];
    return list->count > 1 ? holds : NAN;
}

static double rises(const tri__number_list *list)
{
    return goes_up(list, 1);
}

static double falls(const tri__number_list *list)
{
    return goes_up(list, -1);
}

/* Fit y to x. All numbers are NaN where that is not possible. */
static tri__regression fit_line(const tri__number_list *y, const tri__number_list *x)
{
    tri__regression fit = {.r2 = NAN, .column = {{.slope = NAN, .p = NAN}}};
    if (y->count != x->count)
        return fit;
    tri_status status = tri__regression_fit(x->number, y->number, y->count, 1, &fit);
    if (status)
        fit = (tri__regression){.r2 = NAN, .column = {{.slope = NAN, .p = NAN}}};
    tri_status_free(status);
    return fit;
}

static double slope(const tri__number_list *y, const tri__number_list *x)
{
    return fit_line(y, x).column[0].slope;
}

static double line_p(const tri__number_list *y, const tri__number_list *x)
{
    return fit_line(y, x).column[0].p;
}

static double r2(const tri__number_list *y, const tri__number_list *x)
{
    return fit_line(y, x).r2;
}

static double welch(const tri__number_list *a, const tri__number_list *b)
{
    return tri__welch_test(a->number, a->count, b->number, b->count).p;
}

static double low(const tri__number_list *list)
{
    return tri__bootstrap_median(list->number, list->count, 0.95).low;
}

static double high(const tri__number_list *list)
{
    return tri__bootstrap_median(list->number, list->count, 0.95).high;
}

static const tri__function functions[] = {
    {.name = "sum", .arguments = 1, .inherits = true, .of_list = sum},
    {.name = "mean", .arguments = 1, .inherits = true, .of_list = mean},
    {.name = "median", .arguments = 1, .inherits = true, .of_list = median},
    {.name = "min", .arguments = 1, .inherits = true, .of_list = least},
    {.name = "max", .arguments = 1, .inherits = true, .of_list = most},
    {.name = "spread", .arguments = 1, .inherits = true, .of_list = spread},
    {.name = "count", .arguments = 1, .inherits = true, .of_list = count},
    {.name = "first", .arguments = 1, .inherits = true, .of_list = first},
    {.name = "last", .arguments = 1, .inherits = true, .of_list = last},
    {.name = "rises", .arguments = 1, .inherits = true, .tells = true, .of_list = rises},
    {.name = "falls", .arguments = 1, .inherits = true, .tells = true, .of_list = falls},
    {.name = "abs", .arguments = 1, .inherits = true, .of_each = fabs},
    {.name = "sqrt", .arguments = 1, .inherits = true, .of_each = sqrt},
    {.name = "log", .arguments = 1, .inherits = true, .of_each = log},
    {.name = "all", .arguments = 1, .wanted = TRI_WANT_ALL},
    {.name = "reported", .arguments = 1, .wanted = TRI_WANT_REPORTED},
    {.name = "slope", .arguments = 2, .wanted = TRI_WANT_ALL, .of_two = slope},
    {.name = "p", .arguments = 2, .wanted = TRI_WANT_ALL, .of_two = line_p},
    {.name = "r2", .arguments = 2, .wanted = TRI_WANT_ALL, .of_two = r2},
    {.name = "low", .arguments = 1, .wanted = TRI_WANT_ALL, .of_list = low},
    {.name = "high", .arguments = 1, .wanted = TRI_WANT_ALL, .of_list = high},
    {.name = "welch", .arguments = 2, .wanted = TRI_WANT_ALL, .of_two = welch},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const tri__function *tri__function_find(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

const char *tri__function_row_name(int row)
{
    return row < FUNCTIONS ? functions[row].name : NULL;
}
