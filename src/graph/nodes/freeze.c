/* freeze.c: parameters that keep their values. They stand at the end of the flat buffer, behind the state: so all that a store must not
 * change is one range, and no store needs a list. */
#define _GNU_SOURCE /* strchrnul */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "graph/nodes/graph.h"

enum { LONGEST = 256 };

/* "conv1" names conv1.weight, as "conv1.*" does. */
static bool names(const char *pattern, const tri_node *node)
{
    const size_t length = strlen(pattern);
    const bool layer = !strncmp(node->name, pattern, length) && node->name[length] == '.';
    return layer || fnmatch(pattern, node->name, 0) == 0;
}

static bool can_freeze(const tri_node *node)
{
    return tri__node_is(node, "parameter") || node->table >= 0;
}

/* The names of a graph's parameters, for the message about a pattern that names none. */
static const char *list_parameters(const tri_graph *graph, char *text, size_t size)
{
    tri__text list;
    tri__text_init(&list, text, size);
    for (int i = 0, fits = 1; i < graph->count && fits; i++) {
        const tri_node *node = graph->node[i];
        if (!can_freeze(node) || node->state)
            continue;
        fits = list.used + strlen(", ") + strlen(node->name) + sizeof ", …" <= size;
        tri__text_add(&list, "%s%s", list.used ? ", " : "", fits ? node->name : "…");
    }
    return text;
}

static tri_status mark(tri_graph *graph, const char *pattern)
{
    int found = 0;
    char known[512];
    for (int i = 0; i < graph->count; i++) {
        tri_node *node = graph->node[i];
        if (!can_freeze(node) || !names(pattern, node))
            continue;
        if (node->table >= 0)
            return tri_fail(TRI_BAD_CALL, "'%s' is a table of a sparse model, and tables cannot be frozen", node->name);
        node->frozen = true;
        found++;
    }
    return found
               ? NULL
               : tri_fail(TRI_BAD_CALL, "no parameter is called '%s': there are %s", pattern, list_parameters(graph, known, sizeof known));
}

static tri_status mark_all(tri_graph *graph, const char *patterns)
{
    for (const char *at = patterns, *end; *at; at = *end ? end + 1 : end) {
        char pattern[LONGEST];
        end = strchrnul(at, ',');
        if (end == at || end - at >= LONGEST)
            return tri_fail(TRI_BAD_CALL, "'%s': expected names or patterns of parameters, with commas between them", patterns);
        snprintf(pattern, sizeof pattern, "%.*s", (int)(end - at), at);
        TRI_TRY(mark(graph, pattern));
    }
    return NULL;
}

/* Give the parameters of one kind their places, in the order of making. Returns where the next kind begins. */
static size_t place(tri_graph *graph, size_t first, bool state, bool frozen)
{
    for (int i = 0; i < graph->count; i++) {
        tri_node *node = graph->node[i];
        if (!tri__node_is(node, "parameter") || node->frozen != frozen || (!frozen && node->state != state))
            continue;
        node->range.first = first;
        first += tri__parameter_room(node->range.count);
    }
    return first;
}

tri_status tri_graph_freeze(tri_graph *graph, const char *patterns)
{
    TRI_TRY(mark_all(graph, patterns));
    const size_t trained = place(graph, 0, false, false), state = place(graph, trained, true, false),
                 end = place(graph, state, false, true);
    if (trained == 0 && graph->tables == 0)
        return tri_fail(TRI_BAD_CALL, "'%s' leaves nothing to be trained", patterns);
    graph->state.range = (tri_range){trained, end - trained};
    graph->state.frozen = end - state;
    return NULL;
}

bool tri_node_is_frozen(const tri_node *node)
{
    return node->frozen;
}
