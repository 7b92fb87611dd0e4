/* expression_inside.h: the tree of an expression: one file makes it from text, another evaluates it. */
#ifndef TRI_LAB_EXPRESSION_EXPRESSION_INSIDE_H
#define TRI_LAB_EXPRESSION_EXPRESSION_INSIDE_H

#include "lab/expression/expression.h"
#include "lab/expression/functions.h"

typedef enum { TRI_NODE_NUMBER, TRI_NODE_NAME, TRI_NODE_CALL, TRI_NODE_AT, TRI_NODE_NEGATE, TRI_NODE_NOT, TRI_NODE_BINARY } tri__node_kind;

typedef enum {
    TRI_BINARY_OR,
    TRI_BINARY_AND,
    TRI_BINARY_LESS,
    TRI_BINARY_AT_MOST,
    TRI_BINARY_MORE,
    TRI_BINARY_AT_LEAST,
    TRI_BINARY_EQUAL,
    TRI_BINARY_UNEQUAL,
    TRI_BINARY_PLUS,
    TRI_BINARY_MINUS,
    TRI_BINARY_TIMES,
    TRI_BINARY_OVER,
} tri__binary;

typedef struct tri__expression_node tri__expression_node;
struct tri__expression_node {
    tri__node_kind kind;
    int column;                    /* in the expression's text, from 1 */
    double number;                 /* NUMBER */
    const char *name;              /* NAME */
    tri__binary binary;            /* BINARY */
    const tri__function *function; /* CALL */
    tri__condition *conditions;    /* AT: [count] */
    int count;                     /* AT: of conditions; CALL: of child */
    tri__expression_node *child[2];
};

struct tri__expression {
    tri__arena *arena; /* of the tree and of all texts */
    tri__expression_node *root;
    const char *text, *file;
    int line, column;
};

#endif
