/* settings.c: the modes by name, and settings in words. */
#include "store/ps/protocol/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *tri__ps_mode_name(tri__ps_mode mode)
{
    switch (mode) {
    case TRI_PS_ASYNC:
        return "async";
    case TRI_PS_SYNC:
        return "sync";
    case TRI_PS_STALENESS:
        return "staleness";
    }
    return "unknown";
}

void tri__ps_settings_words(const tri__ps_settings *settings, char text[TRI_PS_WORDS])
{
    char number[16] = "";
    if (settings->mode == TRI_PS_STALENESS)
        snprintf(number, sizeof number, " %d", settings->staleness);
    const bool sync = settings->mode == TRI_PS_SYNC;
    int used = snprintf(text, TRI_PS_WORDS, "--%s%s", tri__ps_mode_name(settings->mode), number);
    if (sync && settings->backup)
        used += snprintf(text + used, TRI_PS_WORDS - (size_t)used, " --backup %d", settings->backup);
    snprintf(text + used, TRI_PS_WORDS - (size_t)used, "%s%s%s%s%s and %d servers", sync && settings->sum ? " --combine sum" : "",
             settings->fixed_parts ? " --split static" : "", settings->half_rows ? " --row-values fp16" : "",
             settings->dense_rows ? " --gather dense" : "", settings->replicas == 2 ? " --replicas 2" : "", settings->servers);
}

tri_status tri__ps_settings_agree(const tri__ps_settings *job, const char *task, const char *theirs)
{
    char ours[TRI_PS_WORDS];
    tri__ps_settings_words(job, ours);
    if (theirs && !strcmp(theirs, ours))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s was started with %.159s, and ps:0 with %s: start all tasks with the same options", task,
                    theirs ? theirs : "no mode", ours);
}

bool tri__ps_is_replicated(const tri__ps_settings *settings, int server)
{
    return settings->replicas == 2 && server >= 0 && server < settings->servers;
}

int tri__ps_second_host(const tri__ps_settings *settings, int server)
{
    int others = settings->servers - 1;
    return server == 0 ? 1 : others < 2 ? 0 : server % others + 1;
}

int tri__ps_process(const tri__ps_settings *settings, int server, bool second)
{
    return second ? tri__ps_second_host(settings, server) : server;
}
