/* csv_columns.h: what the columns of a table are to a model: numbers, categories, labels.
 *
 * They are learnt once, from all lines of the training files, and kept as text (JSON) in the checkpoint: so other files are read with the
 * same categories in the same places. A column is one of numbers where at least nine tenths of its values are; what else stands in it is
 * damage then. Any other column is one of categories, each of which becomes a feature of 0 or 1. It is left out where there are more than
 * TRI_CSV_CATEGORIES of them, or where one is longer than TRI_CSV_VALUE_SIZE holds. A missing number counts as the column's mean, a missing
 * category as one of its own. */
#ifndef TRI_DATA_TEXT_CSV_COLUMNS_H
#define TRI_DATA_TEXT_CSV_COLUMNS_H

#include "base/memory/arena.h"
#include "data/file/record_files.h"
#include "data/text/csv_look.h"
#include "trireme/dataset.h"

enum { TRI_CSV_CATEGORIES = 1000, TRI_CSV_COLUMNS = 100000, TRI_CSV_VALUE_SIZE = 256 /* of a name or a category, with its NUL */ };

typedef enum { TRI_COLUMN_NUMBER, TRI_COLUMN_CATEGORY, TRI_COLUMN_LEFT_OUT, TRI_COLUMN_LABEL } tri__column_kind;

typedef struct {
    const char *name; /* of the header; "column 3" where that is empty; the column's number, from 1, where there is none */
    tri__column_kind kind;
    float mean;            /* of a number */
    const char **category; /* [categories] sorted; of a label the classes */
    const float *value;    /* [categories] of classes that are numbers, rising; NULL: they are words */
    int64_t categories;
    int64_t first; /* its first feature, or of a label its output */
} tri__csv_column;

typedef struct {
    tri__arena *arena; /* owns all of this */
    tri__csv_column *column;
    int64_t columns;
    int64_t features;
    tri_label_kind labels;
    int64_t label_columns;
    const tri__csv_column *label; /* the first */
    int64_t missing;              /* values, when the columns were learnt */
    const char *learnt_from;      /* the file whose names they have; NULL: a checkpoint */
    bool header, unsure;          /* of that file */
    const char *text;             /* JSON */
} tri__csv_columns;

/* From all lines of the files. options->label names the label's column, or several, by names or by numbers from 1; NULL: one that is called
 * label, target, class or y, or else the last. */
TRI_MUST_CHECK tri_status tri__csv_columns_learn(const tri__record_files *files, const char *spec, const tri_source_options *options,
                                                 tri__csv_columns *out);

/* Places of features and outputs follow from the kinds. */
void tri__csv_columns_place(tri__csv_columns *columns);

/* Columns whose kinds, names and categories are known get their places and their text; of csv_learn.c. */
TRI_MUST_CHECK tri_status tri__csv_columns_finish(tri__csv_columns *columns, const char *spec);

/* From text that was kept. */
TRI_MUST_CHECK tri_status tri__csv_columns_read(const char *spec, const char *text, tri__csv_columns *out);
void tri__csv_columns_fini(tri__csv_columns *columns);

/* Which column each field of a file is: [fields], −1 for one that means nothing to the model. labelled: the labels are there. */
typedef struct {
    tri__csv_look look;
    int64_t *column;
    bool labelled;
} tri__csv_binding;

/* By the names of the header where there are such, else by position. free() out->column. */
TRI_MUST_CHECK tri_status tri__csv_bind(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *out);

/* The name that a field of the header gives a column, whose number counts from 0; NULL where it is too long. */
const char *tri__csv_column_name(const tri__csv_field *field, int64_t number, char room[TRI_CSV_VALUE_SIZE]);

int64_t tri__csv_category(const tri__csv_column *column, const tri__csv_field *field); /* −1: unknown */

/* What is to be told of them, in a sentence; free() it. NULL where there is nothing. */
TRI_MUST_CHECK tri_status tri__csv_columns_note(const tri__csv_columns *columns, const char *spec, char **out);

#endif
