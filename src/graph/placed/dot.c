/* dot.c: names of nodes are the text's identifiers, in quotes. */
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
    char shape[128], label[300];
    snprintf(label, sizeof label, "%s\n%s %s", node->name, node->op->name, tri_shape_text(node->shape, shape, sizeof shape));
    fputs("    ", stream);
    print_quoted(node->name, stream);
    fputs(" [label=", stream);
    print_quoted(label, stream);
    fputs("];\n", stream);
}

static void print_edge(const tri_node *from, const tri_node *to, FILE *stream)
{
    bool crosses = from->task != to->task && !tri__node_is(from, "constant");
    fputs("  ", stream);
    print_quoted(from->name, stream);
    fputs(" -> ", stream);
    print_quoted(to->name, stream);
    if (crosses)
        fprintf(stream, " [style=bold, label=\"%zu B\"]", tri__node_bytes(from));
    fputs(";\n", stream);
}

void tri__graph_print_dot(const tri_graph *graph, int tasks, FILE *stream)
{
    fputs("digraph placed {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n", stream);
    for (int t = 0; t < tasks; t++) {
        fprintf(stream, "  subgraph cluster_%d {\n    label=\"/job:worker/task:%d\"; style=filled; colorscheme=pastel19; fillcolor=%d;\n",
                t, t, t % 9 + 1);
        for (int i = 0; i < graph->count; i++)
            if (graph->node[i]->task == t)
                print_node(graph->node[i], stream);
        fputs("  }\n", stream);
    }
    for (int i = 0; i < graph->count; i++)
        for (int k = 0; k < graph->node[i]->inputs; k++)
            print_edge(graph->node[i]->input[k], graph->node[i], stream);
    fputs("}\n", stream);
}
