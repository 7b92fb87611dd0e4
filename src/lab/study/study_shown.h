/* study_shown.h: what the tables, plots and fits of a study name is there. */
#ifndef TRI_LAB_STUDY_STUDY_SHOWN_H
#define TRI_LAB_STUDY_STUDY_SHOWN_H

#include "lab/study/study.h"

/* A report is made after hours of runs: a name that is wrong in it is told before the first. Factors and columns have been read. */
TRI_MUST_CHECK tri_status tri__study_check_shown(const tri__study *study);

#endif
