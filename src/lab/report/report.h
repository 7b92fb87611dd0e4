/* report.h: writes the report of a study: what was asked, found and measured, beside what was published. */
#ifndef TRI_LAB_REPORT_REPORT_H
#define TRI_LAB_REPORT_REPORT_H

#include "lab/report/markup.h"
#include "lab/results/results.h"

/* Write report.html, which needs no other file, and the same as Markdown with its pictures into folder. */
TRI_MUST_CHECK tri_status tri__report_write(const tri__results *results, const char *folder);

/* Append title and findings to a Markdown file, with a link to the whole report. That makes a list of studies. */
TRI_MUST_CHECK tri_status tri__report_append(const tri__results *results, const char *path, const char *link);

#endif
