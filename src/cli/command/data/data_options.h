/* data_options.h: rows of options that several data commands share. */
#ifndef TRI_CLI_COMMAND_DATA_DATA_OPTIONS_H
#define TRI_CLI_COMMAND_DATA_DATA_OPTIONS_H

#include "cli/table/common_options.h"

#define RESIZE_MEANING "bring pictures to this width and height"

#define DATA_SEED_ROW(section, says)                                                                                                       \
    {                                                                                                                                      \
        .name = "seed", .argument = "S", .kind = TRI_OPTION_INTEGER, .least = 0, .standard = "1", .group = (section), .meaning = (says)    \
    }
#define FEATURES_ROW                                                                                                                       \
    {                                                                                                                                      \
        .name = "features", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .most = INT32_MAX, .otherwise = "as found",           \
        .meaning = "how many features a sparse source has, or how many to hash its features into"                                          \
    }
#define WORKERS_ROW(says)                                                                                                                  \
    {                                                                                                                                      \
        .name = "workers", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .most = 4096, .otherwise = "every CPU",                \
        .group = "Machine", .meaning = (says)                                                                                              \
    }

#endif
