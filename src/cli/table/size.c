/* size.c: "320x240" as users type it. */
#include "cli/table/size.h"

#include <stdio.h>

tri_status tri__argument_size(const tri__arguments *arguments, const char *name, int64_t *width, int64_t *height)
{
    enum { MOST = 65500 }; /* the largest side of a JPEG photo */
    const char *text = tri__argument_text(arguments, name);
    long long w, h;
    char rest;
    if (!text)
        return NULL;
    if (sscanf(text, "%lldx%lld%c", &w, &h, &rest) != 2 || w < 1 || h < 1 || w > MOST || h > MOST)
        return tri_fail(TRI_BAD_CALL, "--%s %s: should be WIDTHxHEIGHT, such as 320x240", name, text);
    *width = w;
    *height = h;
    return NULL;
}
