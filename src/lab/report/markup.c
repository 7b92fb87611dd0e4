/* markup.c: writes a report as HTML or as Markdown. */
#include "lab/report/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "lab/figures/html.h"

enum { MOST_ROOMY = 9 }; /* a table with more columns is set smaller, so that it needs no scrolling */

static const char page_style[] =
    ":root{color-scheme:light dark;--ink:#222;--soft:#666;--rule:#ddd;--paper:#fff;--head:#f4f5f7}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e4e4;--soft:#a0a0a0;--rule:#3a3d42;--paper:#1b1d20;--head:#26292d}}"
    "@media print{:root{--ink:#000;--soft:#444;--rule:#bbb;--paper:#fff;--head:#eee}h2,tr,svg{break-inside:avoid}h2{break-after:avoid}}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid var(--rule)}"
    "table{border-collapse:collapse;font-size:.9rem;display:block;overflow-x:auto;margin:1rem 0}"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}th{background:var(--head)}"
    ".wide{font-size:.75rem;width:max-content;max-width:min(100vw - 2rem,50vw + 28rem)}.wide th,.wide td{padding:.2rem .35rem}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.good{color:#1a7f37}.bad{color:#cf222e}"
    "@media (prefers-color-scheme:dark){.good{color:#56d364}.bad{color:#ff7b72}}figure{display:inline-block;margin:.5rem .5rem .5rem "
    "0}svg{max-width:100%;height:auto}p,li{max-width:46rem}li{margin:.4rem 0 .4rem 1.2rem}"
    "pre{background:var(--head);padding:.6rem .8rem;overflow-x:auto;font-size:.85rem}pre{white-space:pre-wrap}"
    "@media print{body{max-width:none;margin:0;padding:0}table{display:table;overflow:visible;font-size:.65rem}"
    "th,td,td.n{padding:.15rem .25rem;white-space:normal}.wide{font-size:.52rem;width:auto;max-width:none}.wide th,.wide td{padding:.1rem "
    ".14rem;white-space:nowrap}"
    ".wide th{white-space:normal}}"; /* paper cannot be scrolled */

/* Escape the characters that mean something in Markdown. */
static void put_markdown(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|*_`<>[]\\", *text))
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put(const tri__markup *markup, const char *text)
{
    if (markup->html)
        tri__html_put(markup->out, text);
    else
        put_markdown(markup->out, text);
}

void tri__markup_begin(tri__markup *markup, const char *title)
{
    if (markup->html) {
        fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              markup->out);
        put(markup, title);
        fprintf(markup->out, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", page_style);
        put(markup, title);
        fputs("</h1>\n", markup->out);
        return;
    }
    fputs("# ", markup->out);
    put(markup, title);
    fputs("\n\n", markup->out);
}

void tri__markup_end(tri__markup *markup)
{
    if (markup->html)
        fputs("</body>\n</html>\n", markup->out);
}

static void put_block(const tri__markup *markup, const char *tag, const char *mark, const char *text)
{
    if (markup->html)
        fprintf(markup->out, "<%s>", tag);
    else
        fputs(mark, markup->out);
    put(markup, text);
    if (markup->html)
        fprintf(markup->out, "</%s>\n", tag);
    else
        fputs("\n\n", markup->out);
}

void tri__markup_heading(tri__markup *markup, const char *text)
{
    put_block(markup, "h2", "## ", text);
}

void tri__markup_linked_heading(tri__markup *markup, const char *text, const char *link)
{
    fprintf(markup->out, markup->html ? "<h2><a href=\"%s\">" : "%.0s## [", link);
    put(markup, text);
    fprintf(markup->out, markup->html ? "%.0s</a></h2>\n" : "](%s)\n\n", link);
}

void tri__markup_paragraph(tri__markup *markup, const char *text)
{
    put_block(markup, "p", "", text);
}

void tri__markup_code(tri__markup *markup, const char *text)
{
    fputs(markup->html ? "<pre>" : "```sh\n", markup->out);
    if (markup->html)
        put(markup, text);
    else
        fputs(text, markup->out);
    fputs(markup->html ? "</pre>\n" : "\n```\n\n", markup->out);
}

void tri__markup_list_begin(tri__markup *markup)
{
    if (markup->html)
        fputs("<ul>\n", markup->out);
}

void tri__markup_list_end(tri__markup *markup)
{
    if (markup->html)
        fputs("</ul>\n", markup->out);
}

void tri__markup_item(tri__markup *markup, const char *text)
{
    put_block(markup, "li", "- ", text);
}

/* ---- tables ---- */

void tri__markup_table_begin(tri__markup *markup, const char *const *names, int count)
{
    const char *opening = count > MOST_ROOMY ? "<table class=\"wide\">\n<thead><tr>" : "<table>\n<thead><tr>";
    fputs(markup->html ? opening : "|", markup->out);
    for (int i = 0; i < count; i++) {
        fputs(markup->html ? "<th>" : " ", markup->out);
        put(markup, names[i]);
        fputs(markup->html ? "</th>" : " |", markup->out);
    }
    fputs(markup->html ? "</tr></thead>\n<tbody>\n" : "\n|", markup->out);
    for (int i = 0; i < count && !markup->html; i++)
        fputs("---|", markup->out);
    fputs(markup->html ? "" : "\n", markup->out);
}

/* "1.5", "1.5 … 2", and "–", which stands for a missing number. */
static bool is_number(const char *cell)
{
    char *end = NULL;
    if (!strcmp(cell, "–"))
        return true;
    strtod(cell, &end);
    if (end == cell)
        return false;
    return !*end || (!strncmp(end, " … ", strlen(" … ")) && is_number(end + strlen(" … ")));
}

static const char *class_of(const char *cell)
{
    if (is_number(cell))
        return " class=\"n\"";
    return !strcmp(cell, "confirmed") ? " class=\"good\"" : !strcmp(cell, "not confirmed") ? " class=\"bad\"" : "";
}

void tri__markup_table_row(tri__markup *markup, const char *const *cells, int count)
{
    fputs(markup->html ? "<tr>" : "|", markup->out);
    for (int i = 0; i < count; i++) {
        if (markup->html)
            fprintf(markup->out, "<td%s>", class_of(cells[i]));
        else
            fputc(' ', markup->out);
        put(markup, cells[i]);
        fputs(markup->html ? "</td>" : " |", markup->out);
    }
    fputs(markup->html ? "</tr>\n" : "\n", markup->out);
}

void tri__markup_table_end(tri__markup *markup)
{
    fputs(markup->html ? "</tbody>\n</table>\n" : "\n", markup->out);
}

/* ---- pictures ---- */

tri_status tri__markup_picture(tri__markup *markup, const char *title, const char *svg)
{
    char name[160];
    markup->pictures++;
    if (markup->html) {
        fprintf(markup->out, "<figure role=\"img\">\n%s</figure>\n", svg);
        return NULL;
    }
    snprintf(name, sizeof name, "%.120s-%d.svg", markup->prefix, markup->pictures);
    char *path = tri__path_join(markup->folder, name);
    tri_status status = path ? tri__file_replace(path, svg, strlen(svg)) : tri_fail(TRI_NO_MEMORY, "no memory for a path");
    free(path);
    fputs("![", markup->out);
    put(markup, title);
    fprintf(markup->out, "](%s)\n\n", name);
    return status;
}
