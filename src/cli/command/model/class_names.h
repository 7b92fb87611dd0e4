/* class_names.h: the names by which users know classes: those of folders or files, or the numbers that stood in the data. */
#ifndef TRI_CLI_COMMAND_MODEL_CLASS_NAMES_H
#define TRI_CLI_COMMAND_MODEL_CLASS_NAMES_H

#include <stdio.h>

#include "base/file/json.h"
#include "data/text/csv_columns.h"
#include "train/checkpoint/checkpoint_read.h"
#include "trireme/dataset.h"

typedef struct {
    const char *const *names; /* borrowed; NULL: classes are numbers */
    tri_numbering numbering;  /* of the examples: which number each class has there */
} tri__class_names;

tri__class_names tri__class_names_of_model(const tri__checkpoint *checkpoint, int64_t classes); /* classes: how many the output has */

/* Names the outputs of a model of numbers or sets, where they are several columns of a table; otherwise leaves names as they are. columns:
 * zeros at first; owns the names, and is the caller's to fini, after a failure, too. */
TRI_MUST_CHECK tri_status tri__class_names_of_columns(const tri__checkpoint *checkpoint, tri_label_kind kind, int64_t outputs,
                                                      tri__csv_columns *columns, tri__class_names *names);

enum { TRI_CLASS_NAME = 64 };

/* Returns the name itself, or writes the number to text and returns text. */
const char *tri__class_name(const tri__class_names *classes, int64_t class, char text[TRI_CLASS_NAME]);
json_t *tri__class_json(const tri__class_names *classes, int64_t class); /* a string, or a number */

#endif
