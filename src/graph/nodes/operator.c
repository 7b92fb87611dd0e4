/* operator.c: the table of operators. Each file of operators/ has a family of them, and lists them at its end. */
#include "graph/nodes/operator.h"

#include <string.h>

#include "graph/nodes/operators/row.h"

static const tri_operator *const *const families[] = {
    tri__source_operators,    tri__matmul_operators,   tri__convolution_operators, tri__pooling_operators,    tri__elementwise_operators,
    tri__normalise_operators, tri__loss_operators,     tri__reduce_operators,      tri__shape_operators,      tri__sparse_operators,
    tri__exchange_operators,  tri__variable_operators, tri__control_operators,     tri__batch_norm_operators, tri__concat_operators,
};

enum { FAMILIES = sizeof families / sizeof *families };

const tri_operator *tri__operator_at(int index)
{
    for (int family = 0; family < FAMILIES; family++)
        for (const tri_operator *const *row = families[family]; *row; row++)
            if (index-- == 0)
                return *row;
    return NULL;
}

const tri_operator *tri__operator_find(const char *name)
{
    for (int family = 0; family < FAMILIES; family++)
        for (const tri_operator *const *row = families[family]; *row; row++)
            if (strcmp((*row)->name, name) == 0)
                return *row;
    return NULL;
}

/* Gradients are not public. They have no derivative of their own. */
static bool is_public(const tri_operator *row)
{
    return row->backward || row->no_gradient || row->most == 0 || strcmp(row->name, "image") == 0;
}

const char *tri_operator_name(int index)
{
    const tri_operator *row;
    for (int i = 0; (row = tri__operator_at(i)); i++)
        if (is_public(row) && index-- == 0)
            return row->name;
    return NULL;
}
