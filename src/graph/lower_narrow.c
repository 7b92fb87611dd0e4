/* lower_narrow.c */
#include "graph/plan.h"
tri_status tri__narrow_find(tri__compiler *compiler)
{
    (void)compiler;
    return NULL;
}
tri_status tri__lower_narrow(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    (void)compiler, (void)node, (void)lowered;
    return NULL;
}
