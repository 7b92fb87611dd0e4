/* labels.h: what the labels in files are as classes, and the other way round.
 *
 * The labels that occur decide (tri_numbering): −1 goes with +1; numbers from 0 or from 1 on are those of classes, also where some do not
 * occur; labels that begin elsewhere are classes with one step between them (2 and 4; 10, 20 and 30). */
#ifndef TRI_DATA_SOURCE_LABELS_H
#define TRI_DATA_SOURCE_LABELS_H

#include <stdbool.h>

#include "trireme/dataset.h"

enum { TRI_MOST_LABELS = 1 << 20 }; /* labels above are no classes but damage, or something else */

/* The labels that occur. Those of two sets together: least of low, most of high, and both sets of bits. */
typedef struct {
    int64_t low, high; /* INT64_MAX and −2 where none occurs */
    int64_t bits;      /* bit i: label i − 1 occurs; bit 63: so does one above 61 */
} tri__labels;

bool tri__label_is(double label); /* a whole number from −1 on that may be a class */
int64_t tri__label_bit(int64_t label);

/* TRI_BAD_DATA where the labels make no sense as classes; spec is for the message. classes 2: there are two, so that labels beyond them are
 * damage. Leaves first_index alone. */
TRI_MUST_CHECK tri_status tri__labels_number(const char *spec, const tri__labels *labels, int64_t classes, tri_numbering *out);

/* The label's class; −1 where it is none. And the label of a class. */
int64_t tri__label_class(const tri_numbering *numbering, double label);
int64_t tri__class_label(const tri_numbering *numbering, int64_t class);

/* "labels are -1 and 1", or "classes are 0 to 9". */
void tri__labels_tell(const tri_numbering *numbering, char *text, size_t size);

/* Are labels and the numbers of classes not the same? */
bool tri__labels_differ(const tri_numbering *numbering);

#endif
