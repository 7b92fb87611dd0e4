/* markup.h: writes a text with headings, tables and pictures: as one HTML page that needs no other file, or as Markdown with pictures in
 * files beside it. */
#ifndef TRI_LAB_REPORT_MARKUP_H
#define TRI_LAB_REPORT_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

#include "trireme/status.h"

typedef struct {
    FILE *out;
    bool html;
    const char *folder; /* Markdown: where pictures go */
    const char *prefix; /* Markdown: the names of picture files begin with it */
    int pictures;
} tri__markup;

void tri__markup_begin(tri__markup *markup, const char *title);
void tri__markup_end(tri__markup *markup);
void tri__markup_heading(tri__markup *markup, const char *text);
void tri__markup_linked_heading(tri__markup *markup, const char *text, const char *link);
void tri__markup_paragraph(tri__markup *markup, const char *text);
void tri__markup_code(tri__markup *markup, const char *text);

void tri__markup_list_begin(tri__markup *markup);
void tri__markup_item(tri__markup *markup, const char *text);
void tri__markup_list_end(tri__markup *markup);

/* A table; names is its first row. Cells that are numbers are aligned to the right. */
void tri__markup_table_begin(tri__markup *markup, const char *const *names, int count);
void tri__markup_table_row(tri__markup *markup, const char *const *cells, int count);
void tri__markup_table_end(tri__markup *markup);

TRI_MUST_CHECK tri_status tri__markup_picture(tri__markup *markup, const char *title, const char *svg);

#endif
