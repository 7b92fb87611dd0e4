/* study_shown.h: checks the names in the tables, plots, fits and curves of a study. */
#ifndef TRI_LAB_STUDY_STUDY_SHOWN_H
#define TRI_LAB_STUDY_STUDY_SHOWN_H

#include "lab/study/study.h"

/* A report is made after hours of runs, so a wrong name in it must be reported before the first run. The study's factors and columns must
 * have been read. */
TRI_MUST_CHECK tri_status tri__study_check_shown(const tri__study *study);

/* As tri__study_cell_text, with only those factors that the study's tables show: the others are words of the command. All of them where no
 * table shows any. Returns text. */
const char *tri__study_cell_title(const tri__study *study, int cell, char *text, size_t size);

/* What a host did over time. */
typedef enum { TRI_CURVE_CPU, TRI_CURVE_MEMORY, TRI_CURVE_SENT, TRI_CURVE_RECEIVED, TRI_CURVE_DISK } tri__curve_kind;

enum { TRI_CURVES = TRI_CURVE_DISK + 1 };

/* Which curves the study's file asks for: `curves: yes`, `curves: [cpu, disk]`, or `curves: {of: [cpu, disk], at: {batch: 10}}`.
 * TRI_BAD_DATA for a name that is not known. */
TRI_MUST_CHECK tri_status tri__study_curves(const tri__study *study, bool chosen[TRI_CURVES]);
bool tri__study_has_curves(const tri__study *study, int cell); /* `at` does not leave the cell out */

#endif
