/* commands.h: the list of commands. The row of each, with its options and the words of its help, is in its own file under cli/command/.
 *
 * Parsing, --help, the man page and bash completion are all made from these rows, so they cannot disagree. To add a command, write its file
 * and add its name here: the row of NAME is tri__command_NAME. Help lists them in this order. */
#ifndef TRI_CLI_TABLE_COMMANDS_H
#define TRI_CLI_TABLE_COMMANDS_H

#include "cli/table/option.h"

#define TRI_COMMANDS(X)                                                                                                                    \
    X(train)                                                                                                                               \
    X(eval)                                                                                                                                \
    X(predict)                                                                                                                             \
    X(runs)                                                                                                                                \
    X(export)                                                                                                                              \
    X(import)                                                                                                                              \
    X(model)                                                                                                                               \
    X(data_get)                                                                                                                            \
    X(data_info)                                                                                                                           \
    X(data_make)                                                                                                                           \
    X(data_convert)                                                                                                                        \
    X(data_speed)                                                                                                                          \
    X(watch)                                                                                                                               \
    X(cluster_up)                                                                                                                          \
    X(cluster_exec)                                                                                                                        \
    X(cluster_status)                                                                                                                      \
    X(cluster_cut)                                                                                                                         \
    X(cluster_mend)                                                                                                                        \
    X(cluster_down)                                                                                                                        \
    X(lab_run)                                                                                                                             \
    X(lab_report)                                                                                                                          \
    X(lab_compare)                                                                                                                         \
    X(lab_list)                                                                                                                            \
    X(run)                                                                                                                                 \
    X(keygen)                                                                                                                              \
    X(version)                                                                                                                             \
    X(help)

#define TRI__DECLARE_COMMAND(name) extern const tri__command tri__command_##name;
TRI_COMMANDS(TRI__DECLARE_COMMAND)
#undef TRI__DECLARE_COMMAND

extern const tri__command *const tri__commands[]; /* ends with NULL */

#endif
