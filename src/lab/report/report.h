/* report.h: the page of a study: what was asked, found and measured, beside what was published. */
#ifndef TRI_LAB_REPORT_REPORT_H
#define TRI_LAB_REPORT_REPORT_H

#include "lab/report/markup.h"
#include "lab/study/results.h"

/* Write report.html, which needs no other file, and the same as Markdown with its pictures into folder. */
TRI_MUST_CHECK tri_status tri__report_write(const tri__results *results, const char *folder);

/* The whole report. */
TRI_MUST_CHECK tri_status tri__report_put(const tri__results *results, tri__markup *markup);

#endif
