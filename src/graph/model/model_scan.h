/* model_scan.h: a cursor in the text of a model. It goes through one line at a time, and every failure names line and column. */
#ifndef TRI_GRAPH_MODEL_MODEL_SCAN_H
#define TRI_GRAPH_MODEL_MODEL_SCAN_H

#include "graph/model/model.h"

typedef struct {
    tri_model *model;     /* that is being read */
    const char *line;     /* the first character of the current line */
    const char *at, *end; /* what is left of the line, without a comment or space at its end */
    int number;           /* of the line, from 1 */
} tri__scan;

/* Go to the line that begins at line, in a text that ends at end. Returns where the next line begins. */
const char *tri__scan_begin(tri__scan *scan, const char *line, const char *end, int number);

/* Put "my.model:3:14" before an error. */
TRI_MUST_CHECK tri_status tri__scan_at(tri_status cause, const tri__scan *scan, const char *where);
TRI_MUST_CHECK tri_status tri__scan_expected(const tri__scan *scan, const char *what); /* "expected what, found ')'" */
#define TRI_SCAN_FAIL(scan, where, ...) tri__scan_at(tri_fail(TRI_BAD_DATA, __VA_ARGS__), scan, where)

bool tri__scan_ended(const tri__scan *scan); /* whether nothing is left of the line */
bool tri__scan_starts_number(const tri__scan *scan);

/* Step over c and the space behind it, if it comes next. */
bool tri__scan_take(tri__scan *scan, char c);

/* Read a word. what: what was expected, for the message where no word comes next. */
TRI_MUST_CHECK tri_status tri__scan_word(tri__scan *scan, const char *what, char word[TRI_MODEL_NAME]);
TRI_MUST_CHECK tri_status tri__scan_value(tri__scan *scan, tri__value *value);

#endif
