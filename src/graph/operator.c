/* operator.c: the table of operators. The rows themselves are in operators/, one file a family. */
#include "graph/operator.h"

#include <string.h>

#include "graph/operators/row.h"

#define TRI_OPERATOR_POINTER(name) &tri__op_##name,
static const tri_operator *const table[] = {TRI_OPERATORS(TRI_OPERATOR_POINTER)};

enum { COUNT = sizeof table / sizeof *table };

const tri_operator *const *tri__operator_table(int *count)
{
    *count = COUNT;
    return table;
}

const tri_operator *tri__operator_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
