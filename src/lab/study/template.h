/* template.h: the command of a study, with {name} where a cell's values go.
 *
 * The template is split at spaces into words; what stands between quotes, ' or ", is one word. Then names are filled in. A word that is
 * nothing but {name} becomes as many words as its value has, so that a value may be several options, or none. */
#ifndef TRI_LAB_STUDY_TEMPLATE_H
#define TRI_LAB_STUDY_TEMPLATE_H

#include "train/job/command_line.h"

/* The value of a name; NULL where there is no such name. */
typedef const char *tri__template_value(void *context, const char *name);

/* Add the words to line. TRI_BAD_DATA for a name without a value, or for a bracket or quote that is not closed. */
TRI_MUST_CHECK tri_status tri__template_fill(const char *text, tri__template_value *value, void *context, tri__command_line *line);

#endif
