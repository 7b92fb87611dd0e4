/* eval_page.c: the page of eval --html. Pictures are PNG inside the page, in their own size; the browser enlarges them. */
#include "cli/command/model/eval_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "base/text/base64.h"
#include "data/photo/png/png.h"
#include "data/source/source.h"
#include "lab/figures/html.h"

enum { MATRIX = 100, LEAST_SIDE = 96 }; /* MATRIX: the most classes whose matrix is legible; LEAST_SIDE: pixels of a picture on the page */

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--soft:#5c6066;--paper:#fff;--rule:#d5d8dc;--right:30,120,60;--wrong:190,40,40}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e4e4;--soft:#a0a0a0;--paper:#1b1d20;--rule:#3a3d42;--right:70,190,110;"
    "--wrong:240,90,80}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:76rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}pre{color:var(--soft)}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.2rem .5rem;text-align:right;border:1px solid "
    "var(--rule)}th{font-weight:600;color:var(--soft)}th.name{text-align:left}"
    ".shots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;max-width:11rem}"
    "figure img{image-rendering:pixelated;border:1px solid var(--rule);display:block;max-width:11rem}"
    "figcaption{font-size:.85rem;color:var(--soft)}b.wrong{color:rgb(var(--wrong))}b.right{color:rgb(var(--right))}";

/* The pictures of the mistakes. */
typedef struct {
    const tri__eval_page *page;
    const uint8_t *pixels; /* [mistakes][height][width][channels]; NULL: examples are not pictures of bytes */
    tri_shape shape;
} picture_album;

static void put_class(FILE *out, const tri__eval_page *page, int64_t class)
{
    char text[TRI_CLASS_NAME];
    tri__html_put(out, tri__class_name(page->names, class, text));
}

static void put_share(FILE *out, double share)
{
    if (isnan(share))
        fputs("<td>–", out);
    else
        fprintf(out, "<td>%.2f %%", 100 * share);
}

/* A cell is the darker, the more of the class's examples it has: green on the diagonal, red elsewhere. */
static void put_cell(FILE *out, int64_t count, int64_t of_class, bool right)
{
    const double share = of_class > 0 ? (double)count / (double)of_class : 0;
    if (count)
        fprintf(out, "<td style=\"background:rgba(var(--%s),%.2f)\">%lld", right ? "right" : "wrong", 0.05 + 0.55 * share,
                (long long)count);
    else
        fputs("<td>", out);
}

static void put_head(FILE *out, const tri__eval_page *page, bool matrix)
{
    fputs("<tr><th class=name>class<th>precision<th>recall<th>F1<th>examples", out);
    for (int64_t guess = 0; matrix && guess < page->confusion->classes; guess++) {
        fputs("<th>", out);
        put_class(out, page, guess);
    }
    fputs("\n", out);
}

static void put_classes(FILE *out, const tri__eval_page *page)
{
    const tri__confusion *confusion = page->confusion;
    const bool matrix = confusion->classes <= MATRIX;
    fprintf(out, "<h2>Classes%s</h2>\n<div class=wide><table>\n", matrix ? ", and what their examples were taken for" : "");
    put_head(out, page, matrix);
    for (int64_t label = 0; label < confusion->classes; label++) {
        const tri__class_score score = tri__confusion_class(confusion, label);
        fputs("<tr><th class=name>", out);
        put_class(out, page, label);
        put_share(out, score.precision);
        put_share(out, score.recall);
        put_share(out, score.f1);
        fprintf(out, "<td>%lld", (long long)score.count);
        for (int64_t guess = 0; matrix && guess < confusion->classes; guess++)
            put_cell(out, tri__confusion_at(confusion, label, guess), score.count, label == guess);
        fputs("\n", out);
    }
    fputs("</table></div>\n", out);
}

/* A picture that cannot be encoded for want of memory is left out; its text stays. */
static void put_picture(FILE *out, const picture_album *album, int number)
{
    uint8_t *png = NULL;
    size_t size = 0;
    const int64_t height = album->shape.dim[0], width = album->shape.dim[1], scale = LEAST_SIDE / width > 1 ? LEAST_SIDE / width : 1;
    tri_status status = tri__png_encode(album->pixels + (size_t)number * (size_t)tri_shape_count(album->shape), height, width,
                                        album->shape.dim[2], &png, &size);
    if (!status) {
        fprintf(out, "<img width=%lld alt=\"\" src=\"data:image/png;base64,", (long long)(width * scale));
        tri__base64_put(out, png, size);
        fputs("\">", out);
    }
    tri_status_free(status);
    free(png);
}

/* A photo is a file. The number of another example counts the records of its source. */
static void put_name(FILE *out, const tri_source *source, int64_t record)
{
    const char *file = tri_source_describe(source)->by_folder ? tri__source_file(source, record) : NULL;
    if (file)
        tri__html_put(out, file);
    else
        fprintf(out, "record %lld", (long long)record);
}

static void put_mistake(FILE *out, const picture_album *album, int number)
{
    const tri__mistake *mistake = &album->page->mistakes->worst[number];
    fputs("<figure>", out);
    if (album->pixels)
        put_picture(out, album, number);
    fputs("<figcaption><b class=wrong>", out);
    put_class(out, album->page, mistake->guess);
    fprintf(out, "</b> %.1f %%<br>is <b class=right>", 100 * mistake->sure);
    put_class(out, album->page, mistake->label);
    fprintf(out, "</b> (%.1f %%)<br>", 100 * mistake->right);
    put_name(out, album->page->source, mistake->record);
    fputs("</figcaption></figure>\n", out);
}

static void print_page(FILE *out, const void *context)
{
    const picture_album *album = context;
    const tri__eval_page *page = album->page;
    fputs("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>", out);
    tri__html_put(out, page->model);
    fprintf(out, "</title><style>%s</style>\n<h1>", style);
    tri__html_put(out, page->model);
    fputs("</h1>\n<pre>", out);
    tri__html_put(out, page->figures);
    fputs("</pre>\n", out);
    put_classes(out, page);
    fprintf(out, "<h2>The %d surest mistakes</h2>\n<div class=shots>\n", page->mistakes->count);
    for (int i = 0; i < page->mistakes->count; i++)
        put_mistake(out, album, i);
    fputs("</div>\n", out);
}

static bool has_pictures(const tri_source_info *info)
{
    return info->type == TRI_U8 && info->shape.rank == 3 && (info->shape.dim[2] == 1 || info->shape.dim[2] == 3) && !info->width;
}

static tri_status read_pictures(const tri__eval_page *page, tri_shape shape, uint8_t **pixels)
{
    int64_t records[TRI_MISTAKES];
    int32_t labels[TRI_MISTAKES];
    for (int i = 0; i < page->mistakes->count; i++)
        records[i] = page->mistakes->worst[i].record;
    TRI_TRY(tri__allocate((size_t)page->mistakes->count + 1, (size_t)tri_shape_count(shape), "pictures of mistakes", pixels));
    return tri_source_read(page->source, records, page->mistakes->count, *pixels, labels);
}

tri_status tri__eval_page_write(const char *path, const tri__eval_page *page)
{
    const tri_source_info *info = tri_source_describe(page->source);
    uint8_t *pixels = NULL;
    tri_status status = has_pictures(info) ? read_pictures(page, info->shape, &pixels) : NULL;
    const picture_album all = {.page = page, .pixels = pixels, .shape = info->shape};
    if (!status)
        status = tri__file_print(path, print_page, &all);
    free(pixels);
    return status;
}
