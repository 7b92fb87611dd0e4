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
