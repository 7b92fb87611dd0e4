/* measure.h: the figures by which a model is judged, each with its names: what --until, JSON, TensorBoard, logs and the messages of an
 * evaluator call it, and which models have it. */
#ifndef TRI_TRAIN_EVALUATE_MEASURE_H
#define TRI_TRAIN_EVALUATE_MEASURE_H

#include "base/file/json.h"
#include "train/evaluate/evaluate.h"

typedef enum { TRI_OF_CLASSES = 1, TRI_OF_TWO_CLASSES = 2, TRI_OF_NUMBERS = 4, TRI_OF_SETS = 8, TRI_OF_ALL = 15 } tri__measured_models;

typedef struct {
    const char *name;   /* "auc" */
    const char *title;  /* "AUC", in a line for people */
    unsigned models;    /* tri__measured_models */
    bool percent, told; /* shown as a percentage; worth a place in the line of an evaluation */
    size_t field;       /* a double of tri__evaluation */
} tri__measure;

const tri__measure *tri__measure_at(int index);                                         /* from 0; NULL past the last */
const tri__measure *tri__measure_find(const char *name);                                /* NULL: unknown */
unsigned tri__measured_as(const tri_graph *graph);                                      /* what the measures of its model may be of */
double tri__measure_of(const tri__measure *measure, const tri__evaluation *evaluation); /* NaN where there is none */

enum { TRI_MEASURES_TEXT = 256 };

/* "test loss 0.1234<between>test accuracy 98.00 %", of those that are told and known. Returns text. */
const char *tri__measures_text(const tri__evaluation *evaluation, const char *between, char text[TRI_MEASURES_TEXT]);

/* All that are known, by name; and back. */
void tri__measures_put(const tri__evaluation *evaluation, json_t *object);
tri__evaluation tri__measures_get(const json_t *object);

#endif
