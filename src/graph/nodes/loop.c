/* loop.c: the body of a loop is a graph whose parameters are the values that it reads. Operators that graphs have anyway change these
 * values between two rounds: a carried parameter is assigned cond(again, its next value, itself). So a round in which `again` is not above
 * 0 changes nothing, and a plan skips what only the next values need. */
#include "graph/nodes/loop.h"

#include <inttypes.h>
#include <string.h>

#include "graph/nodes/operator.h"

static const char again[] = "again";

const tri_node *tri__loop_input(const tri_graph *body, int i)
{
    for (int n = 0; n < body->count; n++)
        if (tri__node_is(body->node[n], "parameter") && i-- == 0)
            return body->node[n];
    return NULL;
}

const tri_node *tri__loop_carried(const tri_graph *body, int i)
{
    for (int n = 0; n < body->count; n++)
        if (body->node[n]->op->assigns && i-- == 0)
            return body->node[n]->input[0];
    return NULL;
}

int64_t tri__loop_offset(const tri_graph *body, int i)
{
    int64_t offset = 0;
    const tri_node *carried;
    for (int k = 0; k < i && (carried = tri__loop_carried(body, k)); k++)
        offset += tri_shape_count(carried->shape);
    return offset;
}

/* ---- making a loop ---- */

static tri_status check_body(const tri_graph *body, const char *name)
{
    for (int i = 0; i < body->count; i++)
        if (tri__node_is(body->node[i], "input") || body->node[i]->table >= 0 || body->node[i]->op->assigns)
            return tri_fail(TRI_BAD_CALL, "the body of '%s' has '%s' (%s); its sources are constants and parameters", name,
                            body->node[i]->name, body->node[i]->op->name);
    for (int i = 0; i < body->outputs; i++) {
        const tri_node *named = tri_graph_find(body, body->output[i].name);
        if (strcmp(body->output[i].name, again) != 0 && (!named || !tri__node_is(named, "parameter")))
            return tri_fail(TRI_BAD_CALL, "the body of '%s' has an output '%s', and no parameter of that name", name, body->output[i].name);
    }
    return NULL;
}

/* Where the body has a next value for the parameter, assign that value to it. */
static tri_status carry(tri_graph *body, tri_node *go_on, tri_node *parameter)
{
    tri_node *next = tri_graph_find_output(body, parameter->name), *chosen, *assigned;
    if (!next)
        return NULL;
    TRI_TRY(tri_graph_add(body, "cond", NULL, (tri_node *[]){go_on, next, parameter}, 3, NULL, &chosen));
    TRI_TRY(tri_graph_add(body, "assign", NULL, (tri_node *[]){parameter, chosen}, 2, NULL, &assigned));
    tri_graph_target(body, assigned);
    return NULL;
}

static tri_status carry_all(tri_graph *body, const char *name)
{
    tri_node *go_on = tri_graph_find_output(body, again);
    if (!go_on)
        return tri_fail(TRI_BAD_CALL, "the body of '%s' has no output '%s', which says whether there is another round", name, again);
    const int count = body->count;
    if (tri__node_is(go_on, "parameter")) /* copy its value of this round: the parameter itself gets the value of the next round */
        TRI_TRY(tri_graph_add(body, "multiply", NULL, &go_on, 1, &(tri_attributes){.scale = 1}, &go_on));
    for (int i = 0; i < count; i++)
        if (tri__node_is(body->node[i], "parameter"))
            TRI_TRY(carry(body, go_on, body->node[i]));
    body->outputs = 1;
    body->output[0] = (tri__output){again, go_on};
    return NULL;
}

tri_status tri_graph_while(tri_graph *graph, const char *name, tri_graph *body, tri_node *const *inputs, int count, int64_t most,
                           tri_node **out)
{
    const char *shown = name ? name : "a loop";
    TRI_TRY(tri__graph_own(graph, body));
    TRI_TRY(check_body(body, shown));
    TRI_TRY(carry_all(body, shown));
    if (most < 1)
        return tri_fail(TRI_BAD_CALL, "'%s' makes at most %" PRId64 " rounds, expected 1 or more", shown, most);
    return tri__graph_add(graph, "while", name, inputs, count, &(tri_attributes){.body = body, .most = most}, NULL, out);
}

tri_status tri_graph_carried(tri_graph *graph, const char *name, tri_node *loop, const char *parameter, tri_node **out)
{
    const tri_node *carried;
    if (!loop->attributes.body)
        return tri_fail(TRI_BAD_CALL, "'%s' (%s) is no loop, and carries nothing", loop->name, loop->op->name);
    for (int i = 0; (carried = tri__loop_carried(loop->attributes.body, i)); i++)
        if (strcmp(carried->name, parameter) == 0)
            return tri__graph_add(graph, "carried", name, &loop, 1, &(tri_attributes){.index = i}, NULL, out);
    return tri_fail(TRI_NOT_FOUND, "the loop '%s' carries no '%s'", loop->name, parameter);
}
