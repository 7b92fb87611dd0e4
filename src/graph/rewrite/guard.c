/* guard.c: goes from readers to what they read. A node's guard is the innermost guard that is common to all its uses; a cond uses its
 * branches under its predicate. */
#include "graph/rewrite/guard.h"

#include <string.h>

#include "graph/nodes/operator.h"

typedef struct {
    tri_graph *graph;
    const tri__guard **guard; /* [nodes] */
    bool *used;               /* [nodes] it has readers so far, and guard is common to them */
    const tri__guard **made;  /* [nodes · 2] all guards so far */
    int count;                /* how many guards there are so far */
} finding;

const tri__guard *tri__guard_common(const tri__guard *a, const tri__guard *b)
{
    while (a != b) {
        if (!a || !b)
            return NULL;
        if (a->depth >= b->depth)
            a = a->outer;
        else
            b = b->outer;
    }
    return a;
}

/* There is one object for each predicate, branch and outer guard, so that pointers can be compared. */
static tri_status inner_guard(finding *self, tri_node *predicate, bool taken, const tri__guard *outer, const tri__guard **out)
{
    for (int i = 0; i < self->count; i++)
        if (self->made[i]->predicate == predicate && self->made[i]->taken == taken && self->made[i]->outer == outer) {
            *out = self->made[i];
            return NULL;
        }
    tri__guard *guard = TRI_ARENA_NEW(self->graph->arena, tri__guard);
    if (!guard)
        return tri_fail(TRI_NO_MEMORY, "no memory for the branches of a graph");
    *guard = (tri__guard){.predicate = predicate, .taken = taken, .outer = outer, .depth = outer ? outer->depth + 1 : 1};
    guard->number = self->count;
    self->made[self->count++] = *out = guard;
    return NULL;
}

static bool is_always_needed(const tri_graph *graph, const tri_node *node)
{
    static const char *const crossing[] = {"send", "expect", "receive"};
    bool needed = node->inputs == 0 || node->target || node->parameter || node->op->assigns;
    for (size_t i = 0; i < sizeof crossing / sizeof *crossing; i++)
        needed |= tri__node_is(node, crossing[i]);
    for (int i = 0; i < graph->outputs; i++)
        needed |= graph->output[i].node == node;
    return needed;
}

static void use(finding *self, const tri_node *value, const tri__guard *guard)
{
    self->guard[value->id] = self->used[value->id] ? tri__guard_common(self->guard[value->id], guard) : guard;
    self->used[value->id] = true;
}

static tri_status find(finding *self)
{
    for (int i = self->graph->count - 1; i >= 0; i--) {
        const tri_node *node = self->graph->node[i];
        if (is_always_needed(self->graph, node))
            self->guard[i] = NULL;
        for (int k = 0; k < node->inputs; k++) {
            const tri__guard *guard = self->guard[i];
            if (k > 0 && tri__node_is(node, "cond"))
                TRI_TRY(inner_guard(self, node->input[0], k == 1, self->guard[i], &guard));
            use(self, node->input[k], guard);
        }
    }
    return NULL;
}

tri_status tri__graph_find_guards(tri_graph *graph, const tri__guard **guard, int *count)
{
    int conds = 0;
    *count = 0;
    for (int i = 0; i < graph->count; i++) {
        guard[i] = NULL;
        conds += tri__node_is(graph->node[i], "cond");
    }
    if (!conds)
        return NULL;
    finding self = {.graph = graph, .guard = guard};
    self.used = tri__arena_alloc(graph->arena, (size_t)graph->count * sizeof *self.used);
    self.made = tri__arena_alloc(graph->arena, 2 * (size_t)conds * sizeof(tri__guard *));
    if (!self.used || !self.made)
        return tri_fail(TRI_NO_MEMORY, "no memory for the branches of a graph");
    memset(self.used, 0, (size_t)graph->count * sizeof *self.used);
    TRI_TRY(find(&self));
    *count = self.count;
    return NULL;
}
