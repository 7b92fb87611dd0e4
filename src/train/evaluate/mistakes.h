/* mistakes.h: the examples that a model got wrong, where it was most sure of its guess. */
#ifndef TRI_TRAIN_EVALUATE_MISTAKES_H
#define TRI_TRAIN_EVALUATE_MISTAKES_H

#include <stdint.h>

enum { TRI_MISTAKES = 48 }; /* how many mistakes are kept */

typedef struct {
    int64_t record, label, guess;
    double sure;  /* the probability of the guess */
    double right; /* the probability of the label */
} tri__mistake;

/* The surest mistakes so far, surest first. Of two that are equally sure, the earlier example comes first. {0} has none. */
typedef struct {
    tri__mistake worst[TRI_MISTAKES];
    int count;
} tri__mistakes;

/* Add an example: its record, its label, the likeliest class, and the scores [columns] of the classes. One column is the log odds of class
 * 1. An example that is right is left out. */
void tri__mistakes_add(tri__mistakes *mistakes, int64_t record, int64_t label, int64_t guess, const float *scores, int64_t columns);

#endif
