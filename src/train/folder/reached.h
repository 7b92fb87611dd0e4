/* reached.h: whether a run that is to be resumed has reached its goal already. */
#ifndef TRI_TRAIN_FOLDER_REACHED_H
#define TRI_TRAIN_FOLDER_REACHED_H

#include "train/options/options.h"

/* The summary of the run in a folder, if its newest checkpoint was evaluated and meets options->until; NULL where it does not, or where
 * that is not known. The caller owns it. */
TRI_MUST_CHECK tri_status tri__reached_before(const char *folder, const tri__train_options *options, json_t **summary);

#endif
