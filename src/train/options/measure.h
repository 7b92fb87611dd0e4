/* measure.h: the figures that say how good a model is. Each measure has one row: the name that --until, JSON, TensorBoard, logs and the
 * messages of an evaluator use, which models have the measure, and which values are better. */
#ifndef TRI_TRAIN_OPTIONS_MEASURE_H
#define TRI_TRAIN_OPTIONS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"

/* The result of an evaluation. A measure that the model does not have is NaN. */
typedef struct {
    int64_t examples;
    int64_t damaged;     /* records left out so far, each counted once */
    double loss;         /* this and the measures below: means over all examples */
    double accuracy;     /* of classes; of sets: the share of correct decisions, label by label */
    double auc, logloss; /* of two classes */
    double calibration;  /* of two classes: mean prediction / share of class 1, ideally 1; NaN also where no example is of class 1 */
    double mse, mae, r2; /* of numbers */
    double f1;           /* of sets: the mean over the labels */
} tri__evaluation;

typedef enum { TRI_OF_CLASSES = 1, TRI_OF_TWO_CLASSES = 2, TRI_OF_NUMBERS = 4, TRI_OF_SETS = 8, TRI_OF_ALL = 15 } tri__measured_models;

/* A loss falls to 0. A share rises from 0 to 1. A fit rises to 1, and may be below 0. A ratio comes to 1 from either side. */
typedef enum { TRI_MEASURE_LOSS, TRI_MEASURE_SHARE, TRI_MEASURE_FIT, TRI_MEASURE_RATIO } tri__measure_kind;

typedef struct {
    const char *name;  /* "auc" */
    const char *title; /* "AUC", in a line for people */
    tri__measure_kind kind;
    unsigned models;    /* tri__measured_models */
    bool progressive;   /* a stream of two classes also has it for its training examples, each before its update */
    bool percent, told; /* percent: printed as a percentage; told: part of the line that an evaluation prints */
    size_t field;       /* offset of its double in tri__evaluation */
} tri__measure;

const tri__measure *tri__measure_at(int index);                                         /* from 0; NULL past the last */
const tri__measure *tri__measure_find(const char *name, size_t length);                 /* NULL: unknown */
double tri__measure_of(const tri__measure *measure, const tri__evaluation *evaluation); /* NaN where the evaluation does not have it */
tri__evaluation tri__evaluation_of_nothing(void);                                       /* no examples; every measure is NaN */

enum { TRI_MEASURES_TEXT = 256 };

/* "test loss 0.1234<between>test accuracy 98.00 %": the measures that are `told` and known. Returns text. */
const char *tri__measures_text(const tri__evaluation *evaluation, const char *between, char text[TRI_MEASURES_TEXT]);

/* put: adds all measures to object, by name; one that is NaN is null. get: reads them back; the prefix is that of their keys, "" or
 * "test_", as in a summary. A measure that is not there is NaN. */
void tri__measures_put(const tri__evaluation *evaluation, json_t *object);
tri__evaluation tri__measures_get(const json_t *object, const char *prefix);

#endif
