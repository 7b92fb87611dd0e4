/* model.h: what jobs have learnt, compared. */
#ifndef TESTS_PS_MODEL_H
#define TESTS_PS_MODEL_H

#include <jansson.h>
#include <stdint.h>

/* The largest difference of any parameter or state between the checkpoints that two summaries name, relative to the largest of its tensor.
 * 0: they are equal to the bit. */
double model_difference(const char *folder, const json_t *one, const json_t *two);

/* The same of models whose tables grow, which must have the same keys, in any order. Of rows it is the difference itself. */
double model_difference_by_key(const char *folder, const json_t *one, const json_t *two);

/* Of such a model: keys that have a row, and Σ of how often those were seen that wait for one. */
void model_sightings(const char *folder, const json_t *summary, int64_t *rows, int64_t *sightings);

#endif
