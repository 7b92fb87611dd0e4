/* counting.c: a live line for work that is counted. */
#include "cli/process/counting.h"

#include "base/thread/clock.h"
#include "watch/progress/text.h"

#define LIVE_INTERVAL  INT64_C(100000000)
#define PLAIN_INTERVAL INT64_C(5000000000)

void tri__counting_init(tri__counting *counting, tri__session *session, const char *what)
{
    int64_t now = tri__clock_now(), interval = session->terminal.live ? LIVE_INTERVAL : PLAIN_INTERVAL;
    *counting = (tri__counting){.session = session, .what = what, .begun = now, .next = now + interval, .before = -1};
    pthread_mutex_init(&counting->lock, NULL);
}

void tri__counting_fini(tri__counting *counting)
{
    tri__terminal_wipe(&counting->session->terminal);
    pthread_mutex_destroy(&counting->lock);
}

static void draw(const tri__counting *counting, int64_t done, int64_t all, int64_t now)
{
    tri__terminal *terminal = &counting->session->terminal;
    char line[160], counts[2][TRI_TEXT_SHORT], left[TRI_TEXT_SHORT];
    double seconds = tri__clock_seconds(now - counting->begun), made = (double)(done - counting->before);
    snprintf(line, sizeof line, "%s of %s %s  %.0f %%  %s left", tri__text_count(counts[0], (double)done),
             tri__text_count(counts[1], (double)all), counting->what, all ? 100.0 * (double)done / (double)all : 0,
             tri__text_duration(left, seconds * (double)(all - done) / made));
    if (terminal->live)
        tri__terminal_draw(terminal, line);
    else
        tri__terminal_say(terminal, "%s", line);
}

void tri__counting_show(void *context, int64_t done, int64_t all)
{
    tri__counting *counting = context;
    bool live = counting->session->terminal.live;
    int64_t now = tri__clock_now();
    pthread_mutex_lock(&counting->lock);
    if (counting->before < 0)
        counting->before = done;
    bool due = now >= counting->next;
    if (due)
        counting->next = now + (live ? LIVE_INTERVAL : PLAIN_INTERVAL);
    pthread_mutex_unlock(&counting->lock);
    if (due && !counting->session->quiet)
        draw(counting, done, all, now);
}
