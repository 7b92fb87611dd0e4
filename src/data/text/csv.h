/* csv.h: tables of separated values (CSV, TSV) as a source of rows of numbers.
 *
 * One line is one example, its label in a column of its own (csv_columns.h says which, and what the others become). */
#ifndef TRI_DATA_TEXT_CSV_H
#define TRI_DATA_TEXT_CSV_H

#include "data/source/file_format.h"

extern const tri__file_format tri__csv_format;

#endif
