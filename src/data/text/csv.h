/* csv.h: a source over tables of separated values (CSV, TSV).
 *
 * One line is one example, with its label in one of the columns. csv_columns.h says which column that is, and what the others become. */
#ifndef TRI_DATA_TEXT_CSV_H
#define TRI_DATA_TEXT_CSV_H

#include "data/source/file_format.h"

extern const tri__file_format tri__csv_format;

#endif
