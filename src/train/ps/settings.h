/* settings.h: the settings of a job with parameter servers, from the options. */
#ifndef TRI_TRAIN_PS_SETTINGS_H
#define TRI_TRAIN_PS_SETTINGS_H

#include "store/ps/protocol/settings.h"
#include "train/options/options.h"

/* TRI_BAD_CALL where the options contradict each other; the message says what to do instead. */
TRI_MUST_CHECK tri_status tri__ps_settings_resolve(const tri__train_options *options, tri__ps_settings *out);

int tri__ps_together(const tri__ps_settings *settings); /* workers that make a step together: all of them in sync, one elsewhere */

#endif
