/* size.h: "320x240" as users type it. */
#ifndef TRI_CLI_TABLE_SIZE_H
#define TRI_CLI_TABLE_SIZE_H

#include "cli/table/option.h"

/* Width and height of option --name; both stay 0 where it was not given. */
TRI_MUST_CHECK tri_status tri__argument_size(const tri__arguments *arguments, const char *name, int64_t *width, int64_t *height);

#endif
