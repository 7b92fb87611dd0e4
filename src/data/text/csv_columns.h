/* csv_columns.h: what the columns of a table are to a model: numbers, categories, labels.
 *
 * They are learnt once, from all lines of the training files, and kept as text (JSON) in the checkpoint. So other files are read with the
 * same categories in the same places. If at least nine tenths of a column's values are numbers, it is a column of numbers, and its other
 * values are damage. Any other column holds categories, each of which becomes a feature of 0 or 1. A column of categories is left out if it
 * has more than TRI_CSV_CATEGORIES, or one too long for TRI_CSV_VALUE_SIZE. A missing number counts as the column's mean, a missing
 * category as a category of its own. */
#ifndef TRI_DATA_TEXT_CSV_COLUMNS_H
#define TRI_DATA_TEXT_CSV_COLUMNS_H

#include "base/memory/arena.h"
#include "data/file/record_files.h"
#include "data/text/csv_look.h"
#include "trireme/dataset.h"

enum { TRI_CSV_CATEGORIES = 1000, TRI_CSV_COLUMNS = 100000, TRI_CSV_VALUE_SIZE = 256 /* of a name or a category, with its NUL */ };

typedef enum { TRI_COLUMN_NUMBER, TRI_COLUMN_CATEGORY, TRI_COLUMN_LEFT_OUT, TRI_COLUMN_LABEL } tri__column_kind;

typedef struct {
    const char *name; /* from the header; "column 3" if it is empty there; without a header, the column's number, from 1 */
    tri__column_kind kind;
    float mean;            /* of a column of numbers */
    const char **category; /* [categories] sorted; for a label, its classes */
    const float *value;    /* [categories] the classes as numbers, rising; NULL if they are words */
    int64_t categories;
    int64_t first; /* index of its first feature; for a label, of its output */
} tri__csv_column;

typedef struct {
    tri__arena *arena; /* owns everything here */
    tri__csv_column *column;
    int64_t columns;
    int64_t features;
    tri_label_kind labels;
    int64_t label_columns;
    const tri__csv_column *label; /* the first label column */
    int64_t missing;              /* how many values were missing in the training files */
    const char *all_different; /* the first column of categories none of which comes twice, such as names of people; NULL: there is none */
    const char *learnt_from;   /* the file that gave the names; NULL: they come from a checkpoint */
    bool header, unsure;       /* tri__csv_look of that file */
    const char *text;          /* JSON */
} tri__csv_columns;

/* Learn the columns from all lines of the files. options->label names one or several label columns, by names or by numbers from 1; NULL:
 * the column called label, target, class or y, or else the last one. */
TRI_MUST_CHECK tri_status tri__csv_columns_learn(const tri__record_files *files, const char *spec, const tri_source_options *options,
                                                 tri__csv_columns *out);

/* Set the places of features and outputs, which follow from the kinds. */
void tri__csv_columns_place(tri__csv_columns *columns);

/* For csv_learn.c: kinds, names and categories are known; set places and text. */
TRI_MUST_CHECK tri_status tri__csv_columns_finish(tri__csv_columns *columns, const char *spec);

/* Read columns from the text in a checkpoint. */
TRI_MUST_CHECK tri_status tri__csv_columns_read(const char *spec, const char *text, tri__csv_columns *out);
void tri__csv_columns_fini(tri__csv_columns *columns);

/* Which column each field of a file is. column: [look.fields], −1 for a field that the model does not use. labelled: the file has the
 * labels. */
typedef struct {
    tri__csv_look look;
    int64_t *column;
    bool labelled;
} tri__csv_binding;

/* Bind the fields of a file: by the names in its header, or by position if it has none. free() out->column. */
TRI_MUST_CHECK tri_status tri__csv_bind(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *out);

/* The name that a field of the header gives to a column. number: of the column, from 0. NULL if the name is too long. */
const char *tri__csv_column_name(const tri__csv_field *field, int64_t number, char room[TRI_CSV_VALUE_SIZE]);

int64_t tri__csv_category(const tri__csv_column *column, const tri__csv_field *field); /* −1: unknown */

/* A sentence about the columns for the user; free() it. *out is NULL if there is nothing to say. */
TRI_MUST_CHECK tri_status tri__csv_columns_note(const tri__csv_columns *columns, const char *spec, char **out);

#endif
