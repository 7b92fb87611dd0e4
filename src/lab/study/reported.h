/* reported.h: published numbers for the cells of a study.
 *
 * `reported` in a study's file is one mapping or a list of them: `file`, a CSV table (of a built-in study one of experiments/reported/, by
 * name; otherwise a path from the study's file on); `columns`, from columns of the study to columns of the table; `keys`, from factors to
 * columns of the table where they have other names; `values`, from a factor to a mapping of the table's words to the factor's; `at`, values
 * of factors that the table does not have; `where`, which rows of the table count; `worker`, the table's column with the worker's number;
 * `hosts`, from hosts to columns of the table, and `column`, the study's column for hosts that they have numbers of. A factor that the
 * table has no column for, and that `at` does not name, may have any value. */
#ifndef TRI_LAB_STUDY_REPORTED_H
#define TRI_LAB_STUDY_REPORTED_H

#include "lab/study/study.h"

TRI_MUST_CHECK tri_status tri__study_read_reported(tri__study *study);

/* The published number of a column in a cell; task: "", "worker0" or "host1". NaN where there is none. */
double tri__study_reported(const tri__study *study, int cell, int column, const char *task);

#endif
