/* common_options.h: what the tables of options share: words for completion, and rows that several commands have. */
#ifndef TRI_CLI_TABLE_COMMON_OPTIONS_H
#define TRI_CLI_TABLE_COMMON_OPTIONS_H

#include "base/text/option.h"
#include "data/source/source.h"

#define SOURCES TRI_SOURCE_WORDS

#define QUIET_MEANING "print no progress and no notes; errors are still printed"

#define OUT_FOLDER_ROW(section, unless, says)                                                                                              \
    {                                                                                                                                      \
        .name = "out", .letter = 'o', .argument = "DIR", .kind = TRI_OPTION_TEXT, .group = (section), .completion = "folder",              \
        .otherwise = (unless), .meaning = (says)                                                                                           \
    }
#define QUIET_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "quiet", .group = "Output", .meaning = QUIET_MEANING                                                                       \
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

#define SKIP_BAD_ROW(says)                                                                                                                 \
    {                                                                                                                                      \
        .name = "skip-bad", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 0, .standard = "0", .meaning = (says)                    \
    }

#define HOSTS_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "hosts", .argument = "HOSTS", .kind = TRI_OPTION_TEXT, .otherwise = "all",                                                 \
        .meaning = "with --on: only on these hosts, such as host1,host2"                                                                   \
    }

extern const tri__option tri__result_options[]; /* for commands that only print a result; ends with a row of zeros */

#endif
