/* page.h: the live page of a run: its files (assets.h), the run's state as JSON (/run.json), as a stream of events (/events), and as
 * metrics (/metrics). The first event of a stream, "whole", has the whole state; "added" has what came since; after a change that
 * additions cannot tell, "whole" comes again. */
#ifndef TRI_WATCH_WEB_PAGE_H
#define TRI_WATCH_WEB_PAGE_H

#include "net/loop/loop.h"
#include "watch/web/live_run.h"

typedef struct {
    const char *folder;                                               /* of the run; borrowed, as the token is */
    bool (*has_ended)(const char *folder, const tri__run_view *view); /* live_run.h */
    int64_t every;                                                    /* nanoseconds between two looks at the folder */
    int fd;                                                           /* a listening socket, which the page takes */
    uint16_t port;                                                    /* its port */
    const char *token;                                                /* NULL: on loopback none is needed */
} tri__page_options;

typedef struct tri__web_page tri__web_page;

/* Serve it on the loop, until it is destroyed. */
TRI_MUST_CHECK tri_status tri__web_page_create(tri__loop *loop, const tri__page_options *options, tri__web_page **out);
void tri__web_page_destroy(tri__web_page *page); /* accepts NULL */

#endif
