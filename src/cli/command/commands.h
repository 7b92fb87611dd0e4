/* commands.h: the commands, one file each. */
#ifndef TRI_CLI_COMMAND_COMMANDS_H
#define TRI_CLI_COMMAND_COMMANDS_H

#include "cli/table/option.h"

extern const tri__option tri__train_options_table[]; /* train_table.c; ends with a row without a name */

TRI_MUST_CHECK tri_status tri__command_train(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_eval(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_predict(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_model(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_data_get(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_data_convert(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_data_speed(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_data_info(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_data_make(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_up(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_exec(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_status(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_cut(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_mend(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_cluster_down(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_lab_run(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_lab_report(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_lab_compare(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_lab_list(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_run(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_runs(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_watch(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_keygen(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_export(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_import(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_version(tri__session *session, const tri__arguments *arguments);
TRI_MUST_CHECK tri_status tri__command_help(tri__session *session, const tri__arguments *arguments);

#endif
