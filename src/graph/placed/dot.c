/* dot.c: the identifiers in the text are the names of nodes, in quotes. */
#include "graph/placed/dot.h"

#include "graph/nodes/operator.h"

static void print_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void print_node(const tri_node *node, FILE *stream)
{
    char what[160], label[300];
    if (node->attributes.body) /* the shape of a loop is that of all carried values together, which tells people nothing */
        snprintf(what, sizeof what, ", at most %lld rounds", (long long)node->attributes.most);
    else
        tri_shape_text(node->shape, what, sizeof what);
    snprintf(label, sizeof label, "%s\n%s%s%s", node->name, node->op->name, node->attributes.body ? "" : " ", what);
    fputs("    ", stream);
    print_quoted(node->name, stream);
    fputs(" [label=", stream);
    print_quoted(label, stream);
    fputs("];\n", stream);
}

/* Whether `reader` is the first node of its task that reads the value. */
static bool reads_first(const tri_graph *graph, const tri_node *reader, const tri_node *value)
{
    for (int i = 0; i < reader->id; i++)
        for (int k = 0; k < graph->node[i]->inputs; k++)
            if (graph->node[i]->input[k] == value && graph->node[i]->task == reader->task)
                return false;
    return true;
}

/* A value crosses to a task only once: the arrow to its first reader there shows the bytes. */
static void print_edge(const tri_graph *graph, const tri_node *from, const tri_node *to, FILE *stream)
{
    bool crosses = from->task != to->task && !tri__node_is(from, "constant");
    fputs("  ", stream);
    print_quoted(from->name, stream);
    fputs(" -> ", stream);
    print_quoted(to->name, stream);
    if (crosses && reads_first(graph, to, from))
        fprintf(stream, " [style=bold, label=\"%zu B\"]", tri__node_bytes(from));
    else if (crosses)
        fputs(" [style=dashed]", stream);
    fputs(";\n", stream);
}

/* A node that reads a value twice has one arrow from it. */
static void print_edges(const tri_graph *graph, const tri_node *to, FILE *stream)
{
    for (int k = 0; k < to->inputs; k++) {
        bool drawn = false;
        for (int i = 0; i < k; i++)
            drawn |= to->input[i] == to->input[k];
        if (!drawn)
            print_edge(graph, to->input[k], to, stream);
    }
}

void tri__graph_print_dot(const tri_graph *graph, int tasks, FILE *stream)
{
    fputs("digraph placed {\n  graph [fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9];\n"
          "  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=10];\n",
          stream);
    for (int t = 0; t < tasks; t++) {
        fprintf(stream, "  subgraph cluster_%d {\n    label=\"/job:worker/task:%d\"; style=filled; colorscheme=pastel19; fillcolor=%d;\n",
                t, t, t % 9 + 1);
        for (int i = 0; i < graph->count; i++)
            if (graph->node[i]->task == t)
                print_node(graph->node[i], stream);
        fputs("  }\n", stream);
    }
    for (int i = 0; i < graph->count; i++)
        print_edges(graph, graph->node[i], stream);
    fputs("}\n", stream);
}
