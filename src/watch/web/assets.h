/* assets.h: the files of the live page, built into the library from web/ by cmake/web_assets.cmake. */
#ifndef TRI_WATCH_WEB_ASSETS_H
#define TRI_WATCH_WEB_ASSETS_H

#include <stddef.h>

typedef struct {
    const char *path; /* "/style.css" */
    const char *type; /* "text/css; charset=utf-8" */
    const unsigned char *data;
    size_t size;
} tri__web_asset;

extern const tri__web_asset tri__web_assets[]; /* ends with an entry whose path is NULL */

#endif
