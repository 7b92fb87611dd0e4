/* settings.h: the settings of a job with parameter servers, from the options. */
#ifndef TRI_TRAIN_PS_SETTINGS_SETTINGS_H
#define TRI_TRAIN_PS_SETTINGS_SETTINGS_H

#include "store/ps/protocol/settings.h"
#include "train/options/options.h"
#include "trireme/model.h"

/* TRI_BAD_CALL where the options contradict each other; the message says what to do instead. */
TRI_MUST_CHECK tri_status tri__ps_settings_resolve(const tri__train_options *options, tri__ps_settings *out);

/* TRI_BAD_CALL where --backup leaves no worker to wait for. resolve has checked it where the number of workers was given. */
TRI_MUST_CHECK tri_status tri__ps_settings_check_backup(const tri__ps_settings *settings);
TRI_MUST_CHECK tri_status tri__ps_settings_check_replicas(const tri__ps_settings *settings);

/* With --shard files a worker does not know the examples of others. TRI_BAD_CALL where the settings need that. */
TRI_MUST_CHECK tri_status tri__ps_settings_check_files(const tri__train_settings *settings);

/* TRI_BAD_CALL where options about tables were given for a model that has none. */
TRI_MUST_CHECK tri_status tri__ps_settings_check_tables(const tri__train_options *options, const tri_model *model);

/* A worker that joins a job may be given the job's own options, or fewer. TRI_BAD_CALL names the one that contradicts the job's. */
TRI_MUST_CHECK tri_status tri__ps_settings_compare(const tri__train_options *options, const tri__ps_settings *job);

int tri__ps_together(const tri__ps_settings *settings); /* how many workers make a step together: all in sync, one elsewhere */

#endif
