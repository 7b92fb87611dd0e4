/* settings.c: the modes by name, and settings in words. */
#include "store/ps/protocol/settings.h"

#include <stddef.h>
#include <stdio.h>

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
    return NULL;
}

void tri__ps_settings_words(const tri__ps_settings *settings, char text[TRI_PS_WORDS])
{
    char number[16] = "";
    if (settings->mode == TRI_PS_STALENESS)
        snprintf(number, sizeof number, " %d", settings->staleness);
    int used = snprintf(text, TRI_PS_WORDS, "--%s%s", tri__ps_mode_name(settings->mode), number);
    if (settings->mode == TRI_PS_SYNC && settings->backup)
        used += snprintf(text + used, TRI_PS_WORDS - (size_t)used, " --backup %d", settings->backup);
    if (settings->mode == TRI_PS_SYNC && settings->sum)
        used += snprintf(text + used, TRI_PS_WORDS - (size_t)used, " --combine sum");
    snprintf(text + used, TRI_PS_WORDS - (size_t)used, " and %d servers", settings->servers);
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
