/* confusion.h: how often a model took each class for each other class, and how good it is at each. */
#ifndef TRI_TRAIN_EVALUATE_CONFUSION_H
#define TRI_TRAIN_EVALUATE_CONFUSION_H

#include <stdint.h>

#include "trireme/status.h"

enum { TRI_CONFUSION_CLASSES = 4096 }; /* with more the matrix would take gigabytes */

typedef struct {
    int64_t classes;
    int64_t *count;   /* [classes][classes] examples by label, then by guess */
    int64_t among[5]; /* examples whose label is among the 1, 2 … 5 likeliest classes */
    int64_t examples;
} tri__confusion;

/* NaN where there is nothing to divide by: the precision of a class that was never guessed, the recall of a class that does not occur. */
typedef struct {
    double precision, recall, f1;
    int64_t count; /* examples of the class */
} tri__class_score;

/* count: examples of the class; guessed: examples of any class that were taken for this one; right: examples of the class that were taken
 * for it. */
tri__class_score tri__class_score_of(int64_t right, int64_t guessed, int64_t count);

/* TRI_BAD_CALL where there are more than TRI_CONFUSION_CLASSES classes. */
TRI_MUST_CHECK tri_status tri__confusion_init(tri__confusion *confusion, int64_t classes);
void tri__confusion_fini(tri__confusion *confusion);

/* Add an example: its label, the likeliest class, and the scores [columns] of the classes. One column is the log odds of class 1. */
void tri__confusion_add(tri__confusion *confusion, int64_t label, int64_t guess, const float *scores, int64_t columns);

int64_t tri__confusion_at(const tri__confusion *confusion, int64_t label, int64_t guess);
tri__class_score tri__confusion_class(const tri__confusion *confusion, int64_t label);
double tri__confusion_among(const tri__confusion *confusion,
                            int best);                          /* share of examples whose label is among the `best` likeliest classes */
double tri__confusion_mean_f1(const tri__confusion *confusion); /* over the classes that occur or were guessed */

#endif
