/* model.h: what jobs have learnt, compared. */
#ifndef TESTS_PS_MODEL_H
#define TESTS_PS_MODEL_H

#include <jansson.h>

/* The largest difference of any parameter or state between the checkpoints that two summaries name, relative to the largest of its tensor.
 * 0: they are equal to the bit. */
double model_difference(const char *folder, const json_t *one, const json_t *two);

#endif
