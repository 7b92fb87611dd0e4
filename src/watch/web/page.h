/* page.h: serves the live page of a run: its files (assets.h), and the run's state as JSON (/run.json), as a stream of events (/events),
 * and as metrics (/metrics). The first event of a stream, "whole", has the whole state. Each "added" has what was added since. After a
 * change that additions cannot describe, "whole" is sent again. */
#ifndef TRI_WATCH_WEB_PAGE_H
#define TRI_WATCH_WEB_PAGE_H

#include "net/loop/loop.h"
#include "watch/web/live_run.h"

typedef struct {
    const char *folder;                                               /* of the run; borrowed, like token */
    bool (*has_ended)(const char *folder, const tri__run_view *view); /* live_run.h */
    int64_t every;                                                    /* nanoseconds between two polls of the folder */
    int fd;                                                           /* a listening socket, which the page owns from then on */
    uint16_t port;                                                    /* its port */
    const char *token;                                                /* what a client must show; NULL on loopback, where none is needed */
} tri__page_options;

typedef struct tri__web_page tri__web_page;

/* Serve the page on the loop, until tri__web_page_destroy. */
TRI_MUST_CHECK tri_status tri__web_page_create(tri__loop *loop, const tri__page_options *options, tri__web_page **out);
void tri__web_page_destroy(tri__web_page *page); /* accepts NULL */

#endif
