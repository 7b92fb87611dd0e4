/* html.c: text within HTML and SVG. */
#include "lab/figures/html.h"

void tri__html_put(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fputs(*text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;", out);
        else
            fputc(*text, out);
}
