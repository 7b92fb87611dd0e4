/* model_verb.h: the verbs of model files: what may stand before the brackets. */
#ifndef TRI_GRAPH_MODEL_MODEL_VERB_H
#define TRI_GRAPH_MODEL_MODEL_VERB_H

#include "graph/model/model.h"

bool tri__verb_find(const char *name, tri__verb *out);
TRI_MUST_CHECK tri_status tri__verb_unknown(const char *name);   /* an error that names the known verbs */
bool tri__verb_key(const tri__verb *verb, int index, char *key); /* key has room for TRI_MODEL_NAME; false past the last */
int tri__verb_key_index(const tri__verb *verb, const char *key); /* -1 where the verb has no such key */
TRI_MUST_CHECK tri_status tri__verb_unknown_key(const tri__verb *verb, const char *key);

#endif
