/* study_shown.h: checks the names in the tables, plots and fits of a study. */
#ifndef TRI_LAB_STUDY_STUDY_SHOWN_H
#define TRI_LAB_STUDY_STUDY_SHOWN_H

#include "lab/study/study.h"

/* A report is made after hours of runs, so a wrong name in it must be reported before the first run. The study's factors and columns must
 * have been read. */
TRI_MUST_CHECK tri_status tri__study_check_shown(const tri__study *study);

#endif
