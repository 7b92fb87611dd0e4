/* settings.c: the modes by name. */
#include "store/ps/protocol/settings.h"

#include <stddef.h>

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

bool tri__ps_is_replicated(const tri__ps_settings *settings, int server)
{
    return settings->replicas == 2 && server >= 0 && server < settings->servers;
}

int tri__ps_second_host(const tri__ps_settings *settings, int server)
{
    int others = settings->servers - 1;
    return server == 0 ? 1 : others < 2 ? 0 : server % others + 1;
}
