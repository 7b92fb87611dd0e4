/* model_setting.h: the settings of model files: what may stand inside the brackets of a verb. */
#ifndef TRI_GRAPH_MODEL_MODEL_SETTING_H
#define TRI_GRAPH_MODEL_MODEL_SETTING_H

#include "graph/model/model.h"

/* In all of these the verb has the key. */
void tri__model_settings_init(tri__form form, tri__model_settings *settings);
TRI_MUST_CHECK tri_status tri__model_settings_read(tri__form form, const char *key, const tri__value *value, tri__model_settings *out);

/* "3x5", as files spell it. */
void tri__model_settings_print(tri__form form, const char *key, const tri__model_settings *settings, FILE *stream);

/* That the rule has the numbers given. */
TRI_MUST_CHECK tri_status tri__model_train_check(const tri_model_defaults *train);

#endif
