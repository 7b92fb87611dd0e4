/* measure.h: the figures by which a model is judged. Each has one row: what --until, JSON, TensorBoard, logs and the messages of an
 * evaluator call it, which models have it, and which values are better. */
#ifndef TRI_TRAIN_OPTIONS_MEASURE_H
#define TRI_TRAIN_OPTIONS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"

/* What an evaluation found. */
typedef struct {
    int64_t examples;
    int64_t damaged;     /* records left out so far, each counted once */
    double loss;         /* these are means over all examples */
    double accuracy;     /* of classes, and of sets: the share of labels that were told rightly; NaN otherwise */
    double auc, logloss; /* of two classes; NaN otherwise … */
    double calibration;  /* … and the mean prediction over the share of class 1: 1 is right; NaN also where none is of class 1 */
    double mse, mae, r2; /* of numbers; NaN otherwise */
    double f1;           /* of sets: the mean over the labels; NaN otherwise */
} tri__evaluation;

typedef enum { TRI_OF_CLASSES = 1, TRI_OF_TWO_CLASSES = 2, TRI_OF_NUMBERS = 4, TRI_OF_SETS = 8, TRI_OF_ALL = 15 } tri__measured_models;

/* A loss falls to 0, a share rises to 1, a ratio comes to 1 from either side. */
typedef enum { TRI_MEASURE_LOSS, TRI_MEASURE_SHARE, TRI_MEASURE_RATIO } tri__measure_kind;

typedef struct {
    const char *name;  /* "auc" */
    const char *title; /* "AUC", in a line for people */
    tri__measure_kind kind;
    unsigned models;    /* tri__measured_models */
    bool progressive;   /* a stream of two classes has it of its own examples, too, each before its update */
    bool percent, told; /* shown as a percentage; worth a place in the line of an evaluation */
    size_t field;       /* a double of tri__evaluation */
} tri__measure;

const tri__measure *tri__measure_at(int index);                                         /* from 0; NULL past the last */
const tri__measure *tri__measure_find(const char *name, size_t length);                 /* NULL: unknown */
double tri__measure_of(const tri__measure *measure, const tri__evaluation *evaluation); /* NaN where there is none */
tri__evaluation tri__evaluation_of_nothing(void);                                       /* no examples, and no measure is known */

enum { TRI_MEASURES_TEXT = 256 };

/* "test loss 0.1234<between>test accuracy 98.00 %", of those that are told and known. Returns text. */
const char *tri__measures_text(const tri__evaluation *evaluation, const char *between, char text[TRI_MEASURES_TEXT]);

/* All that are known, by name; and back. */
void tri__measures_put(const tri__evaluation *evaluation, json_t *object);
tri__evaluation tri__measures_get(const json_t *object);

#endif
