/* train_table.h: the options of train. */
#ifndef TRI_CLI_COMMAND_RUN_TRAIN_TABLE_H
#define TRI_CLI_COMMAND_RUN_TRAIN_TABLE_H

#include "base/text/option.h"

extern const tri__option tri__train_options_table[]; /* ends with a row of zeros */

#endif
