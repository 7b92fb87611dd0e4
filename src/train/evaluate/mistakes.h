/* mistakes.h: the examples that a model got wrong most surely. */
#ifndef TRI_TRAIN_EVALUATE_MISTAKES_H
#define TRI_TRAIN_EVALUATE_MISTAKES_H

#include <stdint.h>

enum { TRI_MISTAKES = 48 }; /* so many are kept */

typedef struct {
    int64_t record, label, guess;
    double sure;  /* the probability of the guess */
    double right; /* that of the label */
} tri__mistake;

/* The surest mistakes so far, surest first. Of two that are equally sure, the earlier example comes first. {0} has none. */
typedef struct {
    tri__mistake worst[TRI_MISTAKES];
    int count;
} tri__mistakes;

/* An example: its record, its label, the likeliest class, and the scores [columns] of the classes; with one column it is the log odds of
 * class 1. One that is right is left out. */
void tri__mistakes_add(tri__mistakes *mistakes, int64_t record, int64_t label, int64_t guess, const float *scores, int64_t columns);

#endif
