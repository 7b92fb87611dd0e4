/* model_setting.h: the settings of model files: what may stand inside the brackets of a verb. */
#ifndef TRI_GRAPH_MODEL_MODEL_SETTING_H
#define TRI_GRAPH_MODEL_MODEL_SETTING_H

#include "graph/model/model.h"

/* In all of these, key must be a key of the verb. */
void tri__model_settings_init(tri__form form, tri__model_settings *settings);
TRI_MUST_CHECK tri_status tri__model_settings_read(tri__form form, const char *key, const tri__value *value, tri__model_settings *out);

/* Print a setting as files spell it: "3x5". */
void tri__model_settings_print(tri__form form, const char *key, const tri__model_settings *settings, FILE *stream);

/* Check that the rule has the numbers that the line gives. */
TRI_MUST_CHECK tri_status tri__model_train_check(const tri_model_defaults *train);

#endif
