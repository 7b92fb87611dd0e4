/* labels.h: which class each label in the files means, and the other way round.
 *
 * The labels that occur decide (tri_numbering). If −1 occurs, labels are −1 and +1. Labels that begin with 0 or 1 are class numbers, even
 * if some do not occur. Labels that begin elsewhere are classes with an equal step between them (2 and 4; 10, 20 and 30). */
#ifndef TRI_DATA_SOURCE_LABELS_H
#define TRI_DATA_SOURCE_LABELS_H

#include <stdbool.h>

#include "trireme/dataset.h"

enum { TRI_MOST_LABELS = 1 << 20 }; /* larger labels are not classes: they are damage, or numbers */

/* The labels that occur. To merge two: take the smaller low, the larger high, and the union of bits. */
typedef struct {
    int64_t low, high; /* the lowest and the highest; INT64_MAX and −2 if none occurs */
    int64_t bits;      /* bit i: label i − 1 occurs; bit 63: a label above 61 occurs */
} tri__labels;

bool tri__label_is(double label); /* it may be a class: a whole number, at least −1 */
int64_t tri__label_bit(int64_t label);

/* Find the numbering that fits the labels. TRI_BAD_DATA if they make no sense as classes; spec is for the message. classes 2: there are
 * two, so that other labels are damage. out->first_index is not changed. */
TRI_MUST_CHECK tri_status tri__labels_number(const char *spec, const tri__labels *labels, int64_t classes, tri_numbering *out);

/* The class of a label, −1 if it is not a class; and the label of a class. */
int64_t tri__label_class(const tri_numbering *numbering, double label);
int64_t tri__class_label(const tri_numbering *numbering, int64_t class);

/* What labels there are, for a message about a wrong one: "labels are -1 and +1", or "classes are 0 to 9". If no class may have the wrong
 * label, whatever the others are, the text says so. */
enum { TRI_LABELS_TOLD = 192 }; /* bytes that hold every such text */
void tri__labels_tell(const tri_numbering *numbering, double wrong, char text[TRI_LABELS_TOLD]);

/* Whether labels differ from the numbers of their classes. */
bool tri__labels_differ(const tri_numbering *numbering);

#endif
