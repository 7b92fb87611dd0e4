/* common_options.c: the options of commands that only print a result. */
#include "cli/table/common_options.h"

const tri__option tri__result_options[] = {
    ONLY_JSON_ROW,
    HELP_ROW,
    {0},
};
