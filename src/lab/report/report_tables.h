/* report_tables.h: the tables of a study. In its file `tables` is a list of mappings: `title`; `rows`, the factors that are shown;
 * `columns`; `by: worker` or `by: host` for a row for each of them; `at`, which cells. */
#ifndef TRI_LAB_REPORT_REPORT_TABLES_H
#define TRI_LAB_REPORT_REPORT_TABLES_H

#include "base/memory/arena.h"
#include "lab/report/markup.h"
#include "lab/results/results.h"

/* Write the one that spec, an entry of the list, describes. arena: for memory until it is written. */
TRI_MUST_CHECK tri_status tri__report_table(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup);

/* Writes a number into text, and returns text. digits: after the decimal point; −1: as many as are significant. */
const char *tri__report_number(double number, int digits, char *text, size_t size);

#endif
