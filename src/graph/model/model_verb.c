/* model_verb.c: the verbs of model files: the reader's own, and every row of the operator table that users may write. */
#include "graph/model/model_verb.h"

#include <string.h>

#include "base/text/nearest.h"
#include "base/text/text.h"
#include "base/text/words.h"
#include "graph/nodes/operator.h"
#include "graph/rule/rule.h"

static const tri__verb own_verbs[] = {
    {"train", TRI_FORM_TRAIN, 0, 0, "rate rule momentum l2 batch epochs average", 0},
    {"input", TRI_FORM_INPUT, 0, 0, "shape scale offset", 0},
    {"dense", TRI_FORM_DENSE, 1, 1, "out bias init", 1},
    {"conv", TRI_FORM_CONV, 1, 1, "out kernel stride pad bias init groups dilation", 2},
    {"batch_norm", TRI_FORM_BATCH_NORM, 1, 1, "epsilon momentum statistics", 0},
    {"layer_norm", TRI_FORM_LAYER_NORM, 1, 1, "epsilon", 0},
    {"global_avgpool", TRI_FORM_GLOBAL_POOL, 1, 1, "", 0},
    {"global_maxpool", TRI_FORM_GLOBAL_POOL, 1, 1, "", 0},
    {"parameter", TRI_FORM_PARAMETER, 0, 0, "shape init", 1},
    {"sparse", TRI_FORM_SPARSE, 0, 0, "", 0},
    {"embedding", TRI_FORM_TABLE, 1, 1, "out fields init", 2},
    {"embedding_sum", TRI_FORM_TABLE, 1, 1, "out init", 1},
    {"embedding_mean", TRI_FORM_TABLE, 1, 1, "out init", 1},
    {"pairwise", TRI_FORM_TABLE, 1, 1, "out init", 1},
    {"softmax_loss", TRI_FORM_LOSS, 1, 1, "smoothing", 0},
    {"logistic_loss", TRI_FORM_LOSS, 1, 1, "", 0},
    {"mse_loss", TRI_FORM_LOSS, 1, 1, "", 0},
    {"huber_loss", TRI_FORM_LOSS, 1, 1, "delta", 0},
    {"sigmoid_loss", TRI_FORM_LOSS, 1, 1, "", 0},
    {"while", TRI_FORM_WHILE, 0, 0, "most", 1},
    {"carry", TRI_FORM_CARRY, 1, 1, "", 0},
    {"next", TRI_FORM_NEXT, 2, 2, "", 0},
    {"end", TRI_FORM_END, 1, 1, "", 0},
};
#define OWN_VERBS (sizeof own_verbs / sizeof *own_verbs)

/* Whether files may use the row. Rows that the reader's own verbs make, and gradients, which have no derivative of their own, are not for
 * files. */
static bool for_people(const tri_operator *row)
{
    static const char *const hidden[] = {"image",   "bias",   "convolution", "table",      "send",        "expect",
                                         "receive", "gather", "sparse_dot",  "sparse_sum", "sparse_mean", "carried"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strcmp(row->name, hidden[i]) == 0)
            return false;
    for (size_t i = 0; i < OWN_VERBS; i++)
        if (strcmp(row->name, own_verbs[i].name) == 0)
            return false;
    return row->backward || row->no_gradient || row->most == 0;
}

bool tri__verb_find(const char *name, tri__verb *out)
{
    for (size_t i = 0; i < OWN_VERBS; i++)
        if (strcmp(name, own_verbs[i].name) == 0) {
            *out = own_verbs[i];
            return true;
        }
    const tri_operator *row = tri__operator_find(name);
    if (!row || !for_people(row))
        return false;
    *out = (tri__verb){row->name, TRI_FORM_ROW, row->least, row->most, row->keys ? row->keys : "", 0};
    return true;
}

tri_status tri__verb_unknown(const char *name)
{
    tri__nearest nearest = tri__nearest_of(name);
    char known[1024], hint[TRI_NEAREST_HINT];
    tri__text list;
    tri__text_init(&list, known, sizeof known);
    for (size_t i = 0; i < OWN_VERBS; i++) {
        tri__nearest_offer(&nearest, own_verbs[i].name);
        tri__text_add(&list, "%s%s", list.used ? ", " : "", own_verbs[i].name);
    }
    const tri_operator *row;
    for (int i = 0; (row = tri__operator_at(i)); i++)
        if (for_people(row)) {
            tri__nearest_offer(&nearest, row->name);
            tri__text_add(&list, "%s%s", list.used ? ", " : "", row->name);
        }
    if (nearest.best)
        return tri_fail(TRI_BAD_DATA, "unknown operator '%s'%s", name, tri__nearest_hint(&nearest, hint));
    return tri_fail(TRI_BAD_DATA, "unknown operator '%s'; there are %s", name, known);
}

/* train also has the keys of the update rules that its row does not list; they come behind those that it lists. */
static bool rule_key(const char *listed, int index, char *key)
{
    const tri__rule_number *number;
    for (int i = 0; (number = tri__rule_number_at(i)); i++)
        if (!tri__words_have(listed, number->key) && index-- == 0)
            return snprintf(key, TRI_MODEL_NAME, "%s", number->key) > 0;
    return false;
}

bool tri__verb_key(const tri__verb *verb, int index, char *key)
{
    const char *at = verb->keys;
    for (; index > 0 && *at; index--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    if (!*at && verb->form == TRI_FORM_TRAIN)
        return rule_key(verb->keys, index, key);
    size_t length = strcspn(at, " ");
    if (length == 0 || length >= TRI_MODEL_NAME)
        return false;
    memcpy(key, at, length);
    key[length] = '\0';
    return true;
}

int tri__verb_key_index(const tri__verb *verb, const char *key)
{
    char name[TRI_MODEL_NAME];
    for (int i = 0; tri__verb_key(verb, i, name); i++)
        if (strcmp(name, key) == 0)
            return i;
    return -1;
}

tri_status tri__verb_unknown_key(const tri__verb *verb, const char *key)
{
    char known[256], name[TRI_MODEL_NAME];
    tri__text list;
    tri__text_init(&list, known, sizeof known);
    for (int i = 0; tri__verb_key(verb, i, name); i++)
        tri__text_add(&list, "%s%s", list.used ? ", " : "", name);
    if (!known[0])
        return tri_fail(TRI_BAD_DATA, "unknown key '%s': %s takes none", key, verb->name);
    return tri_fail(TRI_BAD_DATA, "unknown key '%s': %s takes %s", key, verb->name, known);
}
