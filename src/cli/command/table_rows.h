/* table_rows.h: what the tables of options share: words for completion, and rows that several commands have. */
#ifndef TRI_CLI_COMMAND_TABLE_ROWS_H
#define TRI_CLI_COMMAND_TABLE_ROWS_H

#include "data/source/source.h"

#define SOURCES TRI_SOURCE_WORDS

#define QUIET_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "quiet", .group = "Output", .meaning = "print no progress and no notes; errors are still printed"                          \
    }
#define JSON_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "json", .meaning = "print the result as one JSON object, the last line of standard output"                                 \
    }
#define ONLY_JSON_ROW                                                                                                                      \
    {                                                                                                                                      \
        .name = "json", .group = "Output", .meaning = "print the result as one JSON object"                                                \
    }
#define HELP_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "help", .meaning = "show this help"                                                                                        \
    }

#endif
