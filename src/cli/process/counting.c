/* counting.c: the progress of work that is counted. */
#include "cli/process/counting.h"

#include "base/text/text.h"
#include "base/thread/clock.h"

void tri__counting_init(tri__counting *counting, tri__session *session, const char *what)
{
    *counting = (tri__counting){.session = session, .what = what};
    pthread_mutex_init(&counting->lock, NULL);
    tri__counting_restart(counting);
}

void tri__counting_restart(tri__counting *counting)
{
    pthread_mutex_lock(&counting->lock);
    counting->begun = tri__clock_now();
    counting->next = counting->begun + tri__terminal_interval(&counting->session->terminal);
    counting->before = -1;
    pthread_mutex_unlock(&counting->lock);
}

void tri__counting_fini(tri__counting *counting)
{
    tri__terminal_wipe(&counting->session->terminal);
    pthread_mutex_destroy(&counting->lock);
}

static void draw(const tri__counting *counting, int64_t done, int64_t all, double seconds)
{
    char line[160], counts[2][TRI_TEXT_SHORT], rate[TRI_TEXT_SHORT], left[TRI_TEXT_SHORT];
    const double speed = (double)(done - counting->before) / seconds;
    snprintf(line, sizeof line, "%s of %s %s  %.0f %%  %s a second  %s left", tri__text_count(counts[0], (double)done),
             tri__text_count(counts[1], (double)all), counting->what, all ? 100.0 * (double)done / (double)all : 0,
             tri__text_brief(rate, speed), tri__text_duration(left, (double)(all - done) / speed));
    tri__terminal_progress(&counting->session->terminal, line);
}

void tri__counting_show(void *context, int64_t done, int64_t all)
{
    tri__counting *counting = context;
    int64_t now = tri__clock_now();
    pthread_mutex_lock(&counting->lock);
    if (counting->before < 0)
        counting->before = done;
    bool due = now >= counting->next;
    if (due)
        counting->next = now + tri__terminal_interval(&counting->session->terminal);
    pthread_mutex_unlock(&counting->lock);
    if (due && !counting->session->quiet)
        draw(counting, done, all, tri__clock_seconds(now - counting->begun));
}
