/* row.c: the checks that shape rules are made of. */
#include "graph/nodes/operators/row.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tri_status tri__refuse(const tri_node *node, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return tri_fail(TRI_BAD_CALL, "%s '%s': %s", node->op->name, node->name, message);
}

tri_status tri__expect(const tri_node *node, int i, const char *what, tri_type type, int rank)
{
    const tri_node *input = node->input[i];
    if (input->type != type)
        return tri__refuse(node, "%s ('%s') is %s, expected %s", what, input->name, tri_type_name(input->type), tri_type_name(type));
    if (rank != TRI_ANY_RANK && input->shape.rank != rank)
        return tri__refuse(node, "%s ('%s') is %s, expected %d dimension%s", what, input->name, TRI_TEXT(input->shape), rank,
                           rank == 1 ? "" : "s");
    return NULL;
}

tri_status tri__expect_shape(const tri_node *node, int i, const char *what, tri_type type, tri_shape shape)
{
    TRI_TRY(tri__expect(node, i, what, type, TRI_ANY_RANK));
    if (!tri_shape_equal(node->input[i]->shape, shape))
        return tri__refuse(node, "%s ('%s') is %s, expected %s", what, node->input[i]->name, TRI_TEXT(node->input[i]->shape),
                           TRI_TEXT(shape));
    return NULL;
}

tri_status tri__give(const tri_node *node, tri_shape wanted, tri_type *type, tri_shape *shape)
{
    /* A batch of 0 would hide an overflow among the other dimensions. */
    tri_shape example = wanted;
    for (int i = 0; i < wanted.rank && i < TRI_MAX_RANK; i++)
        example.dim[i] = wanted.dim[i] == 0 ? 1 : wanted.dim[i];
    int64_t count;
    tri_status failed = tri_shape_check(example, &count);
    if (failed)
        return tri_wrap(failed, "%s '%s'", node->op->name, node->name);
    *type = TRI_F32;
    *shape = wanted;
    return NULL;
}

tri_status tri__forward_input(const tri_node *node, int i, tri_shape *out)
{
    if (!node->forward || node->forward->inputs <= i)
        return tri__refuse(node, "is made by differentiation only; use the operator that it is the gradient of");
    *out = node->forward->input[i]->shape;
    return NULL;
}

tri_status tri__untrained(const tri_node *node, int i, const char *what, const bool *wanted)
{
    const tri_node *input = node->input[i];
    if (!wanted[i] || strcmp(input->op->name, "input") == 0)
        return NULL;
    return tri__refuse(node, "has no derivative by %s ('%s'), but a parameter lies behind it", what, input->name);
}

int64_t tri__dims_product(tri_shape shape, int first, int end)
{
    int64_t product = 1;
    for (int i = first; i < end; i++)
        product *= shape.dim[i];
    return product;
}
