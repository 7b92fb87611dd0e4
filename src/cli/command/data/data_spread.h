/* data_spread.h: data commands on the hosts of a virtual cluster: --on NAME, --hosts host1,host2. */
#ifndef TRI_CLI_COMMAND_DATA_DATA_SPREAD_H
#define TRI_CLI_COMMAND_DATA_DATA_SPREAD_H

#include <limits.h>

#include "cli/process/session.h"
#include "lab/run/spread.h"

typedef struct {
    tri__spread spread; /* the caller sets words */
    tri__virtual_cluster hosts;
    char program[PATH_MAX];
} tri__data_spread;

/* TRI_BAD_CALL for --hosts without --on. *out points into itself: it must not move. */
TRI_MUST_CHECK tri_status tri__data_spread_open(tri__session *session, const tri__arguments *arguments, tri__data_spread *out);

#define ON_ROW(says)                                                                                                                       \
    {                                                                                                                                      \
        .name = "on", .argument = "NAME", .kind = TRI_OPTION_TEXT, .group = "Hosts", .meaning = (says)                                     \
    }

#endif
