/* html.h: text within HTML and SVG. */
#ifndef TRI_LAB_FIGURES_HTML_H
#define TRI_LAB_FIGURES_HTML_H

#include <stdio.h>

void tri__html_put(FILE *out, const char *text); /* writes text between tags: &, < and > are escaped */

#endif
