/* model.h: a model as it was read, for the files that read, build, print and describe it.
 *
 * A model file is a list of statements, one a line. A statement has a verb: one of the reader's own (input, dense, conv, …) or a
 * row of the operator table. In its brackets stand inputs, which are earlier statements, and settings, which are key=value. Reading
 * checks all that can be checked while shapes are unknown; building makes the nodes. */
#ifndef TRI_GRAPH_MODEL_MODEL_H
#define TRI_GRAPH_MODEL_MODEL_H

#include <stdio.h>

#include "base/memory/arena.h"
#include "trireme/model.h"

#define TRI_MODEL_NAME       64          /* characters of a name, with the NUL behind it */
#define TRI_MODEL_BYTES      (1 << 18)   /* the most bytes of a file */
#define TRI_MODEL_STATEMENTS 4096        /* the most statements of a file */
#define TRI_MODEL_LARGEST    (1 << 24)   /* the largest size: one dimension, kernel, number of outputs */
#define TRI_MODEL_PARAMETERS (1LL << 32) /* the most parameters of a model */
#define TRI_MODEL_TASKS      (1 << 16)   /* the most tasks that places may name */
#define TRI_MODEL_CLASSES    (-1)        /* out=classes: as many as the data has classes */
#define TRI_MODEL_OUTPUTS    (-2)        /* out=outputs: as many as an example has targets */

/* A value, which stands behind key= or alone. */
typedef struct {
    enum { TRI_VALUE_NUMBER, TRI_VALUE_SHAPE, TRI_VALUE_WORD } kind;
    double number;             /* of a number; of a word such as normal(0.01): what stands in its brackets */
    bool has_number;           /* of a word */
    tri_shape shape;           /* of a shape, which has two dimensions or more */
    char word[TRI_MODEL_NAME]; /* of a word */
    const char *text;          /* as the file has it, for messages */
    int length;
} tri__value;

/* All that settings can set. */
typedef struct {
    tri_attributes attributes; /* of the node to be made */
    int64_t out;               /* dense, conv: outputs or channels, or TRI_MODEL_CLASSES */
    bool with_bias;            /* dense, conv */
    float momentum;            /* batch_norm: how much of the running statistics a step replaces */
    bool joint;                /* batch_norm: statistics of all workers' examples together */
    tri_model_defaults train;
} tri__model_settings;

typedef enum {
    TRI_FORM_TRAIN,
    TRI_FORM_INPUT,
    TRI_FORM_SPARSE,
    TRI_FORM_TABLE,
    TRI_FORM_DENSE,
    TRI_FORM_CONV,
    TRI_FORM_BATCH_NORM,
    TRI_FORM_LAYER_NORM,
    TRI_FORM_GLOBAL_POOL,
    TRI_FORM_PARAMETER,
    TRI_FORM_LOSS,
    TRI_FORM_ROW,
    TRI_FORM_WHILE, /* graph files only: begins a loop */
    TRI_FORM_CARRY, /* graph files only: a value that goes from round to round of a loop */
    TRI_FORM_NEXT,  /* graph files only: what a carried value is in the next round */
    TRI_FORM_END    /* graph files only: ends a loop */
} tri__form;

typedef struct {
    const char *name; /* as files spell it; where form is row or loss, the name in the operator table, too */
    tri__form form;
    int least, most;  /* inputs that a file gives */
    const char *keys; /* "out kernel stride …", in the order in which values without a key fill them */
    int needed;       /* how many of the first keys must be given */
} tri__verb;

typedef struct {
    tri__verb verb;
    const char *name;    /* given, or made of verb and count: "conv2" */
    const char *written; /* as the file has it, without name and comment */
    int line, column;    /* of the verb */
    int inputs;
    int input[TRI_MAX_INPUTS]; /* statements, by index */
    tri__model_settings settings;
    unsigned given; /* bit i: the i-th key of the verb was given */
    int loop;       /* the while line of the loop that the statement stands in; −1: none */
    int task;       /* place=2: the task that computes it; −1 where the file does not say */
} tri__statement;

struct tri_model {
    tri__arena *arena;
    bool is_graph;    /* a graph file: no loss, any number of inputs, which are fed */
    const char *file; /* as messages name it */
    const char *name, *text;
    char *canonical;           /* on the heap */
    size_t layers_length;      /* of canonical, without the train line, which ends it */
    tri__statement *statement; /* on the heap, grows */
    int count;
    int64_t room;
    int open_loop;        /* while reading: the while line of the innermost loop without an end so far; −1: none */
    tri__statement train; /* verb.name is NULL where the file has no such line */
};

bool tri__model_has_places(const tri_model *model);

/* Fails for the first line that has a place. */
TRI_MUST_CHECK tri_status tri__model_refuse_places(const tri_model *model);

/* Put "my.model:3:14" before an error. TRI_BAD_CALL becomes TRI_BAD_DATA: the mistake is in the file, not in a call. */
TRI_MUST_CHECK tri_status tri__model_at(tri_status cause, const tri_model *model, const tri__statement *statement);

#endif
